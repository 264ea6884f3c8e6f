// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsEnums_h
#define itkCudaConnectedComponentsEnums_h

#include "CudaConnectedComponentsExport.h"

#include <cstdint>
#include <iosfwd>

namespace itk
{

/** \class CudaConnectedComponentsEnums
 * \brief The enumerations of this module. Classes have aliases of the ones that they use, such as
 * CudaConnectedComponentSelection::BorderEnum.
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

  /** \brief The cause of a CudaConnectedComponentError. */
  enum class ErrorKind : uint8_t
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

  /** \brief The memory of the pixels of a CudaConnectedComponentImageView. */
  enum class Memory : uint8_t
  {
    /** Memory that the processor reads. */
    Host,
    /** Memory of a CUDA device, or managed memory of CUDA. */
    Device
  };

  /** \brief What a number stands for in a comparison with pixels. */
  enum class ValueRole : uint8_t
  {
    /** The value of a pixel. */
    Pixel,
    /** The lower limit of a range. */
    LowerLimit,
    /** The upper limit of a range. */
    UpperLimit
  };

  /** \brief The kinds of a CudaConnectedComponentForeground. */
  enum class ForegroundKind : uint8_t
  {
    /** Pixels that are not 0. */
    NotZero,
    /** Pixels that equal one of the values. */
    AnyOf,
    /** Pixels from the first value to the second, both included. */
    Between
  };

  /** \brief Whether components touch the border of the image. The border is the faces of
   * CudaConnectedComponentTable::faces. */
  enum class Border : uint8_t
  {
    /** Selects all components. */
    Any,
    /** Selects components that touch the border. */
    Touching,
    /** Selects components that do not touch the border. */
    NotTouching
  };

  /** \brief The order of the pixels of an image. It decides which pixel of a component is the first. */
  enum class PixelOrder : uint8_t
  {
    /** x fastest, then y, then z: the order of ITK, and in memory of images without gaps. */
    Raster,
    /** z fastest, then y, then x: the order in memory of the transposed image. */
    TransposedRaster
  };

  /** \brief The order of the labels. */
  enum class LabelOrder : uint8_t
  {
    /** The order of the first pixels of the components. */
    FirstPixel,
    /** The largest component first. Components of the same size are in the order of their first pixels. */
    Size
  };

  /** \brief The order of the labels of an image that is labeled in blocks. */
  enum class BlockOrder : uint8_t
  {
    /** The order of the first pixels of the components in the whole image: the labels of the uncut image. */
    FirstPixel,
    /** The order of the blocks in raster order, and in a block the order of its labels. It needs less memory. */
    Block
  };
};

/** \name Text of the enumerations
 * Prints the full name of a value, such as "itk::CudaConnectedComponentsEnums::Algorithm::Automatic".
 * \param out the stream to print on
 * \param value the value. If the enumeration does not have it, the function prints "INVALID VALUE FOR ...".
 * \return `out` */
//@{
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Algorithm value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::PixelType value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Output value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ErrorKind value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Memory value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ValueRole value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ForegroundKind value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Border value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::PixelOrder value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::LabelOrder value);
CudaConnectedComponents_EXPORT std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::BlockOrder value);
//@}

} // namespace itk

#endif
