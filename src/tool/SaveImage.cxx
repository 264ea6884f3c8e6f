// SPDX-License-Identifier: Apache-2.0
#include "SaveImage.h"

#include "itkImageIOFactory.h"

#include <filesystem>
#include <random>
#include <vector>

namespace fs = std::filesystem;

void
RequireWritable(const std::string & file)
{
  if (fs::is_directory(file))
  {
    throw Failure(file + ": cannot be written: it is a folder");
  }
  const Workshop workshop(file);
}

void
RequireImageWritable(const std::string & file)
{
  if (!itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::WriteMode))
  {
    throw Failure(
      file +
      ": cannot be written: ITK has no image format for this file name; use an ending such as .nii.gz, .nrrd or .mha");
  }
  RequireWritable(file);
}

Workshop::Workshop(const std::string & file)
{
  fs::path destination = fs::path(file).parent_path();
  if (destination.empty())
  {
    destination = ".";
  }
  if (!fs::is_directory(destination))
  {
    throw Failure(file + ": cannot be written: there is no folder " + destination.string());
  }
  const fs::path  folder = destination / (".cuda-connected-components-" + std::to_string(std::random_device{}()));
  std::error_code error;
  if (!fs::create_directory(folder, error))
  {
    throw Failure(file + ": cannot be written: " + error.message());
  }
  m_Destination = destination.string();
  m_Folder = folder.string();
  m_File = (folder / fs::path(file).filename()).string();
}

Workshop::~Workshop()
{
  std::error_code ignored;
  fs::remove_all(m_Folder, ignored);
}

bool
Workshop::Holds(std::uint64_t pixelCount) const
{
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(m_File.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    return fs::exists(m_File);
  }
  io->SetFileName(m_File);
  io->ReadImageInformation();
  return static_cast<std::uint64_t>(io->GetImageSizeInPixels()) == pixelCount;
}

void
Workshop::Deliver()
{
  std::vector<fs::path> files;
  for (const auto & entry : fs::directory_iterator(m_Folder))
  {
    if (entry.path() != m_File)
    {
      files.push_back(entry.path());
    }
  }
  // The file that names the others, such as an .mhd file, is last: the files that it names then exist.
  files.emplace_back(m_File);
  for (const fs::path & file : files)
  {
    std::error_code error;
    fs::rename(file, fs::path(m_Destination) / file.filename(), error);
    if (error)
    {
      throw Failure((fs::path(m_Destination) / file.filename()).string() + ": cannot be written: " + error.message());
    }
  }
}
