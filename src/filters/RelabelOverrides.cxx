// SPDX-License-Identifier: Apache-2.0

// The overrides of RelabelComponentImageFilter, for each pair of RelabeledTypes in 2D and 3D.

#include "filters/OverriddenTypes.h"

#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"

namespace itk
{

namespace CudaConnectedComponentsDetail
{

template <std::size_t VPair, unsigned int VDimension>
using RelabelFilter = RelabelComponentImageFilter<
  Image<typename std::tuple_element_t<VPair, ccl::RelabeledTypes>::first_type, VDimension>,
  Image<typename std::tuple_element_t<VPair, ccl::RelabeledTypes>::second_type, VDimension>>;

// An explicit instantiation may name private members.
#define CCL_PUBLISH(pair, dimension)                                                                   \
  void PublishRelabelComponentMembers(RelabelComponentMembers<RelabelFilter<pair, dimension>> *);      \
  template struct RelabelComponentMembersPublisher<RelabelFilter<pair, dimension>,                     \
                                                   &RelabelFilter<pair, dimension>::m_NumberOfObjects, \
                                                   &RelabelFilter<pair, dimension>::m_OriginalNumberOfObjects>
#define CCL_PUBLISH_PAIR(pair) \
  CCL_PUBLISH(pair, 2);        \
  CCL_PUBLISH(pair, 3)

CCL_PUBLISH_PAIR(0);
CCL_PUBLISH_PAIR(1);
CCL_PUBLISH_PAIR(2);
CCL_PUBLISH_PAIR(3);
CCL_PUBLISH_PAIR(4);
#ifndef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
CCL_PUBLISH_PAIR(5);
CCL_PUBLISH_PAIR(6);
CCL_PUBLISH_PAIR(7);
CCL_PUBLISH_PAIR(8);
CCL_PUBLISH_PAIR(9);
CCL_PUBLISH_PAIR(10);
CCL_PUBLISH_PAIR(11);
static_assert(ccl::RelabeledCount == 12, "a line for each pair");
#endif

#undef CCL_PUBLISH_PAIR
#undef CCL_PUBLISH

} // namespace CudaConnectedComponentsDetail

namespace ccl
{

/** A friend of the factory. */
struct RelabelOverrides
{
  template <std::size_t VPair, unsigned int VDimension>
  static void
  Add(CudaConnectedComponentsFactory & factory)
  {
    using namespace CudaConnectedComponentsDetail;
    using FilterType = RelabelFilter<VPair, VDimension>;
    factory.AddRelabelOverride<typename FilterType::InputImageType, typename FilterType::OutputImageType>();
    PublishRelabelComponentMembers(static_cast<RelabelComponentMembers<FilterType> *>(nullptr));
  }

  template <std::size_t... VPairs>
  static void
  AddAll(CudaConnectedComponentsFactory & factory, std::index_sequence<VPairs...>)
  {
    (Add<VPairs, 2>(factory), ...);
    (Add<VPairs, 3>(factory), ...);
  }
};

void
AddRelabelOverrides(CudaConnectedComponentsFactory & factory)
{
  RelabelOverrides::AddAll(factory, std::make_index_sequence<RelabeledCount>());
}

} // namespace ccl
} // namespace itk
