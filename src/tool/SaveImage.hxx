// SPDX-License-Identifier: Apache-2.0
#ifndef SaveImage_hxx
#define SaveImage_hxx

#include "Failure.h"

#include "itkImageFileWriter.h"

/** A folder beside a file that is to be written, for all that belongs to it until that is complete. */
class Workshop
{
public:
  explicit Workshop(const std::string & file);
  ~Workshop();
  Workshop(const Workshop &) = delete;
  Workshop &
  operator=(const Workshop &) = delete;

  /** Where to write the file. */
  const std::string &
  GetFile() const
  {
    return m_File;
  }

  /** Whether the file was written and has so many pixels: of a volume, some formats take the first plane alone. */
  bool
  Holds(std::uint64_t pixelCount) const;

  /** Moves all files to where they belong. */
  void
  Deliver();

private:
  std::string m_Destination; // folder
  std::string m_Folder;
  std::string m_File;
};

template <typename TImage>
void
SaveImage(const TImage * image, const std::string & file)
{
  Workshop workshop(file);
  auto     writer = itk::ImageFileWriter<TImage>::New();
  writer->SetInput(image);
  writer->SetFileName(workshop.GetFile());
  writer->UseCompressionOn();
  try
  {
    writer->Update();
    if (!workshop.Holds(image->GetLargestPossibleRegion().GetNumberOfPixels()))
    {
      throw Failure(file + ": cannot be written: this format has no volumes; take .nii.gz, .nrrd or .mha");
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be written: " + Sentence(exception));
  }
  workshop.Deliver();
}

#endif
