// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentError_h
#define itkCudaConnectedComponentError_h

#include "CudaConnectedComponentsExport.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace itk
{

/** \class CudaConnectedComponentError
 * \brief The exception of CudaConnectedComponentLabeler. The message is a sentence that says what was wrong. For an
 * error of CUDA, the message contains CUDA's own message and the place in the source code.
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentError : public std::runtime_error
{
public:
  /** \class Kind
   * \ingroup CudaConnectedComponents
   * The cause of the error. */
  enum class Kind : uint8_t
  {
    /** There is no CUDA device, no driver, or no CUDA in this build. */
    Unavailable,
    /** The device or the host has too little memory. */
    Memory,
    /** An argument or an option is invalid. */
    InvalidArgument,
    /** The output's pixel type has fewer labels than the image has objects. */
    TooManyObjects,
    /** Any other error of a CUDA call. */
    Cuda
  };

  /** Makes an exception.
   * \param kind the cause
   * \param message the sentence that what() returns */
  CudaConnectedComponentError(Kind kind, const std::string & message);
  ~CudaConnectedComponentError() override;

  /** Returns the cause. */
  Kind GetKind() const noexcept { return m_Kind; }

private:
  Kind m_Kind;
};

} // namespace itk

#endif
