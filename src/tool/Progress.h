// SPDX-License-Identifier: Apache-2.0
#ifndef Progress_h
#define Progress_h

#include "itkProcessObject.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/** Shows on the terminal how far a stage of the work is, from its second second on, and leaves no trace in the end. */
class Progress
{
public:
  /** Shows nothing unless `isShown` and standard output and error are both terminals. */
  Progress(const std::string & stage, bool isShown);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &
  operator=(const Progress &) = delete;

  /** Takes the share of the work that is done from a filter; without one, the time that has passed is all it shows. */
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
