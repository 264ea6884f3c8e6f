// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Progress_h
#define ccl_tool_Progress_h

#include "itkProcessObject.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/** Shows the progress of a stage of the work on the terminal after 1 s, and erases it at the end of the stage. */
class Progress
{
public:
  /** Shows progress only if `isShown` is true and standard output and standard error are both terminals. */
  Progress(const std::string & stage, bool isShown);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &
  operator=(const Progress &) = delete;

  /** Shows the percentage that a filter reports, next to the elapsed time. Without a filter, only the time is shown. */
  void
  Observe(itk::ProcessObject * process);

private:
  void
  Show();

  std::string             m_Stage;
  std::atomic<float>      m_Share{ 0.0F };
  std::mutex              m_Mutex;
  std::condition_variable m_Finished;
  bool                    m_IsFinished = false;
  std::thread             m_Thread;
};

#endif
