// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentError_h
#define itkCudaConnectedComponentError_h

#include "CudaConnectedComponentsExport.h"
#include "itkCudaConnectedComponentsEnums.h"

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
  /** The causes of errors. */
  using KindEnum = CudaConnectedComponentsEnums::ErrorKind;
  /** The old name of KindEnum. */
  using Kind [[deprecated("use KindEnum")]] = KindEnum;

  /** Creates an exception.
   * \param kind the cause
   * \param message the text that what() returns */
  CudaConnectedComponentError(KindEnum kind, const std::string & message);

  /** Destroys the exception. */
  ~CudaConnectedComponentError() override;

  /** Returns the cause.
   * \return the value that the constructor got */
  KindEnum GetKind() const noexcept { return m_Kind; }

private:
  KindEnum m_Kind;
};

} // namespace itk

#endif
