// SPDX-License-Identifier: Apache-2.0

// An example that uses the gallery: labels a small plane by each algorithm on the host, and prints the numbers of
// components. It prints lines like "KE         2015  5 3": 5 components with 4 neighbors, 3 with 8, and "-" for a
// connectivity that the algorithm does not have. It measures no times: see the benchmark's command survey.
//
// CMake builds it with the tests (-DBUILD_TESTING=ON) or the benchmark: BUILD/gallery/CompareAlgorithms.
//
// On a device, pass a DeviceExecutor and device memory instead: see test/GalleryOnDevice.cu.

#include "executors/host/HostExecutor.h"
#include "gallery/Gallery.h"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

int
main()
{
  using namespace itk::ccl;

  const std::vector<std::string> rows{ "#####..#", "#...#.#.", "#.#.##..", "#...#..#", "#####.##" };
  const Grid                     size{ rows[0].size(), rows.size() };
  std::vector<std::uint8_t>      input;
  for (const std::string & row : rows)
  {
    for (const char pixel : row)
    {
      input.push_back(pixel == '#');
    }
  }

  std::printf("%-10s %4s  components with 4 and 8 neighbors\n", "algorithm", "year");
  gallery::VisitGallery([&](auto algorithm) {
    using AlgorithmType = decltype(algorithm);
    constexpr gallery::Entry entry = AlgorithmType::Description;
    std::printf("%-10s %4d ", entry.name, entry.year);
    for (const bool fullyConnected : { false, true })
    {
      if (!gallery::Supports(entry, 2, fullyConnected))
      {
        std::printf(" -");
        continue;
      }
      std::vector<std::uint32_t> labels(input.size());
      AlgorithmType::template Label<2>(HostExecutor(), input.data(), size, fullyConnected, labels.data());
      std::set<std::uint32_t> components(labels.begin(), labels.end());
      components.erase(0);
      std::printf(" %zu", components.size());
    }
    std::printf("\n");
  });
}
