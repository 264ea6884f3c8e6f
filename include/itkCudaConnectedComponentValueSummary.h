// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentValueSummary_h
#define itkCudaConnectedComponentValueSummary_h

namespace itk
{

/** \class CudaConnectedComponentValueSummary
 * \brief A summary of the values of the pixels that are not 0, for advice to a user.
 *
 * A component joins neighbors of different values. So whoever labels an image of several values, such as one for each
 * organ, often wants to choose a value first. NaN is foreground, but no value here. In a batch, each member says
 * whether at least one image has the property.
 *
 * \sa CudaConnectedComponentLabeler::Options::reportValues
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentValueSummary
{
  /** Whether an image has several values other than 0. */
  bool hasSeveral = false;
  /** Whether an image has several values other than 0 that are all whole numbers. Probabilities are not. */
  bool hasSeveralWhole = false;
  /** Whether an image has NaN. */
  bool hasNaN = false;
};

} // namespace itk

#endif
