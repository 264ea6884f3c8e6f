// SPDX-License-Identifier: Apache-2.0
#include "SaveImage.h"

#include "Failure.h"
#include "Join.h"
#include "OutputTypes.h"
#include "PixelValues.h"

#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

itk::ImageIOBase::Pointer
MakeWriter(const std::string & file)
{
  itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::WriteMode);
  const std::string format = io ? io->GetNameOfClass() : "";
  const std::array  formats{ "NiftiImageIO", "NrrdImageIO", "MetaImageIO", "TIFFImageIO",
                            "PNGImageIO",   "GDCMImageIO", "MRCImageIO" };
  RefuseIf(std::find(formats.begin(), formats.end(), format) == formats.end(),
           file + ": cannot be written: " + (io ? "the tool" : "ITK") +
             " has no image format for this file name; use an ending such as .nii.gz, .nrrd or .mha");
  return io;
}

itk::IOComponentEnum
ComponentOf(ImageView::PixelTypeEnum type)
{
  return VisitPixelType(type, [](auto zero) { return itk::ImageIOBase::MapPixelType<decltype(zero)>::CType; });
}

/** Writes a TIFF file of integers that ITK cannot write. Throws Failure. */
void
WriteTiff(const ImageView & pixels, const std::string & file)
{
  const std::uint64_t                           bits = 8 * ImageView::SizeOf(pixels.type);
  const std::uint64_t                           rowSize = pixels.size[0] * ImageView::SizeOf(pixels.type);
  const bool                                    isLarge = rowSize * pixels.size[1] * pixels.size[2] > 0xF0000000;
  const std::unique_ptr<TIFF, void (*)(TIFF *)> tiff(TIFFOpen(file.c_str(), isLarge ? "w8" : "w"), TIFFClose);
  bool                                          isWritten = tiff != nullptr;
  for (std::uint64_t z = 0; z < pixels.size[2] && isWritten; ++z)
  {
    const auto set = [&](std::uint32_t tag, std::uint64_t value) { TIFFSetField(tiff.get(), tag, value); };
    set(TIFFTAG_IMAGEWIDTH, pixels.size[0]);
    set(TIFFTAG_IMAGELENGTH, pixels.size[1]);
    set(TIFFTAG_BITSPERSAMPLE, bits);
    set(TIFFTAG_SAMPLESPERPIXEL, 1);
    set(TIFFTAG_SAMPLEFORMAT, itk::ccl::IsSigned(pixels.type) ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT);
    set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    set(TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff.get(), 0));
    for (std::uint64_t y = 0; y < pixels.size[1] && isWritten; ++y)
    {
      char * const row = const_cast<char *>(pixels.Row(y + z * pixels.size[1]));
      isWritten = TIFFWriteScanline(tiff.get(), row, static_cast<std::uint32_t>(y), 0) > 0;
    }
    isWritten = isWritten && TIFFWriteDirectory(tiff.get()) != 0;
  }
  // An incomplete file does not give the same pixels back.
}

/** Returns whether a file gives the same pixels back. A full disk cuts files, and formats can lack planes or values.
 * Sets the geometry of the file. */
bool
HasPixels(const std::string & file, const ImageView & pixels, unsigned int componentCount, Geometry & geometry)
{
  try
  {
    const FileImage image = ReadImage(file);
    geometry = image.geometry;
    return image.view.size == pixels.size && image.view.type == pixels.type && image.componentCount == componentCount &&
           std::memcmp(
             image.memory.get(), pixels.pixels, pixels.Count() * componentCount * ImageView::SizeOf(pixels.type)) == 0;
  }
  catch (const Failure &)
  {
    return false;
  }
}

/** Returns what other programs may read wrongly. */
std::vector<std::string>
HintsOf(const fs::path & file, ImageView::PixelTypeEnum type)
{
  const bool        isPacked = file.extension() == ".gz";
  const fs::path    plain = isPacked ? file.parent_path() / file.stem() : file;
  const std::string packed = plain.string() + ".gz";
  const auto        ending = plain.extension();
  if ((ending == ".nii" || ending == ".img" || ending == ".hdr") && fs::exists(isPacked ? plain : fs::path(packed)))
  {
    return { "programs with the NIfTI library of ITK take the pixels of " + plain.string() + " for those of " + packed +
             "; move one of the files" };
  }
  if ((ending == ".tif" || ending == ".tiff") && ImageView::SizeOf(type) == 4 && !itk::ccl::IsFloat(type))
  {
    return { "many releases of ITK read TIFF files of 32-bit integers wrongly; .nii.gz, .nrrd and .mha files have no "
             "such limit" };
  }
  return {};
}

/** Returns the parts of the geometry that a file lost, such as "spacing, origin". Tolerances allow for the rounding of
 * formats: PNG and TIFF have pixels per meter or inch. */
std::string
LostGeometry(const Geometry & geometry, const Geometry & written)
{
  const auto & space = *geometry.space;
  const auto & other = *written.space;
  const auto   difference = other.GetDirection().GetVnlMatrix() - space.GetDirection().GetVnlMatrix();
  const auto   origin = space.TransformIndexToPhysicalPoint<double>(itk::Index<3>{});
  const auto   otherOrigin = other.TransformIndexToPhysicalPoint<double>(itk::Index<3>{});
  bool         hasSpacing = true;
  bool         hasOrigin = true;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    const double spacing = space.GetSpacing()[axis];
    hasSpacing = hasSpacing && std::abs(other.GetSpacing()[axis] - spacing) <= 1e-2 * spacing;
    hasOrigin =
      hasOrigin && std::abs(otherOrigin[axis] - origin[axis]) <= 1e-2 * spacing + 1e-5 * std::abs(origin[axis]);
  }
  std::vector<std::string> lost;
  if (!hasSpacing)
  {
    lost.push_back("spacing");
  }
  if (!hasOrigin)
  {
    lost.push_back("origin");
  }
  if (difference.absolute_value_max() > 1e-4)
  {
    lost.push_back("axes");
  }
  return Join(lost, ", ");
}

} // namespace

void
RequireWritable(const std::string &              outputImage,
                const std::vector<std::string> & otherOutputs,
                const std::string &              inputImage,
                const std::vector<std::string> & otherInputs)
{
  std::list<Workshop> workshops;
  const auto          require = [&workshops](const std::string & output, const std::vector<std::string> & inputs) {
    for (const std::string & input : inputs)
    {
      std::error_code ignored;
      RefuseIf(fs::equivalent(output, input, ignored),
               output + ": cannot be written: it is an input; give the output a file of its own");
    }
    workshops.emplace_back(output);
  };
  if (!outputImage.empty())
  {
    MakeWriter(outputImage);
    require(outputImage, otherInputs);
  }
  std::vector<std::string> inputs = otherInputs;
  inputs.push_back(inputImage);
  for (const std::string & file : otherOutputs)
  {
    if (!file.empty())
    {
      require(file, inputs);
    }
  }
}

std::unique_ptr<Workshop>
PrepareImage(const ImageView &   pixels,
             const Geometry &    geometry,
             const std::string & file,
             unsigned int        componentCount,
             const Segments &    segments)
{
  auto                            workshop = std::make_unique<Workshop>(file);
  const itk::ImageIOBase::Pointer io = MakeWriter(workshop->GetFile());
  const auto &                    space = *geometry.space;
  const auto                      origin = space.TransformIndexToPhysicalPoint<double>(itk::Index<3>{});
  itk::ImageIORegion              region(geometry.dimension);
  const std::string               format = io->GetNameOfClass();
  const double                    unit = format == "MRCImageIO" ? 1e7 : 1.0; // MRC files have lengths in angstroms
  try
  {
    io->SetNumberOfDimensions(geometry.dimension);
    for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
    {
      std::vector<double> direction;
      for (unsigned int row = 0; row < geometry.dimension; ++row)
      {
        direction.push_back(space.GetDirection()[row][axis]);
      }
      io->SetDimensions(axis, pixels.size[axis]);
      io->SetSpacing(axis, unit * space.GetSpacing()[axis]);
      io->SetOrigin(axis, unit * origin[axis]);
      io->SetDirection(axis, direction);
      region.SetSize(axis, pixels.size[axis]);
    }
    io->SetComponentType(ComponentOf(pixels.type));
    io->SetNumberOfComponents(componentCount);
    io->SetPixelType(componentCount == 3 ? itk::IOPixelEnum::RGB : itk::IOPixelEnum::SCALAR);
    if (format == "NrrdImageIO") // other formats have no place for segments
    {
      for (const auto & [key, value] : segments)
      {
        itk::EncapsulateMetaData(io->GetMetaDataDictionary(), key, value);
      }
    }
    io->SetUseCompression(format != "GDCMImageIO"); // GDCM 3.0 writes behind its memory for small images
    io->SetFileName(workshop->GetFile());
    io->SetIORegion(region);
    if (format == "TIFFImageIO" && ImageView::SizeOf(pixels.type) > 2 && !itk::ccl::IsFloat(pixels.type))
    {
      WriteTiff(pixels, workshop->GetFile());
    }
    else
    {
      io->Write(pixels.pixels);
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be written: " + Sentence(exception) + " (the pixels are " + NameOf(pixels.type) +
                  "; --output-type selects the type of labels)");
  }
  Geometry written;
  if (!HasPixels(workshop->GetFile(), pixels, componentCount, written))
  {
    throw Failure(file + ": cannot be written: the file does not give the same pixels back; the disk may be full, or "
                         "the format cannot hold them: choose another format, such as .nii.gz, .nrrd or .mha");
  }
  workshop->hints = HintsOf(file, pixels.type);
  const std::string lost = LostGeometry(geometry, written);
  if (!lost.empty())
  {
    workshop->hints.push_back(file + " loses parts of the geometry of the input (" + lost +
                              "), because its format cannot hold them; .nrrd and .mha files can");
  }
  return workshop;
}
