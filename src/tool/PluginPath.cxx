// SPDX-License-Identifier: Apache-2.0
#include "PluginPath.h"

#include "Failure.h"

#include <filesystem>

namespace fs = std::filesystem;

std::string
FindPluginPath()
{
  std::error_code error;
  const fs::path  program = fs::read_symlink("/proc/self/exe", error);
  // The installed plug-in, else the plug-in of the build folder. Both paths are relative: a prefix can be moved.
  for (const std::string folder :
       { CUDA_CONNECTED_COMPONENTS_INSTALLED_PLUGIN, CUDA_CONNECTED_COMPONENTS_BUILT_PLUGIN })
  {
    const fs::path path = fs::weakly_canonical(program.parent_path() / folder, error);
    if (!error && fs::exists(path / "libCudaConnectedComponentsPlugin.so"))
    {
      return path.string();
    }
  }
  throw Failure("there is no plug-in beside " + program.string() +
                "; build with CudaConnectedComponents_BUILD_PLUGIN=ON and install");
}
