// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_Compatibility_h
#define CudaConnectedComponentsDetail_Compatibility_h

// Hides the differences between ITK 5.2 and ITK 6.0.

#include "itkMacro.h"

// ITK 5.3 and later have itkOverrideGetNameOfClassMacro. ITK 6 requires it instead of itkTypeMacro.
#ifdef itkOverrideGetNameOfClassMacro
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

#endif
