// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_RelabelComponentMembers_h
#define CudaConnectedComponentsDetail_RelabelComponentMembers_h

// RelabelComponentImageFilter::GetSizeOfObjectInPixels() and GetSizeOfObjectInPhysicalUnits() are not virtual, and read
// the private number of objects. A program that holds a CudaRelabelComponentImageFilter by a pointer to the superclass
// calls these functions. So the filter must write private members of its superclass.
//
// The C++ standard allows private names in the arguments of an explicit instantiation. Only a source file for one type
// can have an explicit instantiation, so the generic filter cannot. It reads the pointers here, and writes the members
// if the pointers are known.

#include "itkIntTypes.h"
#include "itkMacro.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Pointers to private members of a RelabelComponentImageFilter. They are null if no source file has published them.
 * The struct has the visibility of the filter, so that a program and this library share the pointers if they share the
 * filter's functions. */
template <typename TFilter>
struct ITK_TEMPLATE_EXPORT RelabelComponentMembers
{
  /** A pointer to a member of the filter. */
  using PointerType = SizeValueType TFilter::*;

  static inline PointerType numberOfObjects = nullptr;
  static inline PointerType originalNumberOfObjects = nullptr;
};

/** Defines the function PublishRelabelComponentMembers() for a filter, which sets the pointers. A source file declares
 * the function, instantiates this template explicitly, and calls the function. No static initializer sets the pointers,
 * because a linker leaves out the initializers of a static library's unused objects. */
template <typename TFilter,
          SizeValueType TFilter::* VNumberOfObjects,
          SizeValueType TFilter::* VOriginalNumberOfObjects>
struct RelabelComponentMembersPublisher
{
  friend void
  PublishRelabelComponentMembers(RelabelComponentMembers<TFilter> *)
  {
    using MembersType = RelabelComponentMembers<TFilter>;
    // Filters on other threads may read the pointers when a second factory is created.
    if (MembersType::numberOfObjects == nullptr)
    {
      MembersType::numberOfObjects = VNumberOfObjects;
      MembersType::originalNumberOfObjects = VOriginalNumberOfObjects;
    }
  }
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
