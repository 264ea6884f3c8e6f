// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_programs_ProgramTest_h
#define ccl_test_programs_ProgramTest_h

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

/** What a run of a program left behind. */
struct Outcome
{
  int         status; // -1 where it crashed
  std::string printed;
  std::string errors;
};

/** A test that runs programs in a folder of its own. */
class ProgramTest : public testing::Test
{
protected:
  void
  SetUp() override
  {
    const testing::TestInfo * const test = testing::UnitTest::GetInstance()->current_test_info();
    m_Folder = std::filesystem::path(testing::TempDir()) / (std::string(test->test_suite_name()) + "-" + test->name() +
                                                            "-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(m_Folder);
  }

  void
  TearDown() override
  {
    std::error_code ignored;
    std::filesystem::permissions(m_Folder, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(m_Folder, ignored);
  }

  /** The path of a file in the test's folder. */
  std::string
  File(const std::string & name) const
  {
    return (m_Folder / name).string();
  }

  static std::string
  ReadText(const std::filesystem::path & file)
  {
    std::ifstream      stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  /** Runs a command line of the shell in the test's folder. */
  Outcome
  Run(const std::string & commandLine) const
  {
    const std::string printed = m_Folder.string() + ".out";
    const std::string errors = m_Folder.string() + ".err";
    const std::string command =
      "cd '" + m_Folder.string() + "' && { " + commandLine + "; } >'" + printed + "' 2>'" + errors + "'";
    const int     status = std::system(command.c_str());
    const Outcome outcome{ WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadText(printed), ReadText(errors) };
    std::filesystem::remove(printed);
    std::filesystem::remove(errors);
    return outcome;
  }

  std::vector<std::string>
  ListFiles() const
  {
    std::vector<std::string> files;
    for (const auto & entry : std::filesystem::directory_iterator(m_Folder))
    {
      files.push_back(entry.path().filename().string() + ", " +
                      (entry.is_regular_file() ? std::to_string(entry.file_size()) : "folder"));
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  std::filesystem::path m_Folder;
};

#endif
