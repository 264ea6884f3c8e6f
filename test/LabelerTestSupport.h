// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_LabelerTestSupport_h
#define ccl_test_LabelerTestSupport_h

#include "CudaTestSupport.h"
#include "Oracle.h"

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <gtest/gtest.h>

using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
using KindEnum = CudaConnectedComponentError::KindEnum;

/** Expects that function() throws a CudaConnectedComponentError of this kind, with `part` in its message. */
template <typename TFunction>
void
ExpectError(KindEnum kind, const std::string & part, const TFunction & function)
{
  try
  {
    function();
    ADD_FAILURE() << "no exception was thrown";
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(static_cast<int>(error.GetKind()), static_cast<int>(kind)) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

#endif
