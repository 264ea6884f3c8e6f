// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentAlgorithms_h
#define itkCudaConnectedComponentAlgorithms_h

#include "itkCudaConnectedComponentsEnums.h"

#include <vector>

namespace itk
{

/** \class CudaConnectedComponentAlgorithms
 * \brief The table of algorithms. All functions are safe to call from several threads, also at the end of the process.
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentAlgorithms
{
public:
  /** One row of the table. */
  using Description = CudaConnectedComponentsEnums::AlgorithmDescription;

  /** Returns all rows.
   * \return one row for each value of CudaConnectedComponentsEnums::Algorithm */
  static const std::vector<Description> & GetAll();

  /** Returns the row of an algorithm.
   * \param algorithm a value of CudaConnectedComponentsEnums::Algorithm
   * \return the row of the algorithm, or the row of Automatic if the number is not a value */
  static const Description & Describe(CudaConnectedComponentsEnums::Algorithm algorithm);
};

} // namespace itk

#endif
