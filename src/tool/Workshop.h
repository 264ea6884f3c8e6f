// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Workshop_h
#define ccl_tool_Workshop_h

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

/** A temporary folder next to an output file. The output is written there, in one or more files, and moved when it is
 * complete. If the output file is a symbolic link, its target is written, and the link stays. A file that exists
 * keeps its permissions. The destructor deletes the folder. At one time, a file has one workshop at most. */
class Workshop
{
public:
  explicit Workshop(const std::string & file);
  ~Workshop();
  Workshop(const Workshop &) = delete;
  Workshop &
  operator=(const Workshop &) = delete;

  /** Returns the path of the file in the temporary folder. */
  const std::string &
  GetFile() const
  {
    return m_File;
  }

  /** Moves all files of workshops to the folders of their output files. A signal ends the program before or after.
   * Throws Failure. */
  static void
  Deliver(const std::vector<std::unique_ptr<Workshop>> & workshops);

  std::vector<std::string> hints; // what the user should know about the file

private:
  void
  MoveFiles() const;

  std::string m_Target; // the output file
  std::string m_Folder; // temporary
  std::string m_File;   // in m_Folder
};

/** Writes a text file in a workshop. Deliver() of the result moves it to the file. Throws Failure. */
std::unique_ptr<Workshop>
PrepareText(const std::string & file, const std::function<void(std::ostream &)> & write);

/** Deletes the temporary folders before SIGINT, SIGTERM or SIGHUP ends the program, or a library aborts or crashes it.
 * A file that becomes too large, and a standard output that closes, are errors without a signal. Call it before the
 * program starts threads. */
void
DeleteWorkshopsOnSignals();

#endif
