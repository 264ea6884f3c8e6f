// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_Ways_h
#define ccl_test_Ways_h

// The ways in which an image can be labeled without an ITK image, for tests that must hold for all of them.

#include "CudaTestSupport.h"
#include "Oracle.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <string>
#include <vector>

enum class Way
{
  HostSteps,   // the steps that the kernels call, one after the other
  HostThreads, // the same on several threads at once
  HostVolume,  // the same, planes as volumes of one plane
  HostWide,    // the same with 64-bit labels
  DeviceToDevice,
  HostToHost
};

std::string
NameOf(Way way);

/** Empty where the way can be gone here, else what is missing. */
std::string
WhyNot(Way way);

/** An algorithm and its options. */
struct Method
{
  itk::CudaConnectedComponentsEnums::Algorithm algorithm;
  bool                                         fullyConnected;
  bool                                         inlineCompression;
};

std::string
NameOf(const Method & method);

/** Every algorithm with every option that it has; on the host without Automatic, which decides between the others. */
std::vector<Method>
MethodsOf(Way way);

Labels
LabelBy(Way way, const Method & method, const TestImage & image);

#endif
