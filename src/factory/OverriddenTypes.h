// SPDX-License-Identifier: Apache-2.0
#ifndef OverriddenTypes_h
#define OverriddenTypes_h

// The pixel types for which the factory replaces ITK's filter: the one place that lists them. Overrides.cxx.in is
// compiled once for each input type, so that no compiler's run is long.

#include "itkCudaConnectedComponentImageFilterFactory.h"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace itk::ccl
{

/** Inputs that are labeled into each of OverriddenOutputs, and, if integers, into their own type. */
using OverriddenInputs = std::tuple<unsigned char, signed char, unsigned short, short, unsigned int, int, float>;

using OverriddenOutputs = std::tuple<short, unsigned short, int, unsigned int, unsigned long>;

/** Inputs that are labeled into their own type alone. */
using OverriddenSelves = std::tuple<char, long, unsigned long, long long, unsigned long long>;

constexpr std::size_t OverriddenInputCount = std::tuple_size_v<OverriddenInputs> + std::tuple_size_v<OverriddenSelves>;

/** Adds the overrides for one input type, by its number in OverriddenInputs and then OverriddenSelves. */
template <std::size_t VInput>
void
AddOverrides(CudaConnectedComponentImageFilterFactory & factory);

/** The overrides for an input and an output, in 2D and 3D, for masks of the input's type and of unsigned char. */
template <typename TInput, typename TOutput>
void
AddOverridesFor(CudaConnectedComponentImageFilterFactory & factory)
{
  factory.AddOverride<Image<TInput, 2>, Image<TOutput, 2>>();
  factory.AddOverride<Image<TInput, 3>, Image<TOutput, 3>>();
  if constexpr (!std::is_same_v<TInput, unsigned char>)
  {
    factory.AddOverride<Image<TInput, 2>, Image<TOutput, 2>, Image<unsigned char, 2>>();
    factory.AddOverride<Image<TInput, 3>, Image<TOutput, 3>, Image<unsigned char, 3>>();
  }
}

template <typename TInput, typename... TOutputs>
void
AddOverridesToAll(CudaConnectedComponentImageFilterFactory & factory, const std::tuple<TOutputs...> *)
{
  (AddOverridesFor<TInput, TOutputs>(factory), ...);
  if constexpr (std::is_integral_v<TInput> && !(std::is_same_v<TInput, TOutputs> || ...))
  {
    AddOverridesFor<TInput, TInput>(factory);
  }
}

} // namespace itk::ccl

#endif
