// SPDX-License-Identifier: Apache-2.0

// Times 3D Slicer's vtkITKIslandMath without and with the plug-in, in turns, in one process:
//   Islands PLUGIN THREADS RUNS [MASK...]
// Without a mask, it only times the registration. A mask is a file of one byte for each voxel of a cube. The volumes
// are unsigned int, as in Slicer's effect Islands. The times are medians. The program fails if the results differ.

#include "vtkITKIslandMath.h"
#include "vtkImageData.h"
#include "vtkNew.h"
#include "vtkSmartPointer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace
{

/** Returns the milliseconds that a call takes. */
template <typename TFunction>
double
Milliseconds(const TFunction & function)
{
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  function();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/** Returns the median. If the count is even, the greater one of the two in the middle. */
double
Median(std::vector<double> values)
{
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/** The functions of itkCudaConnectedComponentsPlugin.h. */
class Plugin
{
public:
  explicit Plugin(const char * path)
    : m_Handle(dlopen(path, RTLD_NOW))
  {
    if (m_Handle == nullptr)
    {
      throw std::runtime_error(dlerror());
    }
  }

  void
  Register() const
  {
    Call("itkCudaConnectedComponentsRegister");
  }

  void
  Unregister() const
  {
    Call("itkCudaConnectedComponentsUnregister");
  }

private:
  template <typename TFunction>
  TFunction *
  Find(const char * name) const
  {
    void * const function = dlsym(m_Handle, name);
    if (function == nullptr)
    {
      throw std::runtime_error(dlerror());
    }
    return reinterpret_cast<TFunction *>(function);
  }

  void
  Call(const char * name) const
  {
    if (Find<int()>(name)() != 1)
    {
      throw std::runtime_error(std::string(name) + ": " +
                               Find<const char *()>("itkCudaConnectedComponentsGetLastError")());
    }
  }

  void * const m_Handle;
};

/** Reads a mask into an image of VTK. */
vtkSmartPointer<vtkImageData>
ReadMask(const char * path)
{
  std::ifstream           file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const int               edge = static_cast<int>(std::lround(std::cbrt(static_cast<double>(bytes.size()))));
  if (edge == 0 || static_cast<std::size_t>(edge) * edge * edge != bytes.size())
  {
    throw std::runtime_error(std::string(path) + " has " + std::to_string(bytes.size()) +
                             " bytes, which is no cube of at least one voxel");
  }
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(edge, edge, edge);
  image->AllocateScalars(VTK_UNSIGNED_INT, 1);
  std::transform(bytes.begin(), bytes.end(), static_cast<unsigned int *>(image->GetScalarPointer()), [](char byte) {
    return static_cast<unsigned int>(static_cast<unsigned char>(byte));
  });
  return image;
}

vtkSmartPointer<vtkITKIslandMath>
FindIslands(vtkImageData * image)
{
  auto filter = vtkSmartPointer<vtkITKIslandMath>::New();
  filter->SetInputData(image);
  filter->Update();
  return filter;
}

/** As FindIslands(), but each filter of ours prints a line with its backend. */
vtkSmartPointer<vtkITKIslandMath>
FindIslandsVerbosely(vtkImageData * image)
{
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1", 1);
  auto filter = FindIslands(image);
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE");
  return filter;
}

/** Times a mask. Returns whether the results are equal. */
bool
TimeMask(const Plugin & plugin, const char * path, int runs)
{
  const vtkSmartPointer<vtkImageData> image = ReadMask(path);
  vtkSmartPointer<vtkITKIslandMath>   without = FindIslandsVerbosely(image);
  vtkSmartPointer<vtkITKIslandMath>   with;
  plugin.Register();
  const double first = Milliseconds([&] { with = FindIslandsVerbosely(image); });
  plugin.Unregister();
  const std::size_t size = image->GetNumberOfPoints() * sizeof(unsigned int);
  const bool        areEqual =
    without->GetNumberOfIslands() == with->GetNumberOfIslands() &&
    std::memcmp(without->GetOutput()->GetScalarPointer(), with->GetOutput()->GetScalarPointer(), size) == 0;
  const unsigned long count = without->GetNumberOfIslands();

  std::vector<double> timesWithout;
  std::vector<double> timesWith;
  for (int run = 0; run < runs; ++run)
  {
    without = nullptr;
    with = nullptr;
    timesWithout.push_back(Milliseconds([&] { without = FindIslands(image); }));
    without = nullptr;
    plugin.Register();
    timesWith.push_back(Milliseconds([&] { with = FindIslands(image); }));
    plugin.Unregister();
  }
  plugin.Register();
  with = FindIslandsVerbosely(image);
  plugin.Unregister();
  std::printf(
    "%s, %d voxels in each direction, %lu islands: without %.1f ms, with %.1f ms, %.1f times as fast; first use %.1f "
    "ms%s\n",
    path,
    image->GetDimensions()[0],
    count,
    Median(timesWithout),
    Median(timesWith),
    Median(timesWithout) / Median(timesWith),
    first,
    areEqual ? "" : "; THE RESULTS DIFFER");
  std::fflush(stdout);
  return areEqual;
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc < 4)
  {
    std::fprintf(stderr, "usage: %s PLUGIN THREADS RUNS [MASK...]\n", argv[0]);
    return EXIT_FAILURE;
  }
  setenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", argv[2], 1);
  const int runs = std::max(1, std::atoi(argv[3]));
  try
  {
    const Plugin        plugin(argv[1]);
    const double        first = Milliseconds([&] { plugin.Register(); });
    std::vector<double> again;
    plugin.Unregister();
    for (int run = 0; run < runs; ++run)
    {
      again.push_back(Milliseconds([&] { plugin.Register(); }));
      plugin.Unregister();
    }
    std::printf("%s threads, medians of %d runs: register %.2f ms, register again %.2f ms\n",
                argv[2],
                runs,
                first,
                Median(again));
    bool areEqual = true;
    for (int mask = 4; mask < argc; ++mask)
    {
      areEqual = TimeMask(plugin, argv[mask], runs) && areEqual;
    }
    return areEqual ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
