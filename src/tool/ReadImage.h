// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadImage_h
#define ccl_tool_ReadImage_h

#include "itkCudaConnectedComponentImageView.h"
#include "itkImageBase.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using ImageView = itk::CudaConnectedComponentImageView;

/** What the user asks of all images that are read. */
struct ReadOptions
{
  std::optional<std::uint64_t> channel; // of images with several channels, from 1 on
  std::string                  segment; // name of a segment, of images with segments
  bool                         ignoreAxes = false;
};

/** The size, spacing, origin and axes of an image. A plane has 1 pixel along z, of 1 mm. */
struct Geometry
{
  unsigned int               dimension = 3; // 2 or 3
  itk::ImageBase<3>::Pointer space = itk::ImageBase<3>::New();
  bool                       hasUnit = true;  // whether lengths are in mm; otherwise, pixels have the edge length 1
  double                     pixelSize = 0.0; // in mm2 in a plane, in mm3 in a volume

  /** Returns the numbers of pixels along the axes of the image. */
  std::vector<std::uint64_t>
  GetSize() const
  {
    const auto & size = space->GetLargestPossibleRegion().GetSize();
    return { size.begin(), size.begin() + dimension };
  }
};

/** Returns a text such as
 * "31 x 29 x 13 pixels of 1 x 1 x 2.5 mm, the first at (0, 0, -20), axes (1, 0, 0), (0, 1, 0), (0, 0, 1)". */
std::string
TextOf(const Geometry & geometry);

/** The names, colors and values of the segments of 3D Slicer, as NRRD files have them: values by keys such as
 * Segment0_Name. */
using Segments = std::map<std::string, std::string>;

using Color = std::array<unsigned int, 3>; // red, green and blue, of 16 bits each

/** An image that was read from a file. */
struct FileImage
{
  Geometry                 geometry;
  std::string              pixelType;          // as in the file, such as "unsigned_char" or "3 x float"
  unsigned int             componentCount = 0; // numbers per pixel
  ImageView                view;               // the first number of each pixel; the others follow it
  std::unique_ptr<char[]>  memory;             // of the view
  std::vector<Color>       palette;            // if the pixels are indices
  Segments                 segments;           // that the file describes
  bool                     isSegment = false;  // whether it is the segment that was asked for
  bool                     isList = false;     // whether the numbers of a pixel are those of several images
  std::vector<std::string> notes;              // what the user should know about the pixels
};

/** Reads an image of 2 or 3 dimensions. 1 dimension counts as 2. More than 3 dimensions count as 3 if the size along
 * the further dimensions is 1. The pixels keep the type that they have in the file. Throws Failure for other images,
 * and if the file cannot be read. */
FileImage
ReadImage(const std::string & file, const ReadOptions & options = {});

#endif
