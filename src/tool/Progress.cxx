// SPDX-License-Identifier: Apache-2.0
#include "Progress.h"

#include "itkCommand.h"

#include <chrono>
#include <cstdio>

#include <unistd.h>

Progress::Progress(const std::string & stage, bool isShown)
  : m_Stage(stage)
{
  if (isShown && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0)
  {
    m_Thread = std::thread([this] { this->Show(); });
  }
}

Progress::~Progress()
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_IsFinished = true;
  }
  m_Finished.notify_all();
  if (m_Thread.joinable())
  {
    m_Thread.join();
  }
}

void
Progress::Observe(itk::ProcessObject * process)
{
  process->AddObserver(itk::ProgressEvent(),
                       [this, process](const itk::EventObject &) { m_Share = process->GetProgress(); });
}

void
Progress::Show()
{
  const auto                   start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(m_Mutex);
  if (m_Finished.wait_for(lock, std::chrono::seconds(1), [this] { return m_IsFinished; }))
  {
    return;
  }
  do
  {
    const auto  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const float share = m_Share;
    if (share > 0.0F && share < 1.0F)
    {
      std::fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s", m_Stage.c_str(), 100.0 * static_cast<double>(share), seconds);
    }
    else
    {
      std::fprintf(stderr, "\r\033[K%s: %.0f s", m_Stage.c_str(), seconds);
    }
    std::fflush(stderr);
  } while (!m_Finished.wait_for(lock, std::chrono::milliseconds(200), [this] { return m_IsFinished; }));
  std::fputs("\r\033[K", stderr);
}
