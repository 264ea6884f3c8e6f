// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_FilterMacros_h
#define CudaConnectedComponentsDetail_FilterMacros_h

#include "itkMacro.h"

// ITK 5.3 and later have itkOverrideGetNameOfClassMacro. ITK 6 requires it instead of itkTypeMacro.
#ifdef itkOverrideGetNameOfClassMacro
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkCudaConnectedComponentsNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

// Defines the functions of a setting: Set and Get. The member may be part of a struct. The functions of itkSetMacro()
// are virtual, so each of the hundreds of overrides would have a copy of them.
#define itkCudaConnectedComponentsSettingMacro(name, type, member) \
  void Set##name(type value) { this->SetMember(member, value); }   \
  type Get##name() const { return member; }

// Defines the functions of a setting that is true or false: Set, Get, On and Off.
#define itkCudaConnectedComponentsBooleanSettingMacro(name, member)                                     \
  itkCudaConnectedComponentsSettingMacro(name, bool, member) void name##On() { this->Set##name(true); } \
  void                                                            name##Off() { this->Set##name(false); }

#endif
