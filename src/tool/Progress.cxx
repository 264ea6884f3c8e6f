// SPDX-License-Identifier: Apache-2.0
#include "Progress.h"

#include "itkCommand.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>

#include <unistd.h>

namespace
{

constexpr std::array<const char *, 3> Names{ "reading", "labeling", "writing" };

} // namespace

Progress::Progress(Stage stage, const Options & options)
  : m_Stage(stage)
  , m_IsForSlicer(!options.quiet && !options.returnParameterFile.empty())
{
  if (m_IsForSlicer)
  {
    const char * const name = Names[static_cast<std::size_t>(stage)];
    std::cout << "<filter-start>\n<filter-name>" << name << "</filter-name>\n<filter-comment>" << name
              << "</filter-comment>\n</filter-start>\n";
    this->PrintShare(0.0F);
    m_Thread = std::thread([this] { this->ShowInSlicer(); });
  }
  else if (!options.quiet && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0)
  {
    m_Thread = std::thread([this] { this->ShowOnTerminal(); });
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
  if (m_IsForSlicer)
  {
    if (std::uncaught_exceptions() == 0)
    {
      this->PrintShare(1.0F);
    }
    std::cout << "<filter-end>\n<filter-name>" << Names[static_cast<std::size_t>(m_Stage)]
              << "</filter-name>\n<filter-time>" << m_Stopwatch.Milliseconds() / 1000.0
              << "</filter-time>\n</filter-end>\n"
              << std::flush;
  }
}

void
Progress::Observe(itk::ProcessObject * process)
{
  process->AddObserver(itk::ProgressEvent(),
                       [this, process](const itk::EventObject &) { m_Share = process->GetProgress(); });
}

bool
Progress::IsOver(std::chrono::milliseconds duration)
{
  std::unique_lock<std::mutex> lock(m_Mutex);
  return m_Finished.wait_for(lock, duration, [this] { return m_IsFinished; });
}

void
Progress::ShowOnTerminal()
{
  if (this->IsOver(std::chrono::seconds(1)))
  {
    return;
  }
  do
  {
    const char * const name = Names[static_cast<std::size_t>(m_Stage)];
    const double       seconds = m_Stopwatch.Milliseconds() / 1000.0;
    const float        share = m_Share;
    if (share > 0.0F && share < 1.0F)
    {
      std::fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s", name, 100.0 * static_cast<double>(share), seconds);
    }
    else
    {
      std::fprintf(stderr, "\r\033[K%s: %.0f s", name, seconds);
    }
    std::fflush(stderr);
  } while (!this->IsOver(std::chrono::milliseconds(200)));
  std::fputs("\r\033[K", stderr);
}

void
Progress::ShowInSlicer()
{
  float shown = 0.0F;
  while (!this->IsOver(std::chrono::milliseconds(100)))
  {
    if (const float share = m_Share; share != shown)
    {
      this->PrintShare(share);
      shown = share;
    }
  }
}

void
Progress::PrintShare(float share) const
{
  std::cout << "<filter-progress>" << (static_cast<float>(m_Stage) + share) / static_cast<float>(Names.size())
            << "</filter-progress>\n<filter-stage-progress>" << share << "</filter-stage-progress>\n"
            << std::flush;
}
