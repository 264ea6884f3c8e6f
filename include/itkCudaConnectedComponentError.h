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
 * \brief The exception of CudaConnectedComponentLabeler.
 *
 * The message describes the error. For an error of CUDA, the message contains CUDA's own message and the location in
 * the source code.
 *
 * An exception does not change after its construction. Several threads may read the same exception. An exception owns
 * a copy of its message.
 *
 * \sa CudaConnectedComponentLabeler
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentError : public std::runtime_error
{
public:
  /** \brief The cause of an error. */
  enum class Kind : uint8_t
  {
    /** There is no such CUDA device, no suitable driver, or no CUDA in this build. Or the kernels cannot run on the
     * device. Or the process was forked from a process that used CUDA. */
    Unavailable,
    /** The device or the host has too little memory. */
    Memory,
    /** An argument or an option is invalid. */
    InvalidArgument,
    /** The image has more objects than the output's pixel type has labels. */
    TooManyObjects,
    /** Any other error of a CUDA call. */
    Cuda
  };

  /** Creates an exception.
   * \param kind the cause
   * \param message the text that what() returns */
  CudaConnectedComponentError(Kind kind, const std::string & message);

  /** Destroys the exception. */
  ~CudaConnectedComponentError() override;

  /** Returns the cause.
   * \return the value that the constructor got */
  Kind GetKind() const noexcept { return m_Kind; }

private:
  Kind m_Kind;
};

} // namespace itk

#endif
