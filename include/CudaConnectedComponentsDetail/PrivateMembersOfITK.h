// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_PrivateMembersOfITK_h
#define CudaConnectedComponentsDetail_PrivateMembersOfITK_h

// Writes private members of ITK's filters. A program that holds a filter of this module by a pointer to ITK's class
// calls functions of ITK's class, which read these members. The patches in doc/upstream/ would make this file needless.

#include "itkIndent.h"
#include "itkIntTypes.h"
#include "itkMacro.h"

#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Returns the member of a filter to which a function of the filter returns a constant reference. The member is not
 * constant, so it may be changed. */
template <typename T>
T &
MemberBehind(const T & reference)
{
  return const_cast<T &>(reference);
}

/** A function that returns a copy does not compile. A change of the copy would be lost. */
template <typename T>
T &
MemberBehind(const T && copy) = delete;

/** Pointers to the private numbers of objects of a RelabelComponentImageFilter. They are null if no source file has
 * published them. The functions of the filter return copies of the numbers, and GetSizeOfObjectInPixels() and
 * GetSizeOfObjectInPhysicalUnits(), which are not virtual, read one of them.
 *
 * The C++ standard allows private names in the arguments of an explicit instantiation. Only a source file for one type
 * can have an explicit instantiation, so the generic filter cannot. It reads the pointers here, and writes the members
 * if the pointers are known.
 *
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

/** Gives a stream the format of another one. std::ostream::copyfmt() would also copy which errors are exceptions. */
inline void
CopyFormat(std::ostream & stream, const std::ostream & from)
{
  stream.flags(from.flags());
  stream.precision(from.precision());
  stream.imbue(from.getloc());
}

/** Prints the text that PrintSelf() of a filter of ITK has written, with other values of private members, which are
 * wrong if nobody can write them.
 * \param indent the indentation of the lines
 * \param values the names, and the values as texts */
inline void
PrintWithValues(std::ostream &                                           os,
                std::stringstream &                                      text,
                Indent                                                   indent,
                const std::vector<std::pair<std::string, std::string>> & values)
{
  std::ostringstream beginning;
  beginning << indent;
  for (std::string line; std::getline(text, line);)
  {
    for (const auto & value : values)
    {
      const std::string name = beginning.str() + value.first + ": ";
      if (line.compare(0, name.size(), name) == 0)
      {
        line = name + value.second;
      }
    }
    os << line << '\n';
  }
}

/** Returns a value as a stream prints it. */
template <typename T>
std::string
PrintedAs(const std::ostream & os, const T & value)
{
  std::ostringstream text;
  CopyFormat(text, os);
  text << value;
  return text.str();
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
