// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Failure_h
#define ccl_tool_Failure_h

#include <stdexcept>
#include <string>

namespace itk
{
class ExceptionObject;
}

/** An error that ends the program. what() is a message for the user. */
class Failure : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/** Throws Failure if a condition is true. */
inline void
RefuseIf(bool condition, const std::string & message)
{
  if (condition)
  {
    throw Failure(message);
  }
}

/** Returns the message of an ITK exception in one line, without the name and address of the ITK object, and with the
 * options of the tool instead of the settings of the filters. */
std::string
Sentence(const itk::ExceptionObject & exception);

#endif
