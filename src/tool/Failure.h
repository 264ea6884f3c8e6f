// SPDX-License-Identifier: Apache-2.0
#ifndef Failure_h
#define Failure_h

#include "itkMacro.h"

#include <stdexcept>
#include <string>

/** A sentence for the user that ends the program. */
class Failure : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/** What an exception of ITK says, in one line and without where in ITK it was thrown. */
std::string
Sentence(const itk::ExceptionObject & exception);

#endif
