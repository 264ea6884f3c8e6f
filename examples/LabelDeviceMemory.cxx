// SPDX-License-Identifier: Apache-2.0

// Uses the engine without ITK images: it labels a mask in device memory, and the labels stay in device memory.

#include "itkCudaConnectedComponentLabeler.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

namespace
{

using View = itk::CudaConnectedComponentImageView;

void
Check(cudaError_t error)
{
  if (error != cudaSuccess)
  {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

template <typename T>
std::unique_ptr<T, cudaError_t (*)(void *)>
AllocateDevice(std::size_t count)
{
  void * memory = nullptr;
  Check(cudaMalloc(&memory, count * sizeof(T)));
  return { static_cast<T *>(memory), cudaFree };
}

} // namespace

int
main()
{
  try
  {
    itk::CudaConnectedComponentLabeler labeler;
    labeler.RequireDevice();

    // Two objects in a volume: a bar of 100 x 2 x 2 pixels, and two rows of 100 pixels that share only edges.
    const itk::CudaConnectedComponentLabeler::SizeType size{ 128, 64, 32 };
    std::vector<std::uint8_t>                          mask(128 * 64 * 32, 0);
    for (std::size_t x = 10; x < 110; ++x)
    {
      for (const std::size_t row : { 5 + 64 * 3, 6 + 64 * 3, 5 + 64 * 4, 6 + 64 * 4, 50 + 64 * 20, 51 + 64 * 21 })
      {
        mask[x + 128 * row] = 1;
      }
    }
    const auto deviceMask = AllocateDevice<std::uint8_t>(mask.size());
    const auto deviceLabels = AllocateDevice<std::uint32_t>(mask.size());
    Check(cudaMemcpy(deviceMask.get(), mask.data(), mask.size(), cudaMemcpyHostToDevice));

    labeler.options.fullyConnected = true;
    const std::uint64_t objects =
      labeler.Label(View::OnDevice(deviceMask.get(), size), View::OnDevice(deviceLabels.get(), size));

    std::cout << objects << " objects\n";
    return objects == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::CudaConnectedComponentError & error)
  {
    // The tests count status 77 as skipped.
    std::cout << "skipped: " << error.what() << '\n';
    return error.GetKind() == itk::CudaConnectedComponentError::KindEnum::Unavailable ? 77 : EXIT_FAILURE;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
