// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsEnums_h
#define itkCudaConnectedComponentsEnums_h

#include "CudaConnectedComponentsExport.h"

#include <cstdint>
#include <iosfwd>

namespace itk
{

/** \class CudaConnectedComponentsEnums
 * \brief The enumerations of CudaConnectedComponentImageFilter and CudaConnectedComponentLabeler.
 * \sa CudaConnectedComponentAlgorithms
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponentsEnums
{
public:
  /** \brief The algorithm that finds the components on the GPU. All algorithms give the same labels. */
  enum class Algorithm : uint8_t
  {
    /** The fastest algorithm: RunUnionFind. */
    Automatic,
    /** BUF, block-based union-find: Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020. Full connectivity only. */
    BlockUnionFind,
    /** BKE, block-based Komura equivalence: the same paper. Full connectivity only. */
    BlockKomuraEquivalence,
    /** Union-find on the runs of foreground pixels in a 1-bit mask. Both connectivities. */
    RunUnionFind,
    /** HA, hardware accelerated. HA4: Hennequin, Lacassagne, Cabaret and Meunier, DASIP 2018. HA8: Bolelli, Allegretti,
     * Lumetti and Grana, IEEE TPDS, 2024. Both connectivities. */
    HardwareAccelerated
  };

  /** \class AlgorithmDescription
   * \brief One row of the table of algorithms. The texts are constants of the library.
   * \ingroup CudaConnectedComponents */
  struct AlgorithmDescription
  {
    /** The value that selects the algorithm. */
    Algorithm algorithm;
    /** The name of the value, such as "BlockUnionFind". */
    const char * identifier;
    /** The name on command lines, such as "buf". */
    const char * option;
    /** The name in tables and figures, such as "BUF". */
    const char * title;
    /** Whether the algorithm labels with 8 or 26 neighbors only. */
    bool needsFullConnectivity;
    /** Whether the algorithm has the option `inlineCompression`. */
    bool hasInlineCompression;
    /** Whether the algorithm is implemented as its paper describes it, for comparison. */
    bool isPublished;
  };

  /** \brief The code that computed the labels. */
  enum class Backend : uint8_t
  {
    /** No run has started yet, or the last run failed. */
    Unknown,
    /** The GPU. */
    CUDA,
    /** This module's own code on the host. */
    CPU,
    /** ITK's own code, such as for images of more than 3 dimensions. */
    ITK
  };

  /** \brief The type of pixels or labels in memory. */
  enum class PixelType : uint8_t
  {
    /** 8 bits, signed. */
    Int8,
    /** 8 bits, unsigned. */
    UInt8,
    /** 16 bits, signed. */
    Int16,
    /** 16 bits, unsigned. */
    UInt16,
    /** 32 bits, signed. */
    Int32,
    /** 32 bits, unsigned. */
    UInt32,
    /** 64 bits, signed. */
    Int64,
    /** 64 bits, unsigned. */
    UInt64,
    /** 32 bits, IEEE 754. Not for labels. */
    Float,
    /** 64 bits, IEEE 754. Not for labels. */
    Double,
    /** 8 bits, C++'s bool: 0 or 1. Not for labels. */
    Bool,
    /** 16 bits, IEEE 754. Not for labels. */
    Half,
    /** 16 bits, the upper half of a Float. Not for labels. */
    BFloat16
  };

  /** \brief The pixels that a call of CudaConnectedComponentLabeler writes. */
  enum class Output : uint8_t
  {
    /** None: the call only measures. */
    None,
    /** Labels. */
    Labels,
    /** The input, with a value in the selected components. */
    FilledInside,
    /** The input, with a value outside the selected components. */
    FilledOutside,
    /** One bit for each pixel: whether it belongs to a selected component. */
    MaskBits
  };
};

/** Prints the full name of an algorithm, such as "itk::CudaConnectedComponentsEnums::Algorithm::Automatic".
 * \param out the stream to print on
 * \param value the algorithm. If it is not a value of Algorithm, the function prints "INVALID VALUE FOR ...".
 * \return `out` */
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Algorithm value);

/** Prints the full name of a backend, such as "itk::CudaConnectedComponentsEnums::Backend::CUDA".
 * \param out the stream to print on
 * \param value the backend. If it is not a value of Backend, the function prints "INVALID VALUE FOR ...".
 * \return `out` */
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value);

} // namespace itk

#endif
