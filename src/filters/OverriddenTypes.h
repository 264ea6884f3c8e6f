// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_filters_OverriddenTypes_h
#define ccl_filters_OverriddenTypes_h

// Lists the pixel types for which the factory replaces ITK's filters. Overrides.cxx.in is compiled once for two input
// types, because one source file with all types would take too long to compile, and LabelMapOverrides.cxx.in once for
// two types of LabelMapInputs, and ThresholdOverrides.cxx.in once for two types of ThresholdedTypes.

#include "itkCudaConnectedComponentsFactory.h"

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace itk::ccl
{

/** Whether this is a quick build, with the option CudaConnectedComponents_FEW_TYPES. */
#ifdef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
constexpr bool HasFewTypes = true;
#else
constexpr bool HasFewTypes = false;
#endif

/** The first list of types or, in a quick build, the second one. */
template <typename TAll, typename TFew>
using AllOrFew = std::conditional_t<HasFewTypes, TFew, TAll>;

/** Input types with several output types: all types of OverriddenOutputs. An integer input type also has itself as an
 * output type. */
using OverriddenInputs =
  AllOrFew<std::tuple<unsigned char, signed char, unsigned short, short, unsigned int, int, float>,
           std::tuple<unsigned char, short, float>>;

/** Output types of all OverriddenInputs. */
using OverriddenOutputs = AllOrFew<std::tuple<short, unsigned short, int, unsigned int, unsigned long>,
                                   std::tuple<short, unsigned int, unsigned long>>;

/** Input types with one output type, the type itself. */
using OverriddenSelves =
  AllOrFew<std::tuple<char, long, unsigned long, long long, unsigned long long>, std::tuple<long>>;

/** Number of input types. src/CMakeLists.txt compiles Overrides.cxx.in once for two of them. */
constexpr std::size_t OverriddenInputCount = std::tuple_size_v<OverriddenInputs> + std::tuple_size_v<OverriddenSelves>;

/** Adds the overrides for one input type. VInput is the index of the type in the list of OverriddenInputs, followed by
 * OverriddenSelves. */
template <std::size_t VInput>
void
AddOverrides(CudaConnectedComponentsFactory & factory);

/** Input and output types of RelabelComponentImageFilter. ANTs writes labels as float. */
using RelabeledTypes = AllOrFew<std::tuple<std::pair<unsigned char, unsigned char>,
                                           std::pair<short, short>,
                                           std::pair<unsigned long, float>,
                                           std::pair<long, long>,
                                           std::pair<unsigned long, unsigned long>,
                                           std::pair<char, char>,
                                           std::pair<signed char, signed char>,
                                           std::pair<unsigned short, unsigned short>,
                                           std::pair<int, int>,
                                           std::pair<unsigned int, unsigned int>,
                                           std::pair<long long, long long>,
                                           std::pair<unsigned long long, unsigned long long>>,
                                std::tuple<std::pair<unsigned char, unsigned char>,
                                           std::pair<short, short>,
                                           std::pair<unsigned long, float>,
                                           std::pair<long, long>,
                                           std::pair<unsigned long, unsigned long>>>;

/** Number of pairs. */
constexpr std::size_t RelabeledCount = std::tuple_size_v<RelabeledTypes>;

/** Adds the overrides for all pairs of RelabeledTypes, in 2D and 3D. */
void
AddRelabelOverrides(CudaConnectedComponentsFactory & factory);

/** Input types of BinaryImageToLabelMapFilter, and types of the filters from mask to mask. The integers are also the
 * input types of LabelImageToLabelMapFilter. */
using LabelMapInputs = AllOrFew<
  std::tuple<unsigned char, signed char, char, unsigned short, short, unsigned int, int, unsigned long, long, float>,
  std::tuple<unsigned char, short>>;

/** Number of types. src/CMakeLists.txt compiles LabelMapOverrides.cxx.in once for two of them. */
constexpr std::size_t LabelMapInputCount = std::tuple_size_v<LabelMapInputs>;

/** Adds the overrides for one type of LabelMapInputs, in 2D and 3D: the label maps that ITK's own filters use, with
 * four classes of objects, SimpleITK's label map, the filters from mask to mask, and the label maps of label images.
 * VInput is the index of the type. */
template <std::size_t VInput>
void
AddLabelMapOverrides(CudaConnectedComponentsFactory & factory);

/** Input types of ConnectedThresholdImageFilter, IsolatedConnectedImageFilter and
 * ThresholdMaximumConnectedComponentsImageFilter. Outputs have the same type, or unsigned char, as in SimpleITK. */
using ThresholdedTypes = AllOrFew<
  std::tuple<unsigned char, signed char, unsigned short, short, unsigned int, int, unsigned long, long, float, double>,
  std::tuple<unsigned char, short>>;

/** Number of types. src/CMakeLists.txt compiles ThresholdOverrides.cxx.in once for two of them. */
constexpr std::size_t ThresholdedTypeCount = std::tuple_size_v<ThresholdedTypes>;

/** Adds the overrides for one type of ThresholdedTypes, in 2D and 3D. VInput is the index of the type. */
template <std::size_t VInput>
void
AddThresholdOverrides(CudaConnectedComponentsFactory & factory);

/** Adds the overrides for an input type and an output type, in 2D and 3D. Masks have the input type or unsigned char.
 */
template <typename TInput, typename TOutput>
void
AddOverridesFor(CudaConnectedComponentsFactory & factory)
{
  factory.AddOverride<Image<TInput, 2>, Image<TOutput, 2>>();
  factory.AddOverride<Image<TInput, 3>, Image<TOutput, 3>>();
  if constexpr (!std::is_same_v<TInput, unsigned char>)
  {
    factory.AddOverride<Image<TInput, 2>, Image<TOutput, 2>, Image<unsigned char, 2>>();
    factory.AddOverride<Image<TInput, 3>, Image<TOutput, 3>, Image<unsigned char, 3>>();
  }
}

/** Adds the overrides for an input type and each of the output types. If the input type is an integer, also adds the
 * overrides with the same type as output. */
template <typename TInput, typename... TOutputs>
void
AddOverridesToAll(CudaConnectedComponentsFactory & factory, const std::tuple<TOutputs...> *)
{
  (AddOverridesFor<TInput, TOutputs>(factory), ...);
  if constexpr (std::is_integral_v<TInput> && !(std::is_same_v<TInput, TOutputs> || ...))
  {
    AddOverridesFor<TInput, TInput>(factory);
  }
}

} // namespace itk::ccl

#endif
