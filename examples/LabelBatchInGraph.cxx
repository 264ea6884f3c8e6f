// SPDX-License-Identifier: Apache-2.0

// Finds the largest object above a threshold in each image of a batch, in a CUDA graph on a stream. A program that gets
// images again and again captures the work once. Each launch of the graph works on the present images, without waiting.

#include "itkCudaConnectedComponentLabeler.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
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

/** Destroys a stream or a graph. */
template <typename T>
using OwnerOf = std::unique_ptr<std::remove_pointer_t<T>, cudaError_t (*)(T)>;

/** Makes images with two bright bars each. The bar of `length` pixels is the longer one. */
std::vector<float>
MakeImages(const View::SizeType & size, std::size_t images, std::size_t length)
{
  const std::size_t  pixels = size[0] * size[1] * size[2];
  std::vector<float> values(pixels * images, 100.0F);
  for (std::size_t image = 0; image < images; ++image)
  {
    for (std::size_t x = 0; x < length; ++x)
    {
      values[image * pixels + 10 + x] = 250.0F;
      if (x > image) // the other bar, in another slice
      {
        values[(image + 1) * pixels - 10 - x] = 250.0F;
      }
    }
  }
  return values;
}

} // namespace

int
main()
{
  try
  {
    itk::CudaConnectedComponentLabeler labeler;
    labeler.RequireDevice();
    const View::SizeType size{ 96, 96, 96 };
    const std::size_t    images = 4;
    const std::size_t    pixels = 96 * 96 * 96 * images;
    const auto           deviceImages = AllocateDevice<float>(pixels);
    const auto           deviceLabels = AllocateDevice<std::uint32_t>(pixels);
    const auto           deviceSizes = AllocateDevice<std::uint64_t>(images);
    const auto           status = AllocateDevice<itk::CudaConnectedComponentStatus>(1);

    cudaStream_t stream{};
    Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const OwnerOf<cudaStream_t> streamOwner(stream, cudaStreamDestroy);

    labeler.options.stream = stream;
    labeler.options.foreground =
      itk::CudaConnectedComponentForeground::Between(200.0, std::numeric_limits<double>::infinity());
    labeler.options.selection.numberOfLargest = 1; // of each image

    itk::CudaConnectedComponentDeviceCall call;
    call.input = View::OnDevice(deviceImages.get(), size).Batch(images);
    call.output = View::OnDevice(deviceLabels.get(), size).Batch(images);
    call.status = status.get();
    call.table.rows = images;
    call.table.pixelCounts = deviceSizes.get();

    // The workspace and all arrays must exist as long as the graph.
    const std::uint64_t bytes = labeler.GetWorkspaceSize(call);
    const auto          workspace = AllocateDevice<unsigned char>(bytes);
    labeler.Prepare(call); // kernels cannot be loaded during the capture
    cudaGraph_t     graph{};
    cudaGraphExec_t launchable{};
    Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    labeler.Enqueue(call, workspace.get(), bytes);
    Check(cudaStreamEndCapture(stream, &graph));
    const OwnerOf<cudaGraph_t> graphOwner(graph, cudaGraphDestroy);
    Check(cudaGraphInstantiate(&launchable, graph, 0));
    const OwnerOf<cudaGraphExec_t> launchableOwner(launchable, cudaGraphExecDestroy);

    bool isRight = true;
    for (const std::size_t length : { 30, 50, 70 })
    {
      const std::vector<float> hostImages = MakeImages(size, images, length);
      Check(
        cudaMemcpyAsync(deviceImages.get(), hostImages.data(), pixels * sizeof(float), cudaMemcpyHostToDevice, stream));
      Check(cudaGraphLaunch(launchable, stream));
      // More work on the labels could follow here. The host waits to print.
      std::vector<std::uint64_t>        sizes(images);
      itk::CudaConnectedComponentStatus result;
      Check(cudaMemcpyAsync(sizes.data(), deviceSizes.get(), images * 8, cudaMemcpyDeviceToHost, stream));
      Check(cudaMemcpyAsync(&result, status.get(), sizeof(result), cudaMemcpyDeviceToHost, stream));
      Check(cudaStreamSynchronize(stream));
      std::cout << result.originalComponentCount << " objects; the largest of each image has";
      for (const std::uint64_t largest : sizes)
      {
        std::cout << ' ' << largest;
      }
      std::cout << " pixels\n";
      isRight = isRight && result.problems == 0 && result.componentCount == images &&
                result.originalComponentCount == 2 * images && sizes == std::vector<std::uint64_t>(images, length);
    }
    return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::CudaConnectedComponentError & error)
  {
    // The tests count status 77 as skipped.
    std::cerr << error.what() << '\n';
    return error.GetKind() == itk::CudaConnectedComponentError::KindEnum::Unavailable ? 77 : EXIT_FAILURE;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
