// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Progress_h
#define ccl_tool_Progress_h

#include "Options.h"
#include "Stopwatch.h"

#include "itkProcessObject.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

/** The stages of the work, in their order. */
enum class Stage
{
  Reading,
  Labeling,
  Writing
};

/** Shows the progress of a stage of the work: on the terminal after 1 s, and erases it at the end of the stage; or for
 * 3D Slicer, in the elements that it reads from standard output. */
class Progress
{
public:
  /** Shows nothing if the options ask for silence, or if the caller is not 3D Slicer and standard output or standard
   * error is not a terminal. */
  Progress(Stage stage, const Options & options);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &
  operator=(const Progress &) = delete;

  /** Shows the percentage that a filter reports, next to the elapsed time. Without a filter, only the time is shown. */
  void
  Observe(itk::ProcessObject * process);

private:
  /** Waits. Returns whether the stage has ended. */
  bool
  IsOver(std::chrono::milliseconds duration);

  void
  ShowOnTerminal();
  void
  ShowInSlicer();

  /** Prints the progress of the whole work for 3D Slicer. */
  void
  PrintShare(float share) const;

  Stage                   m_Stage;
  bool                    m_IsForSlicer;
  Stopwatch               m_Stopwatch;
  std::atomic<float>      m_Share{ 0.0F };
  std::mutex              m_Mutex;
  std::condition_variable m_Finished;
  bool                    m_IsFinished = false;
  std::thread             m_Thread;
};

#endif
