// SPDX-License-Identifier: Apache-2.0
#include "Workshop.h"

#include "Failure.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

/** The folders that exist, by their output files. A signal ends the program only while no function changes them. */
struct Folders
{
  std::mutex                   mutex;
  std::map<fs::path, fs::path> paths;
};

Folders &
GetFolders()
{
  static Folders & folders = *new Folders; // exists until the program has ended
  return folders;
}

/** Follows symbolic links, also a link to a file that does not exist. */
fs::path
TargetOf(const std::string & file)
{
  std::error_code error;
  fs::path        target = file;
  for (int i = 0; fs::is_symlink(target, error); ++i)
  {
    if (i == 40) // Linux follows as many
    {
      throw Failure(file + ": cannot be written: its symbolic links form a circle");
    }
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

/** Returns the ending of an image file in lower case, such as ".nii.gz", or an empty text for other files. */
std::string
ImageEndingOf(const fs::path & file)
{
  std::string ending = file.extension().string();
  ending = ending == ".gz" ? file.stem().extension().string() + ending : ending;
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char each) {
    return static_cast<char>(std::tolower(each));
  });
  const std::array endings{ ".nii", ".nii.gz", ".hdr", ".img", ".img.gz", ".nrrd", ".nhdr",
                            ".mha", ".mhd",    ".tif", ".png", ".dcm",    ".mrc" };
  ending = ending == ".tiff" ? ".tif" : ending;
  return std::find(endings.begin(), endings.end(), ending) != endings.end() ? ending : "";
}

/** Deletes the folders that exist. Another thread may write files there at the same time. */
void
DeleteFolders()
{
  for (const auto & [target, folder] : GetFolders().paths)
  {
    std::error_code error;
    for (int i = 0; i < 100 && fs::exists(folder, error); ++i)
    {
      fs::remove_all(folder, error);
    }
  }
}

} // namespace

void
DeleteWorkshopsOnSignals()
{
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // GDCM aborts if a file ends in its header, and ITK's writer of PNG if the disk is full. ITK's reader of JPEG
  // crashes.
  const auto fail = [](int) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(10); // a crash can leave a lock of the memory behind
    constexpr char message[] =
      "cuda-connected-components: a library failed; an input is probably damaged, or the disk is full\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof(message) - 1);
    DeleteFolders();
    _exit(EXIT_FAILURE);
  };
  for (const int signal : { SIGABRT, SIGBUS, SIGSEGV })
  {
    std::signal(signal, fail);
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : { SIGHUP, SIGINT, SIGTERM })
  {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
    {
      sigaddset(&signals, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    const std::lock_guard<std::mutex> lock(GetFolders().mutex);
    DeleteFolders();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    std::raise(signal);
  }).detach();
}

Workshop::Workshop(const std::string & file)
  : m_Target(TargetOf(file).string())
{
  std::error_code error;
  if (fs::exists(m_Target, error) && !fs::is_regular_file(m_Target, error))
  {
    throw Failure(file + ": cannot be written: it is a " +
                  (fs::is_directory(m_Target) ? "folder" : "device or a pipe"));
  }
  RefuseIf(fs::exists(m_Target, error) && access(m_Target.c_str(), W_OK) != 0,
           file + ": cannot be written: it is write-protected");
  fs::path destination = fs::path(m_Target).parent_path();
  if (destination.empty())
  {
    destination = ".";
  }
  if (!fs::is_directory(destination))
  {
    throw Failure(file + ": cannot be written: there is no folder " + destination.string());
  }
  m_Target = (fs::canonical(destination) / fs::path(m_Target).filename()).string();
  const fs::path folder = destination / (".cuda-connected-components-" + std::to_string(std::random_device{}()));

  const std::lock_guard<std::mutex> lock(GetFolders().mutex);
  if (GetFolders().paths.count(m_Target) != 0)
  {
    throw Failure(file + ": cannot be written: it is two outputs at once; give each output a file of its own");
  }
  const std::string ending = ImageEndingOf(m_Target);
  RefuseIf(!ending.empty() && ending != ImageEndingOf(file),
           file + ": cannot be written: it is a link to " + m_Target +
             ", whose ending names another format; give the link the same ending");
  if (!fs::create_directory(folder, error))
  {
    throw Failure(file + ": cannot be written: " + error.message());
  }
  GetFolders().paths.emplace(m_Target, folder);
  m_Folder = folder.string();
  m_File = (folder / fs::path(file).filename()).string(); // its ending selects the format
}

Workshop::~Workshop()
{
  const std::lock_guard<std::mutex> lock(GetFolders().mutex);
  std::error_code                   ignored;
  fs::remove_all(m_Folder, ignored);
  GetFolders().paths.erase(m_Target);
}

void
Workshop::Deliver(const std::vector<std::unique_ptr<Workshop>> & workshops)
{
  const std::lock_guard<std::mutex> lock(GetFolders().mutex);
  for (const auto & workshop : workshops)
  {
    workshop->MoveFiles();
  }
}

void
Workshop::MoveFiles() const
{
  std::vector<fs::path> files(fs::directory_iterator(m_Folder), fs::directory_iterator{});
  // The file that names the others, such as an .mhd file, is last: the files that it names then exist.
  std::iter_swap(std::find(files.begin(), files.end(), m_File), files.end() - 1);
  for (const fs::path & file : files)
  {
    const fs::path  target = file == m_File ? fs::path(m_Target) : fs::path(m_Target).parent_path() / file.filename();
    std::error_code error;
    if (const fs::file_status existing = fs::status(target, error); fs::exists(existing))
    {
      fs::permissions(file, existing.permissions(), error); // not possible on some file systems
    }
    fs::rename(file, target, error);
    if (error)
    {
      throw Failure(target.string() + ": cannot be written: " + error.message());
    }
  }
}

std::unique_ptr<Workshop>
PrepareText(const std::string & file, const std::function<void(std::ostream &)> & write)
{
  auto workshop = std::make_unique<Workshop>(file);
  errno = 0;
  std::ofstream stream(workshop->GetFile(), std::ios::binary);
  write(stream);
  stream.close();
  if (!stream)
  {
    const std::string reason = errno != 0 ? std::generic_category().message(errno) : "unknown error";
    throw Failure(file + ": cannot be written: " + reason);
  }
  return workshop;
}
