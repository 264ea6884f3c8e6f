// SPDX-License-Identifier: Apache-2.0
#include "OptionTable.h"

#include "Join.h"
#include "OutputTypes.h"

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkThreadSupport.h"

#include <limits>

namespace
{

std::vector<std::string>
NamesOfOutputTypes()
{
  std::vector<std::string> names{ "auto" };
  for (const auto & type : OutputTypes)
  {
    names.push_back(type.first);
  }
  return names;
}

std::vector<std::string>
NamesOfAlgorithms(bool onlyFullConnectivity)
{
  std::vector<std::string> names;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    if (row.needsFullConnectivity || !onlyFullConnectivity)
    {
      names.emplace_back(row.option);
    }
  }
  return names;
}

std::vector<Option>
MakeTable()
{
  const std::string foreground = "Foreground";
  const std::string components = "Components";
  const std::string output = "Outputs";
  const std::string hardware = "GPU and CPU";
  const std::string help = "Help";
  const std::string slicer = "3D Slicer";
  // clang-format off: a row is an option
  return {
    { "INPUT", "", &Options::input, "", "", {},
      "image of 2 or 3 dimensions; without a threshold, pixels that are not 0 are foreground" },
    { "OUTPUT", "", &Options::output, "", "", {},
      "file for the labels, or the mask with --mask-output; the ending of its name selects the format. With --table or --label-table, only 3D Slicer requires it" },

    { "--lower", "VALUE", &Options::lower, foreground, "", {},
      "threshold: only pixels of at least this value are foreground" },
    { "--upper", "VALUE", &Options::upper, foreground, "", {},
      "threshold: only pixels of at most this value are foreground" },
    { "--otsu", "", &Options::otsu, foreground, "", { {}, {}, { "--lower", "--upper" } },
      "only pixels above Otsu's threshold are foreground" },
    { "--mask", "FILE", &Options::mask, foreground, "", {},
      "mask image with the geometry of INPUT; pixels where the mask is 0 are background" },
    { "--channel", "NUMBER", &Options::channel, foreground, "", { {}, {}, {}, 1 },
      "of images with several channels (INPUT, --mask and --intensity), take this channel only; 1 is the first" },
    { "--segment", "NAME", &Options::segment, foreground, "", {},
      "of images with segments, such as .seg.nrrd files of 3D Slicer, take the segment with this name only" },
    { "--ignore-axes", "", &Options::ignoreAxes, foreground, "", { {}, {}, { "--seed-point", "--seed-ras", "--shapes" } },
      "read images whose axes are not at right angles: coordinates are then numbers of pixels" },
    { "--fill-holes", "", &Options::fillHoles, foreground, "", {},
      "fill holes first: background that does not reach the border of the image is foreground. The background has the "
      "other connectivity: 8 or 26 neighbors, or 4 or 6 with --fully-connected" },

    { "--fully-connected", "", &Options::fullyConnected, components, "", {},
      "full connectivity: 8 or 26 neighbors instead of 4 or 6" },
    { "--connectivity", "NEIGHBORS", &Options::connectivity, components, "auto",
      { { "auto", "4", "8", "6", "18", "26" }, {}, { "--fully-connected" } },
      "number of neighbors: 4 or 8 in planes; 6, 18 or 26 in volumes. auto is 4 or 6" },
    { "--by-value", "", &Options::byValue, components, "", {},
      "label regions of equal value, such as the classes of a label image: neighbors of different values are not connected. "
      "--keep-largest keeps components of each value, and --fill-holes fills the holes of each value" },
    { "--min-size", "SIZE", &Options::minimumSize, components, "", {},
      "remove components that are smaller than this: a number of pixels, such as 100, or a physical size, such as "
      "\"2.5 mm3\" (in planes mm2)" },
    { "--max-size", "SIZE", &Options::maximumSize, components, "", {},
      "remove components that are larger than this size" },
    { "--clear-border", "", &Options::clearBorder, components, "", {},
      "remove components that touch the border of the image" },
    { "--seed", "X,Y,Z", &Options::seeds, components, "", {},
      "keep only components that contain this pixel, or the pixel of another seed option; the numbers count from 0; "
      "in planes X,Y; with --lower and --upper, this is ITK's ConnectedThreshold" },
    { "--seed-point", "X,Y,Z", &Options::seedPoints, components, "", {},
      "as --seed, for the pixel at this point: ITK's physical coordinates (LPS) in mm; in planes X,Y" },
    { "--seed-ras", "R,A,S", &Options::seedPoints, components, "", {},
      "as --seed-point, for a point in the coordinates of 3D Slicer and NIfTI (RAS) in mm; in planes R,A" },
    { "--keep-largest", "NUMBER", &Options::numberToKeep, components, "", { {}, {}, {}, 1 },
      "keep this number of components (with --by-value, of each value), the largest of those that the other options keep, and remove all others" },
    { "--sort-by-size", "", &Options::sortBySize, components, "", {},
      "number the components by size: label 1 is the largest" },

    { "--mask-output", "", &Options::maskOutput, output, "", { {}, { "OUTPUT" }, { "--background-value", "--output-type" } },
      "write a mask to OUTPUT instead of labels: the kept components have the pixel type and values of INPUT (1 with a "
      "threshold), all other pixels are 0" },
    { "--background-value", "VALUE", &Options::backgroundValue, output, "0", { {}, { "OUTPUT" } },
      "value of the background in OUTPUT" },
    { "--output-type", "TYPE", &Options::outputType, output, "uint32", { NamesOfOutputTypes(), { "OUTPUT" } },
      "pixel type of OUTPUT; auto is the smallest unsigned type that holds all labels" },
    { "--table", "FILE", &Options::table, output, "", { { ".csv", ".json" } },
      "file for a table: label, size, bounding box and centroid of each component" },
    { "--label-table", "FILE", &Options::labelTable, output, "", { { ".csv", ".json" } },
      "file for a table of the labels of INPUT, which need not be connected, with the columns of --table; selections of "
      "components, such as --min-size, do not change it" },
    { "--shapes", "", &Options::shapes, output, "", {},
      "more columns in the tables: principal moments and axes, elongation, flatness, equivalent radius and ellipsoid diameters" },
    { "--intensity", "FILE", &Options::intensity, output, "", {},
      "image with the geometry of INPUT; more columns in the tables: mean, standard deviation, minimum, maximum and sum "
      "of its values in each component" },
    { "--preview", "FILE", &Options::preview, output, "", { { ".png" } },
      "file for a picture: the labels in colors over INPUT in grey; of a volume, an axial, a coronal and a sagittal slice" },
    { "--preview-numbers", "", &Options::previewNumbers, output, "", { {}, { "--preview" } },
      "write the labels of the five largest components into the picture" },
    { "--json", "", &Options::json, output, "", {},
      "print the report as JSON" },
    { "--quiet", "", &Options::quiet, output, "", { {}, {}, { "--json" } },
      "print errors only" },

    { "--backend", "NAME", &Options::backend, hardware, "auto", { { "auto", "cuda", "cpu" } },
      "auto: the GPU, else the CPU; cuda: the GPU, else an error; cpu: the CPU only" },
    { "--device", "NUMBER", &Options::device, hardware, "", { {}, {}, {}, 0, std::numeric_limits<int>::max() },
      "number of the GPU; without this option, GPU 0" },
    { "--gpu-memory", "SIZE", &Options::gpuMemory, hardware, "", {},
      "most memory of the GPU to use, such as 1GiB or 500MB; a larger image goes through the GPU in slabs" },
    { "--algorithm", "NAME", &Options::algorithm, hardware, "automatic", { NamesOfAlgorithms(false) },
      "algorithm of the GPU. These need --fully-connected: " + Join(NamesOfAlgorithms(true), ", ") },
    { "--threads", "NUMBER", &Options::threads, hardware, "", { {}, {}, {}, 1, ITK_MAX_THREADS },
      "number of threads of the CPU; without this option, ITK decides" },

    { "--xml", "", {}, slicer, "", {},
      "print the description of the options for 3D Slicer and exit" },
    { "--returnparameterfile", "FILE", &Options::returnParameterFile, slicer, "", {},
      "file for count, backend_used and milliseconds, as 3D Slicer reads them. With this option, the tool also prints "
      "its progress for 3D Slicer" },

    { "-h,--help", "", {}, help, "", {},
      "print this help and exit" },
    { "--plugin-path", "", {}, help, "", {},
      "print the folder of the plug-in (the value for ITK_AUTOLOAD_PATH) and exit" },
    { "--version", "", {}, help, "", {},
      "print the versions of this program, of ITK and of CUDA, and exit" },
  };
  // clang-format on
}

} // namespace

std::string
DefaultOfDialogs(const Option & option)
{
  const bool isOptionalNumber = std::holds_alternative<std::optional<std::uint64_t> Options::*>(option.member);
  return isOptionalNumber ? std::to_string(static_cast<std::int64_t>(option.constraint.minimum) - 1)
                          : option.defaultValue;
}

const std::vector<Option> &
OptionTable()
{
  static const std::vector<Option> table = MakeTable();
  return table;
}
