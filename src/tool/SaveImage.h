// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveImage_h
#define ccl_tool_SaveImage_h

#include "ReadImage.h"

#include <cstdint>
#include <string>

/** Throws Failure if the file cannot be written. Call it before the long work. */
void
RequireWritable(const std::string & file);

/** Throws Failure if an image cannot be written to the file. Call it before the long work. */
void
RequireImageWritable(const std::string & file);

/** Writes an image without gaps. If that fails, throws Failure and leaves an existing file as it was. `size` of the
 * view is the size of the geometry. With 3 components, a pixel is a color: red, green and blue, one after the other. */
void
SaveImage(const ImageView &   pixels,
          const Geometry &    geometry,
          const std::string & file,
          unsigned int        componentCount = 1);

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

  /** Moves all files to the folder of the output file. Throws Failure. */
  void
  Deliver();

private:
  std::string m_Destination; // folder of the output file
  std::string m_Folder;      // temporary
  std::string m_File;        // in m_Folder
};

#endif
