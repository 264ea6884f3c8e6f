// SPDX-License-Identifier: Apache-2.0

// Uses the engine without ITK images, in host memory: fills the small holes of a mask, and measures the objects.

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

int
main()
{
  using View = itk::CudaConnectedComponentImageView;
  using BorderEnum = itk::CudaConnectedComponentSelection::BorderEnum;
  try
  {
    // A square of 40 x 40 pixels in a plane, with a hole of 2 x 2 pixels and a hole of 10 x 10 pixels.
    const View::SizeType      size{ 64, 48, 1 };
    std::vector<std::uint8_t> mask(64 * 48, 0);
    const auto                fillSquare = [&mask](std::size_t first, std::size_t length, std::uint8_t value) {
      for (std::size_t y = first; y < first + length; ++y)
      {
        for (std::size_t x = first; x < first + length; ++x)
        {
          mask[x + 64 * y] = value;
        }
      }
    };
    fillSquare(4, 40, 1);
    fillSquare(8, 2, 0);
    fillSquare(20, 10, 0);
    const View view = View::Of(mask.data(), size);

    // A hole is a component of the background that does not touch the border. The background has 8 neighbors, because
    // the objects have 4.
    itk::CudaConnectedComponentLabeler fill;
    fill.options.onHost = true; // the CPU does the work, also if there is a GPU
    fill.options.complement = true;
    fill.options.fullyConnected = true;
    fill.options.selection.border = BorderEnum::NotTouching;
    fill.options.selection.maximumSize = 50;
    fill.Fill(view, view, 1);

    itk::CudaConnectedComponentLabeler measure;
    measure.options.onHost = true;
    measure.options.columns.boundingBoxes = true;
    const itk::CudaConnectedComponentTable table = measure.Measure(view);
    for (std::uint64_t i = 0; i < table.componentCount; ++i)
    {
      std::cout << table.pixelCounts[i] << " pixels from x " << table.minimums[0][i] << " to " << table.maximums[0][i]
                << '\n';
    }
    return table.componentCount == 1 && table.pixelCounts[0] == 1500 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
