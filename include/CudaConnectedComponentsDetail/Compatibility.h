// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_Compatibility_h
#define CudaConnectedComponentsDetail_Compatibility_h

#include "itkMacro.h"

// Bridges what differs between ITK 5.2 and 6.0.

// ITK 5.3 brought this macro, which ITK 6 wants in place of itkTypeMacro.
#ifdef itkOverrideGetNameOfClassMacro
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

#endif
