// SPDX-License-Identifier: Apache-2.0

// Reads mutated files, each in a process of its own:
//
//   CudaConnectedComponentsFuzzFiles SEED COUNT FIRST_NUMBER FOLDER
//
// SEED is a file. The mutants have the numbers FIRST_NUMBER, ..., FIRST_NUMBER + COUNT - 1, and a number always gives
// the same mutant. Prints a line for each mutant: its number, and "pixels" with a hash, "sentence", "memory", "abort",
// "hang" or "crash". A hash that differs between two runs with other malloc_fill_byte of AddressSanitizer shows memory
// that was not read. FOLDER gets the mutants and the outputs of those that hang or crash.

#include "../../src/tool/Failure.h"
#include "../../src/tool/ReadImage.h"

#include "itkMacro.h"
#include "itkObject.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

std::string
Mutate(std::string bytes, std::uint64_t number)
{
  std::mt19937_64 random(number);
  const auto      below = [&random](std::size_t end) { return end == 0 ? 0 : random() % end; };
  // Headers are at the beginning or, in TIFF, anywhere.
  const auto place = [&] { return below(random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 400) : bytes.size()); };
  for (std::uint64_t changes = 1 + below(3); changes > 0; --changes)
  {
    const std::size_t at = place();
    switch (below(6))
    {
      case 0: // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1: // a byte
        bytes[at] = static_cast<char>(random());
        break;
      case 2: // a number, such as a tag or a length
      case 3:
      {
        const std::uint64_t numbers[] = {
          0, 1, 2, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, ~0ULL, below(300)
        };
        const std::uint64_t value = numbers[below(std::size(numbers))];
        const std::size_t   size = std::size_t{ 1 } << below(4);
        for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
        {
          const std::size_t shift = 8 * (random() % 8 == 0 ? size - 1 - i : i);
          bytes[at + i] = static_cast<char>(value >> shift);
        }
        break;
      }
      case 4: // a digit of a text, or a part that moves
        if (bytes[at] >= '0' && bytes[at] <= '9')
        {
          bytes.insert(at, std::to_string(below(1000000)));
        }
        else
        {
          bytes.insert(at, bytes.substr(place(), below(20)));
        }
        break;
      default: // a cut
        bytes.resize(random() % 3 == 0 ? at + 1 : bytes.size() - below(std::min<std::size_t>(bytes.size(), 20)));
    }
  }
  return bytes;
}

[[noreturn]] void
Read(const std::string & file, const std::string & log, int result)
{
  const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  dup2(out, STDERR_FILENO);
  dup2(out, STDOUT_FILENO);
  alarm(60); // GDCM clears gigabytes that a wrong length asks for, which takes long on a busy machine
  std::string text = "sentence";
  try
  {
    const FileImage image = ReadImage(file);
    std::uint64_t   hash = 14695981039346656037U;
    const auto      size = image.view.Count() * image.componentCount * ImageView::SizeOf(image.view.type);
    for (std::uint64_t i = 0; i < size; ++i)
    {
      hash = (hash ^ static_cast<unsigned char>(image.memory[i])) * 1099511628211U;
    }
    text = "pixels " + std::to_string(hash);
  }
  catch (const Failure & failure)
  {
    std::cerr << failure.what() << '\n';
  }
  catch (const itk::ExceptionObject & exception)
  {
    std::cerr << exception << '\n';
  }
  catch (const std::bad_alloc &)
  {
    text = "memory";
  }
  [[maybe_unused]] const auto written = write(result, text.data(), text.size());
  _exit(0);
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc != 5)
  {
    std::cerr << "FuzzFiles SEED COUNT FIRST_NUMBER FOLDER\n";
    return 2;
  }
  itk::Object::GlobalWarningDisplayOff();
  std::ifstream       stream(argv[1], std::ios::binary);
  const std::string   seed(std::istreambuf_iterator<char>(stream), {});
  const std::string   name = std::filesystem::path(argv[1]).filename().string();
  const std::uint64_t first = std::stoull(argv[3]);
  for (std::uint64_t number = first; number < first + std::stoull(argv[2]); ++number)
  {
    const std::string file = std::string(argv[4]) + '/' + std::to_string(number) + '-' + name;
    const std::string logFile = file + ".log";
    std::ofstream(file, std::ios::binary) << Mutate(seed, number);
    std::cout.flush();
    int ends[2];
    if (pipe(ends) != 0)
    {
      return 1;
    }
    const pid_t child = fork();
    if (child == 0)
    {
      Read(file, logFile, ends[1]);
    }
    close(ends[1]);
    char       result[100] = {};
    const auto length = read(ends[0], result, sizeof(result) - 1);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::ifstream     logStream(logFile);
    const std::string log(std::istreambuf_iterator<char>(logStream), {});
    // An abort of a library is a sentence of the tool: see DeleteWorkshopsOnSignals().
    const bool isMemory =
      log.find("allocation-size-too-big") != std::string::npos || log.find("out-of-memory") != std::string::npos;
    const std::string text = length > 0                                           ? result
                             : isMemory                                           ? "memory"
                             : WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? "abort"
                             : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hang"
                                                                                  : "crash";
    std::cout << number << ' ' << text << '\n';
    if (length > 0)
    {
      std::filesystem::remove(file);
      std::filesystem::remove(logFile);
    }
  }
}
