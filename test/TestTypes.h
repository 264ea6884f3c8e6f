// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_TestTypes_h
#define ccl_test_TestTypes_h

#include <gtest/gtest.h>

/** The types of a typed test: all of them or, with the option CudaConnectedComponents_FEW_TYPES, the first three. */
#ifdef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
template <typename TFirst, typename TSecond, typename TThird, typename...>
using TestTypes = testing::Types<TFirst, TSecond, TThird>;
#else
template <typename... TTypes>
using TestTypes = testing::Types<TTypes...>;
#endif

#endif
