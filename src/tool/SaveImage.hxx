// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveImage_hxx
#define ccl_tool_SaveImage_hxx

#include "Failure.h"

#include "itkImageFileWriter.h"

/** A temporary folder next to an output file. The output is written there, in one or more files, and moved when it is
 * complete. The destructor deletes the folder. */
class Workshop
{
public:
  explicit Workshop(const std::string & file);
  ~Workshop();
  Workshop(const Workshop &) = delete;
  Workshop &
  operator=(const Workshop &) = delete;

  /** Returns the path of the file in the temporary folder. */
  const std::string &
  GetFile() const
  {
    return m_File;
  }

  /** Returns whether the file is an image with this number of pixels. Some formats hold only the first plane of a
   * volume. */
  bool
  Holds(std::uint64_t pixelCount) const;

  /** Moves all files to the folder of the output file. Throws Failure. */
  void
  Deliver();

private:
  std::string m_Destination; // folder of the output file
  std::string m_Folder;      // temporary
  std::string m_File;        // in m_Folder
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
      throw Failure(file + ": cannot be written: this format cannot hold volumes; use .nii.gz, .nrrd or .mha");
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be written: " + Sentence(exception));
  }
  workshop.Deliver();
}

#endif
