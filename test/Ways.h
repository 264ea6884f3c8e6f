// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_Ways_h
#define ccl_test_Ways_h

// The ways to label an image without ITK images. Some tests run for each of them.

#include "CudaTestSupport.h"
#include "Oracle.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <string>
#include <vector>

enum class Way
{
  HostSequential, // HostExecutor on one thread
  HostThreads,    // HostExecutor on several threads
  HostVolume,     // HostExecutor on one thread; a plane is labeled as a volume of one plane
  Host64Bit,      // HostExecutor on one thread, with 64-bit run indices and labels
  DeviceToDevice, // Label() of device memory
  HostToHost      // Label() of host memory
};

std::string
NameOf(Way way);

/** Returns the reason why this machine cannot label an image in this way, or an empty string if it can. */
std::string
ReasonToSkip(Way way);

/** An algorithm and its options. */
struct Method
{
  itk::CudaConnectedComponentsEnums::Algorithm algorithm;
  bool                                         fullyConnected;
  bool                                         inlineCompression;
};

std::string
NameOf(const Method & method);

/** Returns every algorithm with each of its options. Automatic is left out for HostExecutor, because Automatic only
 * chooses between the other algorithms. */
std::vector<Method>
MethodsOf(Way way);

/** Labels an image in one way with one method. */
Labels
LabelBy(Way way, const Method & method, const TestImage & image);

#endif
