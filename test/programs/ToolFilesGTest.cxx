// SPDX-License-Identifier: Apache-2.0

// What the tool reads from files of other programs. test/files/make_files.py has written them.

#include "ToolTest.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace
{

struct FileCase
{
  std::string file;
  std::string options;
  std::string objects;  // numbers of pixels of the objects; empty if the tool must refuse the file
  std::string place;    // size and centroid of the first object in the unit of the image
  std::string sentence; // a part of the note or of the error
};

std::string
TextOf(const nlohmann::json & row, const std::vector<std::string> & keys)
{
  std::ostringstream text;
  for (const std::string & key : keys)
  {
    if (row.count(key) != 0)
    {
      text << (text.str().empty() ? "" : " ") << std::round(1e9 * row.at(key).get<double>()) / 1e9;
    }
  }
  return text.str();
}

TEST_F(CudaConnectedComponentsTool, FilesOfOtherPrograms)
{
  const std::string           plane = "6 16";
  const std::string           volume = "18 48";
  const std::string           pixels2 = "6 2 1.5"; // without a unit
  const std::string           pixels3 = "18 2 1.5 1";
  const std::string           inVoxels = "432 2 1.5 1";
  const std::string           split = "only images of 2 or 3 dimensions can be labeled, so split it first";
  const std::string           segments = R"(its segments are "liver", "tumor", "spleen")";
  const std::vector<FileCase> cases{
    // clang-format off: a row is a case
    { "uint8.tif", "", plane, pixels2, "" },
    { "int32.tif", "", plane, pixels2, "" },
    { "uint32.tif", "", plane, pixels2, "" },
    { "int64.tif", "", plane, pixels2, "" },
    { "uint64.tif", "", plane, pixels2, "" },
    { "float16.tif", "", plane, pixels2, "" },
    { "float64.tif", "", plane, pixels2, "" },
    { "tiles.tif", "", volume, pixels3, "" },
    { "big-endian.tif", "", volume, pixels3, "" },
    { "lzw.tif", "", volume, pixels3, "" },
    { "1-bit.tif", "", plane, pixels2, "" },
    { "12-bit.tif", "", volume, pixels3, "" },
    { "fax.tif", "", plane, pixels2, "" },
    { "white.tif", "", plane, pixels2, "0 is white" },
    { "palette.tif", "--lower 2 --upper 2", "16", "16 7.5 5.5", "indices into a palette of 256 colors" },
    { "pyramid.tif", "", plane, pixels2, "" },
    { "ome.tif", "", volume, "9e-09 0.001 0.00075 0.002", "" },
    { "imagej.tif", "", volume, "9e-09 0.001 0.00075 0.002", "" },
    { "imagej.tif", "--min-size '2e-8 mm3'", "48", "2.4e-08 0.00375 0.00275 0.002", "" },
    { "channels.tif", "--channel 1", "", "", "has the axes Z: 3, C: 2 besides Y and X (T: times, C: channels, Z: slices); " + split },
    { "times.tif", "", "", "", "has the axes T: 3 besides Y and X (T: times, C: channels, Z: slices); " + split },
    { "times.ome.tif", "", "", "", "has the axes T: 3 besides Y and X (T: times, C: channels, Z: slices); " + split },
    { "shaped.tif", "", "", "", "has the axes I: 2, I: 3 besides Y and X" },
    { "sizes.tif", "", "", "", "has pages of different sizes or types, such as page 1 and page 2" },
    { "types.tif", "", "", "", "has pages of different sizes or types, such as page 1 and page 2" },
    { "dpi.tif", "", plane, pixels2, "" },
    { "dpi.tif", "--min-size 2mm2", "", "", "has no known unit of length (dots per inch are for printers), but --min-size is in mm2" },
    { "opaque.png", "", plane, pixels2, "the alpha channel is the same in all pixels, so it is ignored" },
    { "opaque.png", "--channel 2 --lower 2", "16", "16 7.5 5.5", "channel 2 of 4" },
    { "transparent.png", "", "", "", "has an alpha channel (4) that is not the same in all pixels" },
    { "transparent.png", "--channel 4 --upper 150 --lower 1", "6", pixels2, "channel 4 of 4" },
    { "colors.png", "", plane, pixels2, "indices into a palette of 3 colors" },
    { "clear.png", "", "", "", "colors of its palette are transparent, and ITK reads no indices then; save it without transparency" },
    { "gray.png", "--lower 90 --upper 90", "16", "16 7.5 5.5", "gray values of a palette" },
    { "labels.nii.gz", "", volume, "432 4 4.5 4", "" },
    { "slope.nii", "--lower 2 --upper 2", "", "", "48 background pixels are less than 0.001 outside --lower or --upper" },
    { "slope.nii", "--lower 1.5 --upper 2.5", "48", "1152 15 16.5 4", "" },
    { "microns.nii.gz", "", volume, "4.32e-07 0.014 0.0245 0.034", "" },
    { "sheared.nii.gz", "", "", "", "are not at right angles, or their lengths are not its pixel sizes" },
    { "sheared.nii.gz", "--ignore-axes --min-size '433 mm3'", "48", "1152 7.5 5.5 1", "the axes of the file are ignored" },
    { "labels.nii.gz", "--ignore-axes", volume, inVoxels, "the axes of the file are ignored" },
    { "left-posterior-superior.nrrd", "", volume, "432 14 24.5 34", "" },
    { "left-anterior-superior.nrrd", "", volume, "432 14 -24.5 34", "" },
    { "right-anterior-superior.nrrd", "", volume, "432 -14 -24.5 34", "" },
    { "microns.nrrd", "", volume, "4.32e-07 -0.014 -0.0245 0.034", "" },
    { "furlongs.nrrd", "--max-size '1 mm3'", "", "", "has no known unit of length" },
    { "times.nrrd", "", "", "", "has an axis of times (3); " + split },
    { "layers.seg.nrrd", "", "", "", "has segments that can overlap, in 2 layers; select one with --segment NAME: " + segments },
    { "layers.seg.nrrd", "--segment tumor", "48", "1152 15 16.5 4", R"(segment "tumor": value 1 in layer 1)" },
    { "layers.seg.nrrd", "--segment Segment_3", "48", "1152 15 16.5 4", "value 2 in layer 0" },
    { "layers.seg.nrrd", "--segment kidney", "", "", R"(has no segment "kidney"; )" + segments },
    { "layers.seg.nrrd", "--channel 2", "48", "1152 15 16.5 4", "channel 2 of 2" },
    { "layers.seg.nrrd", "--channel 1 --segment tumor", "48", "1152 15 16.5 4", "so --channel is ignored" },
    { "one.seg.nrrd", "--segment liver", "18", "432 4 4.5 4", "value 1 in layer 0" },
    { "one.seg.nrrd", "", volume, "432 4 4.5 4", "" },
    { "uint8.tif", "--segment liver", "", "", "has no segments, so --segment has no meaning" },
    { "slice.dcm", "", "6 8", "36 4 4.5 0", "" },
    { "frames.dcm", "", "", "", "has 3 frames, which can be slices, stacks or times; convert it to NIfTI first, such as by dcm2niix" },
    { "segmentation.dcm", "", "", "", "is a DICOM segmentation" },
    { "labelmap.dcm", "", "", "", "by dcmqi (segimage2itkimage) or highdicom" },
    { "raw.mha", "", volume, "432 4 4.5 4", "" },
    { "packed.mha", "", volume, "432 4 4.5 4", "" },
    { "text.mha", "", "", "", "its pixels are text; save them as binary numbers" },
    { "volume.gipl", "", "", "", "is in a format that this tool does not read (GiplImageIO); convert it to NIfTI, NRRD or TIFF first" },
    { "raw.nii", "", volume, "432 4 4.5 4", "" },
    { "volume.mrc", "--upper -2", "48", "0 1.5e-06 1.1e-06 2e-07", "" },
    { "stack.mrc", "", "", "", "is a stack of images or of volumes" },
    { "gray.bmp", "", "", "", "is in a format that this tool does not read (BMPImageIO); convert it to NIfTI, NRRD or TIFF first" },
    { "gray.jpg", "", "", "", "is in a format that this tool does not read (JPEGImageIO)" },
    // clang-format on
  };
  for (const FileCase & expected : cases)
  {
    const std::string shown = expected.file + ' ' + expected.options;
    std::filesystem::remove(this->File("table.json"));
    const Outcome run =
      this->Call("'" TOOL_FILES "/" + expected.file + "' --table table.json --json " + expected.options);
    const bool hasReport = run.status == 0;
    if (expected.objects.empty() && !hasReport)
    {
      EXPECT_NE(run.errors.find(expected.sentence), std::string::npos) << shown << ": " << run.errors;
      EXPECT_EQ(run.status, 1) << shown;
      continue;
    }
    ASSERT_TRUE(hasReport) << shown << ": " << run.errors;
    const auto  notes = nlohmann::json::parse(run.printed).at("notes").dump();
    std::string sentence = nlohmann::json(expected.sentence).dump();
    sentence = sentence.substr(1, sentence.size() - 2);
    EXPECT_NE(notes.find(sentence), std::string::npos) << shown << ": " << notes;
    EXPECT_EQ(expected.sentence.empty(), notes == "[]") << shown << ": " << notes;
    const auto  table = nlohmann::json::parse(ReadText(this->File("table.json")));
    std::string objects;
    for (const auto & row : table)
    {
      objects += (objects.empty() ? "" : " ") + TextOf(row, { "area" });
    }
    EXPECT_EQ(objects, expected.objects) << shown;
    if (!table.empty())
    {
      EXPECT_EQ(TextOf(table[0], { "area_mm2", "area_mm3", "centroid_x", "centroid_y", "centroid_z" }), expected.place)
        << shown;
    }
  }
}

// "liver" and "tumor" have the value 1, in two layers.
TEST_F(CudaConnectedComponentsTool, MaskOfALayerHasNoNames)
{
  const std::string layers = "'" TOOL_FILES "/layers.seg.nrrd' ";
  EXPECT_EQ(this->Call(layers + "out.seg.nrrd --channel 2 --mask-output").status, 0);
  EXPECT_EQ(ReadText(this->File("out.seg.nrrd")).find("Segment0"), std::string::npos);
  EXPECT_EQ(this->Call(layers + "out.seg.nrrd --segment tumor --mask-output").status, 0);
  EXPECT_NE(ReadText(this->File("out.seg.nrrd")).find("Segment0_Name:=tumor"), std::string::npos);
}

// ITK 5.2 cannot write 32-bit integers to TIFF, and reads them wrongly.
TEST_F(CudaConnectedComponentsTool, TiffOfAllTypes)
{
  const auto image = MakeItkImage<MaskType>(MakeCheckerboard({ 211, 209, 3 }));
  Write(image.GetPointer(), this->File("in.mha"));
  this->ExpectFailure("in.mha out.tif", "Number of objects (66149) greater than maximum of output pixel type (65535)");
  const auto expected = LabelsOf(image.GetPointer());
  for (const std::string type : { "uint32", "int32", "uint64", "int64", "auto" })
  {
    const Outcome run = this->Call("in.mha out.tif --output-type " + type);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.errors.find("many releases of ITK read TIFF files of 32-bit integers wrongly") != std::string::npos,
              type != "uint64" && type != "int64")
      << type;
    EXPECT_EQ(this->Call("out.tif out.mha --mask-output").status, 0);
    this->ExpectLabels("out.mha", expected.GetPointer());
  }
}

TEST_F(CudaConnectedComponentsTool, NiftiBesideGzippedNifti)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  EXPECT_EQ(this->Call("in.mha out.nii.gz").errors, "");
  EXPECT_NE(this->Call("in.mha out.nii --lower 300").errors.find("take the pixels of out.nii for those of out.nii.gz"),
            std::string::npos);
  EXPECT_EQ(this->Call("out.nii.gz back.mha --mask-output").status, 0);
  this->ExpectLabels("back.mha", LabelsOf(MakeVolume().GetPointer()).GetPointer());
}

// As numbers of type double, the limits and these pixels are equal.
TEST_F(CudaConnectedComponentsTool, LimitsOfLargeIntegers)
{
  const std::vector<std::uint64_t> pixels{ 720575940600000000, 0, 720575940600000001, 0, 720575940600000002 };
  std::ofstream(this->File("in.raw"), std::ios::binary)
    .write(reinterpret_cast<const char *>(pixels.data()), static_cast<std::streamsize>(8 * pixels.size()));
  std::ofstream(this->File("in.mhd")) << "ObjectType = Image\nNDims = 2\nDimSize = 5 1\nElementType = MET_ULONG_LONG\n"
                                         "ElementDataFile = in.raw\n";
  const auto count = [this](const std::string & limits) {
    const Outcome run = this->Call("in.mhd out.mha --json " + limits);
    EXPECT_EQ(run.status, 0) << run.errors;
    return nlohmann::json::parse(run.printed).at("objects").get<int>();
  };
  EXPECT_EQ(count("--lower 720575940600000001"), 2);
  EXPECT_EQ(count("--lower 720575940600000001 --upper 720575940600000001"), 1);
  EXPECT_EQ(count("--upper 720575940600000000 --lower 1"), 1);
  EXPECT_EQ(count("--lower 0.5"), 3);
  EXPECT_EQ(count("--lower -5 --upper 1e30"), 1);
  EXPECT_EQ(count("--lower 18446744073709551615"), 0);
  EXPECT_EQ(count("--lower -3 --upper -1"), 0);
}

} // namespace
