// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsEnums_h
#define itkCudaConnectedComponentsEnums_h

#include "CudaConnectedComponentsExport.h"

#include <cstdint>
#include <iosfwd>

namespace itk
{

/** \class CudaConnectedComponentsEnums
 * \brief The choices and answers of CudaConnectedComponentImageFilter and CudaConnectedComponentLabeler.
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponentsEnums
{
public:
  /** \class Algorithm
   * \ingroup CudaConnectedComponents
   * How components are found on the GPU. All give the same labels. */
  enum class Algorithm : uint8_t
  {
    /** Whatever is fastest for the input. */
    Automatic,
    /** BUF: Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020. Full connectivity only. */
    BlockUnionFind,
    /** BKE: the same paper. Full connectivity only. */
    BlockKomuraEquivalence,
    /** Union-find on the runs of packed bits, under full connectivity of two or two by two rows at once. Both
     * connectivities. */
    RunUnionFind
  };

  /** \class Backend
   * \ingroup CudaConnectedComponents
   * Who computed the labels. */
  enum class Backend : uint8_t
  {
    /** Nothing ran yet, or the last run failed. */
    Unknown,
    /** The GPU. */
    CUDA,
    /** This module's own code on the host. */
    CPU,
    /** itk::ConnectedComponentImageFilter: more than three dimensions. */
    ITK
  };
};

CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Algorithm value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value);

} // namespace itk

#endif
