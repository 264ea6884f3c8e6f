// SPDX-License-Identifier: Apache-2.0

// Labels a small plane by the engine. The exit status is 0 if the number of components is right.

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <cstdio>

int
main()
{
  using View = itk::CudaConnectedComponentImageView;

  const std::uint8_t                 mask[] = { 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0 };
  std::uint32_t                      labels[12] = {};
  const View::SizeType               size{ 4, 3, 1 };
  itk::CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  const std::uint64_t count = labeler.Label(View::Of(mask, size), View::Of(labels, size));
  std::printf("%d components\n", static_cast<int>(count));
  return count == 2 ? 0 : 1;
}
