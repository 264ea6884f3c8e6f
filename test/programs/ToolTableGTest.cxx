// SPDX-License-Identifier: Apache-2.0

// How the command-line tool selects components by size, and the tables that it writes.

#include "ToolTest.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace
{

/** Three boxes of 2, 24 and 4 pixels of 0.75 mm3, in the order of their first pixels. */
MaskType::Pointer
MakeBoxes()
{
  const auto   image = MakeEmpty<MaskType>({ { 12, 10, 8 } });
  const double spacing[3] = { 0.5, 0.75, 2.0 };
  const double origin[3] = { 10.0, -20.0, 30.0 };
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  AddBox(image.GetPointer(), { { 1, 1, 0 } }, { { 2, 1, 1 } });
  AddBox(image.GetPointer(), { { 5, 2, 1 } }, { { 4, 3, 2 } });
  AddBox(image.GetPointer(), { { 0, 6, 5 } }, { { 2, 2, 1 } });
  return image;
}

const std::string HeaderOfVolume = "label,area,bbox-0,bbox-1,bbox-2,bbox-3,bbox-4,bbox-5,"
                                   "centroid-0,centroid-1,centroid-2,area_mm3,centroid_x,centroid_y,centroid_z\n";
const std::string Box2 = ",2,0,1,1,1,2,3,0.0,1.0,1.5,1.5,10.75,-19.25,30.0\n";
const std::string Box24 = ",24,1,2,5,3,5,9,1.5,3.0,6.5,18.0,13.25,-17.75,33.0\n";
const std::string Box4 = ",4,5,6,0,6,8,2,5.0,6.5,0.5,3.0,10.25,-15.125,40.0\n";

TEST_F(CudaConnectedComponentsTool, WritesATableAsCsv)
{
  Write(MakeBoxes().GetPointer(), this->File("in.mha"));
  const auto expect = [&](const std::string & options, const std::string & rows) {
    const Outcome run = this->Call("in.mha out.mha --table table.csv " + options);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(ReadText(this->File("table.csv")), HeaderOfVolume + rows) << options;
  };
  expect("", "1" + Box2 + "2" + Box24 + "3" + Box4);
  expect("--quiet", "1" + Box2 + "2" + Box24 + "3" + Box4);
  expect("--sort-by-size", "1" + Box24 + "2" + Box4 + "3" + Box2);
  expect("--keep-largest 2", "1" + Box24 + "2" + Box4);
  expect("--keep-largest 2 --min-size 5", "1" + Box24);
  expect("--background-value 1", "0" + Box2 + "2" + Box24 + "3" + Box4);
  expect("--background-value -1 --output-type int8", "0" + Box2 + "1" + Box24 + "2" + Box4);
  expect("--min-size 25", "");
}

TEST_F(CudaConnectedComponentsTool, LabelsByValue)
{
  using ImageType = itk::Image<short, 2>;
  const auto  image = ImageType::New();
  const short pixels[] = { -5, -5, 7, 0, //
                           7,  7,  7, 0, //
                           0,  0,  0, 7 };
  image->SetRegions(ImageType::SizeType{ { 4, 3 } });
  image->Allocate();
  std::copy_n(pixels, 12, image->GetBufferPointer());
  Write(image.GetPointer(), this->File("in.nii"));
  Outcome run = this->Call("in.nii out.nrrd --by-value --table table.csv");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  const std::string header =
    "label,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,value,area_mm2,centroid_x,centroid_y\n";
  const std::string rows = "1,2,0,0,1,2,0.0,0.5,-5,2.0,0.5,0.0\n"
                           "2,4,0,0,2,3,0.75,1.25,7,4.0,1.25,0.75\n";
  EXPECT_EQ(ReadText(this->File("table.csv")), header + rows + "3,1,2,3,3,4,2.0,3.0,7,1.0,3.0,2.0\n");
  const auto number = itk::Image<float, 2>::New();
  number->SetRegions(image->GetLargestPossibleRegion());
  number->Allocate();
  number->FillBuffer(0.1F);
  Write(number.GetPointer(), this->File("number.nii"));
  this->Call("number.nii --by-value --table number.csv");
  EXPECT_NE(ReadText(this->File("number.csv")).find(",0.1,12.0,"), std::string::npos);
  number->GetBufferPointer()[0] = std::numeric_limits<float>::quiet_NaN();
  Write(number.GetPointer(), this->File("number.nii"));
  this->Call("number.nii --label-table number.csv");
  const std::string ofNumber = ReadText(this->File("number.csv"));
  EXPECT_EQ(std::count(ofNumber.begin(), ofNumber.end(), '\n'), 2) << ofNumber; // no label is NaN
  const auto expect = [&](const std::string & arguments, const std::vector<unsigned int> & labels) {
    run = this->Call("in.nii out.nrrd --quiet " + arguments);
    EXPECT_EQ(run.status, 0) << run.errors;
    const auto                      output = Read<itk::Image<unsigned int, 2>>(this->File("out.nrrd"));
    const std::vector<unsigned int> written(output->GetBufferPointer(), output->GetBufferPointer() + 12);
    EXPECT_EQ(written, labels) << arguments;
  };
  expect("--by-value", { 1, 1, 2, 0, 2, 2, 2, 0, 0, 0, 0, 3 });
  expect("--by-value --connectivity 8", { 1, 1, 2, 0, 2, 2, 2, 0, 0, 0, 0, 2 });
  expect("--by-value --lower 0", { 0, 0, 1, 2, 1, 1, 1, 2, 3, 3, 3, 4 });
  expect("--by-value --sort-by-size", { 2, 2, 1, 0, 1, 1, 1, 0, 0, 0, 0, 3 });
  expect("", { 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 2 });
  run = this->Call("in.nii kept.nrrd --by-value --mask-output --clear-border --quiet");
  EXPECT_EQ(run.status, 0) << run.errors;
  const auto kept = Read<ImageType>(this->File("kept.nrrd"));
  EXPECT_EQ(std::count(kept->GetBufferPointer(), kept->GetBufferPointer() + 12, 0), 12);
  expect("--by-value --keep-largest 1", { 1, 1, 2, 0, 2, 2, 2, 0, 0, 0, 0, 0 });
  expect("--by-value --min-size 2", { 1, 1, 2, 0, 2, 2, 2, 0, 0, 0, 0, 0 });
  expect("--by-value --max-size 2 --lower 0", { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2 });
  const std::string labels =
    "label,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,area_mm2,centroid_x,centroid_y\n"
    "-5,2,0,0,1,2,0.0,0.5,2.0,0.5,0.0\n"
    "7,5,0,0,3,4,1.0,1.6,5.0,1.6,1.0\n";
  for (const std::string option : { "", "--min-size 3" })
  {
    run = this->Call("in.nii --label-table labels.csv " + option);
    EXPECT_EQ(ReadText(this->File("labels.csv")), labels) << option;
    EXPECT_EQ(run.errors, "");
  }
  EXPECT_NE(this->Call("in.nii --label-table labels.csv --shapes --intensity in.nii --json").printed.find("labels.csv"),
            std::string::npos);
  EXPECT_NE(ReadText(this->File("labels.csv")).find("intensity_sigma"), std::string::npos);
  const short rings[] = { 3, 3, 3, 3, //
                          3, 0, 5, 3, //
                          3, 3, 3, 3 };
  std::copy_n(rings, 12, image->GetBufferPointer());
  Write(image.GetPointer(), this->File("in.nii"));
  this->Call("in.nii --label-table labels.csv --fill-holes");
  EXPECT_EQ(ReadText(this->File("labels.csv")).find("\n0,"), std::string::npos); // the hole has no label
  expect("--by-value --fill-holes", { 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1 });
  run = this->Call("in.nii filled.nrrd --by-value --fill-holes --mask-output");
  EXPECT_NE(run.printed.find("holes: 1 filled, 1 pixel\n"), std::string::npos) << run.printed << run.errors;
  const auto filled = Read<ImageType>(this->File("filled.nrrd"));
  EXPECT_EQ(std::count(filled->GetBufferPointer(), filled->GetBufferPointer() + 12, 3), 11);
  this->ExpectUsageError("in.nii out.nrrd --by-value --fill-holes --lower 1", "leave out --lower");
  this->ExpectUsageError("in.nii out.nrrd --by-value --fully-connected --algorithm buf", "does not label by value");
}

TEST_F(CudaConnectedComponentsTool, Connectivities)
{
  const auto image = MakeEmpty<MaskType>({ { 4, 4, 4 } });
  AddBox(image.GetPointer(), { { 0, 0, 0 } }, { { 1, 1, 1 } });
  AddBox(image.GetPointer(), { { 1, 1, 0 } }, { { 1, 1, 1 } }); // shares an edge with the first one
  AddBox(image.GetPointer(), { { 2, 2, 1 } }, { { 1, 1, 1 } }); // shares a corner with the second one
  Write(image.GetPointer(), this->File("in.mha"));
  for (const auto & row : { std::make_pair("6", 3), std::make_pair("18", 2), std::make_pair("26", 1) })
  {
    const Outcome run = this->Call(std::string("in.mha out.mha --json --connectivity ") + row.first);
    EXPECT_EQ(run.status, 0) << run.errors;
    const auto report = nlohmann::json::parse(run.printed);
    EXPECT_EQ(report.at("connectivity"), std::stoi(row.first));
    EXPECT_EQ(report.at("objects"), row.second);
  }
  const Outcome run = this->Call("in.mha out.mha --connectivity 8");
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.errors.find("is a volume, which has 6, 18 or 26 neighbors, not 8"), std::string::npos) << run.errors;
  this->ExpectUsageError("in.mha out.mha --connectivity 7", "must be auto or 4");
}

TEST_F(CudaConnectedComponentsTool, WritesATableAsJson)
{
  Write(MakeBoxes().GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha --table table.json --sort-by-size");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto table = nlohmann::ordered_json::parse(ReadText(this->File("table.json")));
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].dump(),
            "{\"label\":1,\"area\":24,\"bbox-0\":1,\"bbox-1\":2,\"bbox-2\":5,\"bbox-3\":3,\"bbox-4\":5,\"bbox-5\":9,"
            "\"centroid-0\":1.5,\"centroid-1\":3.0,\"centroid-2\":6.5,\"area_mm3\":18.0,"
            "\"centroid_x\":13.25,\"centroid_y\":-17.75,\"centroid_z\":33.0}");
  EXPECT_EQ(table[1].at("area"), 4);
  EXPECT_EQ(table[2].at("area"), 2);
  EXPECT_EQ(table[2].at("label"), 3);
  const auto labels = Read<LabelsType>(this->File("out.mha"));
  EXPECT_EQ(labels->GetPixel({ { 5, 2, 1 } }), 1U);
  EXPECT_EQ(labels->GetPixel({ { 0, 6, 5 } }), 2U);
  EXPECT_EQ(labels->GetPixel({ { 1, 1, 0 } }), 3U);

  run = this->Call("in.mha out.mha --table table.json --min-size 1000");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(nlohmann::json::parse(ReadText(this->File("table.json"))), nlohmann::json::array());
}

TEST_F(CudaConnectedComponentsTool, WritesATableOfAPlane)
{
  const auto   image = MakeEmpty<PlaneType>({ { 9, 7 } });
  const double spacing[2] = { 0.5, 3.0 };
  const double origin[2] = { -4.0, 100.0 };
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  AddBox(image.GetPointer(), { { 4, 1 } }, { { 1, 1 } });
  AddBox(image.GetPointer(), { { 2, 3 } }, { { 3, 2 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha --table table.csv --min-size '1.5 mm2'");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(ReadText(this->File("table.csv")),
            "label,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,area_mm2,centroid_x,centroid_y\n"
            "1,1,1,4,2,5,1.0,4.0,1.5,-2.0,103.0\n"
            "2,6,3,2,5,5,3.5,3.0,9.0,-2.5,110.5\n");
  EXPECT_NE(run.printed.find("  label 2: 6 pixels, 9 mm2\n  label 1: 1 pixel, 1.5 mm2\n"), std::string::npos)
    << run.printed;
}

// The physical centroid is rounded. The centroid in pixels must be exact, and both must read back as they were.
TEST_F(CudaConnectedComponentsTool, TablesAreExact)
{
  const auto image = MakeEmpty<MaskType>({ { 9, 8, 7 } });
  image->SetSpacing(itk::Vector<double, 3>(0.7));
  const double origin[3] = { -123.4, 0.1, 1e5 / 3.0 };
  image->SetOrigin(origin);
  MaskType::DirectionType direction;
  direction.Fill(0.0);
  direction[0][1] = -1.0;
  direction[1][0] = 1.0;
  direction[2][2] = 1.0;
  image->SetDirection(direction);
  AddBox(image.GetPointer(), { { 3, 4, 5 } }, { { 2, 1, 1 } });
  AddBox(image.GetPointer(), { { 3, 5, 5 } }, { { 1, 1, 1 } });
  Write(image.GetPointer(), this->File("in.nrrd"));
  const Outcome run = this->Call("in.nrrd --table table.json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto row = nlohmann::json::parse(ReadText(this->File("table.json"))).at(0);
  EXPECT_EQ(row.at("centroid-0").get<double>(), 5.0);
  EXPECT_EQ(row.at("centroid-1").get<double>(), 13.0 / 3.0);
  EXPECT_EQ(row.at("centroid-2").get<double>(), 10.0 / 3.0);
  itk::ContinuousIndex<double, 3> centroid;
  centroid[0] = 10.0 / 3.0;
  centroid[1] = 13.0 / 3.0;
  centroid[2] = 5.0;
  itk::Point<double, 3> point;
  Read<MaskType>(this->File("in.nrrd"))->TransformContinuousIndexToPhysicalPoint(centroid, point);
  EXPECT_DOUBLE_EQ(row.at("centroid_x").get<double>(), point[0]);
  EXPECT_DOUBLE_EQ(row.at("centroid_y").get<double>(), point[1]);
  EXPECT_DOUBLE_EQ(row.at("centroid_z").get<double>(), point[2]);
}

/** Expects the shape of a solid box, by the formulas for boxes. `edges` are its edges in pixels along x, y and z. The
 * spacing is the spacing of MakeBoxes(). */
void
ExpectShapeOfBox(const nlohmann::json & row, const std::array<double, 3> & edges)
{
  const std::array<double, 3>                   spacing{ 0.5, 0.75, 2.0 };
  std::array<std::pair<double, std::size_t>, 3> moments;
  double                                        volume = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    moments[axis] = { spacing[axis] * spacing[axis] * (edges[axis] * edges[axis] - 1.0) / 12.0, axis };
    volume *= spacing[axis] * edges[axis];
  }
  std::sort(moments.begin(), moments.end());
  const auto ratio = [&](std::size_t a, std::size_t b) {
    return moments[b].first > 0.0 ? std::sqrt(moments[a].first / moments[b].first) : 0.0;
  };
  const auto expect = [&row](const std::string & column, double value) {
    EXPECT_NEAR(row.at(column).get<double>(), value, 1e-12 * std::max(1.0, value)) << column;
  };
  const double pi = std::acos(-1.0);
  const double radius = std::cbrt(3.0 * volume / (4.0 * pi));
  const double mean = std::cbrt(moments[0].first * moments[1].first * moments[2].first);
  expect("elongation", ratio(2, 1));
  expect("flatness", ratio(1, 0));
  expect("equivalent_radius_mm", radius);
  for (std::size_t i = 0; i < 3; ++i)
  {
    const std::string number = std::to_string(i);
    expect("principal_moment_" + number + "_mm2", moments[i].first);
    expect("ellipsoid_diameter_" + number + "_mm",
           mean > 0.0 ? 2.0 * radius * std::sqrt(moments[i].first / mean) : 0.0);
    for (std::size_t axis = 0; axis < 3 && mean > 0.0; ++axis)
    {
      const std::string column = "principal_axis_" + number + '_' + "xyz"[axis];
      EXPECT_NEAR(std::abs(row.at(column).get<double>()), axis == moments[i].second ? 1.0 : 0.0, 1e-12) << column;
    }
  }
}

TEST_F(CudaConnectedComponentsTool, WritesShapes)
{
  const auto image = MakeBoxes();
  AddBox(image.GetPointer(), { { 8, 7, 4 } }, { { 3, 2, 4 } });
  Write(image.GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha --table table.json --shapes --quiet");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto table = nlohmann::json::parse(ReadText(this->File("table.json")));
  ASSERT_EQ(table.size(), 4U);
  ExpectShapeOfBox(table[0], { 2, 1, 1 });
  ExpectShapeOfBox(table[1], { 4, 3, 2 });
  ExpectShapeOfBox(table[2], { 3, 2, 4 });
  ExpectShapeOfBox(table[3], { 2, 2, 1 });

  run = this->Call("in.mha --table table.csv --shapes --keep-largest 1 --sort-by-size");
  ASSERT_EQ(run.status, 0) << run.errors;
  const std::string text = ReadText(this->File("table.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n') + 1),
            HeaderOfVolume.substr(0, HeaderOfVolume.size() - 1) +
              ",elongation,flatness,equivalent_radius_mm,ellipsoid_diameter_0_mm,ellipsoid_diameter_1_mm,"
              "ellipsoid_diameter_2_mm,principal_moment_0_mm2,principal_moment_1_mm2,principal_moment_2_mm2,"
              "principal_axis_0_x,principal_axis_0_y,principal_axis_0_z,principal_axis_1_x,principal_axis_1_y,"
              "principal_axis_1_z,principal_axis_2_x,principal_axis_2_y,principal_axis_2_z\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), ','), 2 * 32);
  this->ExpectUsageError("in.mha out.mha --shapes", "--shapes requires --table");
}

TEST_F(CudaConnectedComponentsTool, WritesShapesOfAPlane)
{
  const auto image = MakeEmpty<PlaneType>({ { 9, 7 } });
  AddBox(image.GetPointer(), { { 2, 3 } }, { { 3, 2 } });
  image->SetSpacing(itk::Vector<double, 2>(2.0));
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha --table table.json --shapes");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto row = nlohmann::json::parse(ReadText(this->File("table.json"))).at(0);
  EXPECT_EQ(row.count("flatness"), 0U) << "it would be equal to the elongation";
  EXPECT_EQ(row.count("principal_moment_2_mm2"), 0U);
  EXPECT_DOUBLE_EQ(row.at("principal_moment_0_mm2").get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(row.at("principal_moment_1_mm2").get<double>(), 8.0 / 3.0);
  EXPECT_DOUBLE_EQ(row.at("elongation").get<double>(), std::sqrt(8.0 / 3.0));
  EXPECT_DOUBLE_EQ(row.at("equivalent_radius_mm").get<double>(), std::sqrt(24.0 / std::acos(-1.0)));
  EXPECT_DOUBLE_EQ(std::abs(row.at("principal_axis_0_y").get<double>()), 1.0);
}

/** Returns an image with the size and geometry of another, of random values from `low` to `low` + 999. */
template <typename TPixel>
typename itk::Image<TPixel, 3>::Pointer
MakeIntensities(const MaskType * mask, TPixel low)
{
  auto image = itk::Image<TPixel, 3>::New();
  image->CopyInformation(mask);
  image->SetRegions(mask->GetLargestPossibleRegion());
  image->Allocate();
  std::mt19937 random(415);
  std::generate_n(image->GetBufferPointer(), mask->GetLargestPossibleRegion().GetNumberOfPixels(), [&] {
    return static_cast<TPixel>(low + static_cast<TPixel>(random() % 1000));
  });
  return image;
}

/** Expects the intensities of each label in a table, by loops. */
template <typename TPixel>
void
ExpectIntensities(const nlohmann::json & table, const LabelsType * labels, const itk::Image<TPixel, 3> * intensities)
{
  std::vector<std::vector<double>> values(table.size());
  for (std::size_t i = 0; i < labels->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
  {
    if (const unsigned int label = labels->GetBufferPointer()[i])
    {
      ASSERT_LE(label, values.size());
      values[label - 1].push_back(static_cast<double>(intensities->GetBufferPointer()[i]));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const auto & row = table[i];
    const auto   count = static_cast<double>(values[i].size());
    const double sum = std::accumulate(values[i].begin(), values[i].end(), 0.0);
    double       squares = 0.0;
    for (const double value : values[i])
    {
      squares += (value - sum / count) * (value - sum / count);
    }
    const double sigma = count > 1 ? std::sqrt(squares / (count - 1.0)) : 0.0;
    EXPECT_EQ(row.at("area"), values[i].size());
    EXPECT_DOUBLE_EQ(row.at("intensity_sum").get<double>(), sum);
    EXPECT_DOUBLE_EQ(row.at("intensity_mean").get<double>(), sum / count);
    EXPECT_NEAR(row.at("intensity_sigma").get<double>(), sigma, 1e-9);
    EXPECT_EQ(row.at("intensity_min").get<double>(), *std::min_element(values[i].begin(), values[i].end()));
    EXPECT_EQ(row.at("intensity_max").get<double>(), *std::max_element(values[i].begin(), values[i].end()));
  }
}

TEST_F(CudaConnectedComponentsTool, WritesIntensities)
{
  const auto image = MakeVolume();
  Write(image.GetPointer(), this->File("in.mha"));
  const auto expect = [&](auto low, const std::string & options) {
    const auto intensities = MakeIntensities(image.GetPointer(), low);
    Write(intensities.GetPointer(), this->File("ct.nrrd"));
    const Outcome run = this->Call("in.mha out.mha --table table.json --json --intensity ct.nrrd " + options);
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(nlohmann::json::parse(run.printed).at("intensity"), "ct.nrrd");
    const auto table = nlohmann::json::parse(ReadText(this->File("table.json")));
    ASSERT_GT(table.size(), 1U);
    ExpectIntensities(table, Read<LabelsType>(this->File("out.mha")).GetPointer(), intensities.GetPointer());
  };
  expect(static_cast<unsigned char>(0), "");
  expect(static_cast<short>(-1000), "");
  expect(static_cast<unsigned short>(50000), "--min-size 3 --sort-by-size");
  expect(-500, "--keep-largest 7");
  expect(0.0F, "--fill-holes --fully-connected --shapes");
  expect(0.0, "--backend cpu");
}

TEST_F(CudaConnectedComponentsTool, WritesTheHeaderOfIntensities)
{
  const auto image = MakeBoxes();
  Write(image.GetPointer(), this->File("in.mha"));
  auto values = MakeIntensities(image.GetPointer(), 0.0F);
  values->FillBuffer(2.5F);
  values->SetPixel({ { 0, 6, 5 } }, std::numeric_limits<float>::quiet_NaN());
  values->SetPixel({ { 5, 2, 1 } }, std::numeric_limits<float>::infinity());
  Write(values.GetPointer(), this->File("ct.mha"));
  Outcome run = this->Call("in.mha --table table.csv --intensity ct.mha");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto line = [](const std::string & text) { return text.substr(0, text.size() - 1); };
  EXPECT_EQ(ReadText(this->File("table.csv")),
            line(HeaderOfVolume) + ",intensity_mean,intensity_sigma,intensity_min,intensity_max,intensity_sum\n1" +
              line(Box2) + ",2.5,0.0,2.5,2.5,5.0\n2" + line(Box24) + ",inf,nan,2.5,inf,inf\n3" + line(Box4) +
              ",nan,nan,2.5,2.5,nan\n");
  run = this->Call("in.mha --table table.json --intensity ct.mha");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto table = nlohmann::json::parse(ReadText(this->File("table.json")));
  EXPECT_TRUE(table[1].at("intensity_mean").is_null());
  EXPECT_TRUE(table[2].at("intensity_sum").is_null());
  EXPECT_EQ(table[2].at("intensity_min"), 2.5);

  run = this->Call("in.mha --table table.csv --intensity ct.mha --min-size 1000");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(ReadText(this->File("table.csv")),
            line(HeaderOfVolume) + ",intensity_mean,intensity_sigma,intensity_min,intensity_max,intensity_sum\n");
}

TEST_F(CudaConnectedComponentsTool, RefusesBadIntensities)
{
  const auto image = MakeBoxes();
  Write(image.GetPointer(), this->File("in.mha"));
  Write(MakeEmpty<PlaneType>({ { 12, 10 } }).GetPointer(), this->File("plane.mha"));
  Write(MakeEmpty<MaskType>({ { 12, 10, 8 } }).GetPointer(), this->File("elsewhere.mha"));
  const auto expect = [&](const std::string & file, const std::string & part) {
    this->ExpectFailure("in.mha --table table.csv --intensity " + file, part);
  };
  expect("nothing.mha", "nothing.mha: there is no such file");
  expect("plane.mha", "plane.mha: cannot be the intensity image of in.mha: one is a plane, the other is a volume");
  expect("elsewhere.mha",
         "elsewhere.mha: cannot be the intensity image of in.mha: the spacing, origin and axes must be the same, and "
         "the intensity image must cover the image: elsewhere.mha has 12 x 10 x 8 pixels of 1 x 1 x 1 mm");
  const auto small = MakeEmpty<MaskType>({ { 12, 10, 7 } });
  small->SetSpacing(image->GetSpacing());
  small->SetOrigin(image->GetOrigin());
  Write(small.GetPointer(), this->File("small.mha"));
  expect("small.mha", "must cover the image: small.mha has 12 x 10 x 7 pixels");

  using VectorsType = itk::Image<itk::Vector<float, 3>, 3>;
  const auto vectors = VectorsType::New();
  vectors->CopyInformation(image);
  vectors->SetRegions(image->GetLargestPossibleRegion());
  vectors->Allocate(true);
  Write(vectors.GetPointer(), this->File("vectors.mha"));
  expect("vectors.mha", "vectors.mha: has more than one value per pixel; --intensity needs an image with one value");
  this->ExpectUsageError("in.mha out.mha --intensity in.mha", "--intensity requires --table");
}

TEST_F(CudaConnectedComponentsTool, WritesATableWithoutLabels)
{
  Write(MakeBoxes().GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha --table table.csv --json --keep-largest 1 --preview preview.png");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(this->ListFiles().size(), 3U);
  const auto json = nlohmann::json::parse(run.printed);
  EXPECT_TRUE(json.at("output").is_null());
  EXPECT_TRUE(json.at("outputType").is_null());
  EXPECT_EQ(json.at("table"), "table.csv");
  EXPECT_EQ(json.at("objects"), 1);
  EXPECT_EQ(json.at("objectsFound"), 3);
  this->ExpectUsageError("in.mha --table table.csv --output-type uint8", "--output-type requires OUTPUT");
  this->ExpectUsageError("in.mha --table table.csv --background-value 1", "--background-value requires OUTPUT");
}

TEST_F(CudaConnectedComponentsTool, RemovesSmallComponents)
{
  // Components of 39, 40 and 41 pixels of 0.125 mm3.
  const auto image = MakeEmpty<MaskType>({ { 20, 12, 3 } });
  image->SetSpacing(itk::Vector<double, 3>(0.5));
  AddBox(image.GetPointer(), { { 0, 0, 0 } }, { { 13, 3, 1 } });
  AddBox(image.GetPointer(), { { 0, 4, 0 } }, { { 20, 2, 1 } });
  AddBox(image.GetPointer(), { { 0, 7, 0 } }, { { 10, 4, 1 } });
  AddBox(image.GetPointer(), { { 0, 7, 1 } }, { { 1, 1, 1 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const auto expect = [&](const std::string & size, unsigned int first, unsigned int second, unsigned int third) {
    const Outcome run = this->Call("in.mha out.mha --min-size " + size);
    EXPECT_EQ(run.status, 0) << run.errors;
    const auto labels = Read<LabelsType>(this->File("out.mha"));
    EXPECT_EQ(labels->GetPixel({ { 0, 0, 0 } }), first) << size;
    EXPECT_EQ(labels->GetPixel({ { 0, 4, 0 } }), second) << size;
    EXPECT_EQ(labels->GetPixel({ { 0, 7, 1 } }), third) << size;
  };
  for (const std::string size : { "0", "39", "'0 mm3'", "4.875mm3", "'4.875 mm3'", "4.76mm3" })
  {
    expect(size, 1, 2, 3);
  }
  for (const std::string size : { "40", "' 40 '", "5mm3", "'5 mm3'", "'5.0  mm3 '", "0.5e1mm3", "4.876mm3" })
  {
    expect(size, 0, 1, 2);
  }
  for (const std::string size : { "41", "5.001mm3", "'5.125 mm3'" })
  {
    expect(size, 0, 0, 1);
  }
  for (const std::string size : { "42", "5.126mm3", "18446744073709551615", "1e300mm3" })
  {
    expect(size, 0, 0, 0);
  }

  // The spacing of a NIfTI file is the nearest number of type float, here less than 0.7.
  image->SetSpacing(itk::Vector<double, 3>(0.7));
  Write(image.GetPointer(), this->File("in.nii.gz"));
  const Outcome run = this->Call("in.nii.gz out.mha --min-size 13.72mm3");
  EXPECT_NE(run.printed.find("objects: 2 (of 3 found)\n"), std::string::npos) << run.printed << run.errors;
}

// The output type must hold the labels that are written. It need not hold one label for each speck.
TEST_F(CudaConnectedComponentsTool, SpecksNeedNoLabels)
{
  const auto image = MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 }));
  AddBox(image.GetPointer(), { { 0, 0, 0 } }, { { 8, 8, 3 } }, 0);
  AddBox(image.GetPointer(), { { 2, 2, 0 } }, { { 4, 4, 3 } });
  Write(image.GetPointer(), this->File("in.mha"));
  for (const std::string options :
       { "--min-size 2 --output-type auto", "--keep-largest 1 --output-type auto", "--min-size 2 --output-type uint8" })
  {
    const Outcome run = this->Call("in.mha out.mha " + options);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find("objects: 1 (of 1255 found)\nlargest objects:\n  label 1: 48 pixels, 48 mm3\nmilli"),
              std::string::npos)
      << run.printed;
    auto reader = itk::ImageFileReader<MaskType>::New();
    reader->SetFileName(this->File("out.mha"));
    reader->Update();
    EXPECT_EQ(reader->GetImageIO()->GetComponentType(), itk::IOComponentEnum::UCHAR);
    const auto * const pixels = reader->GetOutput()->GetBufferPointer();
    EXPECT_EQ(std::count(pixels, pixels + 2700, 1), 48);
    EXPECT_EQ(std::count(pixels, pixels + 2700, 0), 2652);
  }
}

TEST_F(CudaConnectedComponentsTool, ShowsTheLargestComponents)
{
  const auto image = MakeEmpty<PlaneType>({ { 30, 20 } });
  for (const itk::IndexValueType row : { 0, 1, 2, 3, 4, 5, 6 })
  {
    AddBox(image.GetPointer(), { { 0, 2 * row } }, { { static_cast<itk::SizeValueType>(row % 4 + 1), 1 } });
  }
  Write(image.GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha");
  EXPECT_NE(run.printed.find("objects: 7\n"
                             "largest objects:\n"
                             "  label 4: 4 pixels, 4 mm2\n"
                             "  label 3: 3 pixels, 3 mm2\n"
                             "  label 7: 3 pixels, 3 mm2\n"
                             "  label 2: 2 pixels, 2 mm2\n"
                             "  label 6: 2 pixels, 2 mm2\n"
                             "  (and 2 more)\n"),
            std::string::npos)
    << run.printed << run.errors;
  run = this->Call("in.mha out.mha --keep-largest 5 --sort-by-size");
  EXPECT_NE(run.printed.find("objects: 5 (of 7 found)\nlargest objects:\n  label 1: 4 pixels, 4 mm2\n"),
            std::string::npos)
    << run.printed << run.errors;
  EXPECT_EQ(run.printed.find("more)"), std::string::npos) << run.printed;
}

TEST_F(CudaConnectedComponentsTool, RefusesBadSizes)
{
  Write(MakeBoxes().GetPointer(), this->File("in.mha"));
  Write(MakeEmpty<PlaneType>({ { 9, 7 } }).GetPointer(), this->File("plane.mha"));
  const auto expect = [&](const std::string & option, const std::string & part) {
    this->ExpectUsageError("in.mha out.mha " + option, part);
  };
  expect("--min-size abc", "--min-size \"abc\" is not a size; give a number of pixels such as 100");
  expect("--min-size nan", "\"nan\" is not a size");
  expect("--min-size infmm3", "\"infmm3\" is not a size");
  expect("--min-size ''", "\"\" is not a size");
  expect("--min-size mm3", "\"mm3\" is not a size");
  expect("--min-size 1.2.3mm3", "\"1.2.3mm3\" is not a size");
  expect("--min-size '1,5 mm3'", "\"1,5 mm3\" is not a size");
  expect("--min-size '5 5 mm3'", "has the unknown unit \"5 mm3\"");
  expect("--min-size '5 cm3'", "\"5 cm3\" has the unknown unit \"cm3\"; use mm3 in volumes, mm2 in planes");
  expect("--min-size '5 mm3 each'", "has the unknown unit \"mm3 each\"");
  expect("--min-size 100px", "has the unknown unit \"px\"");
  expect("--min-size 5.5", "\"5.5\" is not a whole number of pixels; use digits only, or add the unit mm3");
  expect("--min-size 1e3", "\"1e3\" is not a whole number of pixels");
  expect("--min-size -5", "\"-5\" is negative");
  expect("--min-size=-5mm3", "\"-5mm3\" is negative");
  expect("--min-size 18446744073709551616", "is too large; the maximum is 18446744073709551615");
  expect("--min-size 1e400mm3", "\"1e400mm3\" is too large");
  expect("--keep-largest 0", "--keep-largest \"0\" is not a whole number of at least 1");
  expect("--keep-largest -1", "\"-1\" is not a whole number of at least 1");
  expect("--keep-largest 1.5", "\"1.5\" is not a whole number");
  expect("--keep-largest 2x", "\"2x\" is not a whole number");
  expect("--keep-largest all", "\"all\" is not a whole number");
  expect("--keep-largest 18446744073709551616", "is too large");
  this->ExpectFailure("in.mha out.mha --min-size 5mm2",
                      "in.mha: is a volume, but --min-size is in mm2; use mm3, or no unit for pixels");
  this->ExpectFailure("plane.mha out.mha --min-size 5mm3",
                      "plane.mha: is a plane, but --min-size is in mm3; use mm2, or no unit for pixels");
}

TEST_F(CudaConnectedComponentsTool, RefusesTablesThatCannotBeWritten)
{
  Write(MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 })).GetPointer(), this->File("in.mha"));
  std::filesystem::create_directory(this->File("folder.csv"));
  for (const std::string name : { "table.txt", "table", "table.csv.gz", ".csv", "''" })
  {
    this->ExpectUsageError("in.mha out.mha --table " + name, "must end in .csv or .json");
  }
  this->ExpectFailure("in.mha out.mha --table nowhere/table.csv", "there is no folder nowhere");
  this->ExpectFailure("in.mha out.mha --table in.mha/table.csv", "there is no folder in.mha");
  this->ExpectFailure("in.mha out.mha --table folder.csv", "folder.csv: cannot be written: it is a folder");
  this->ExpectFailure("in.mha out.png --output-type auto --table table.csv", "does not give the same pixels back");

  // A limit on the size of files has the effect of a full disk.
  std::ofstream(this->File("table.json")) << "old\n";
  const auto before = this->ListFiles();
  for (const std::string name : { "table.csv", "table.json" })
  {
    const Outcome run = this->Run("ulimit -f 8; '" + ToolPath() + "' in.mha out.mha --quiet --table " + name);
    EXPECT_EQ(run.status, 1) << run.errors;
    EXPECT_NE(run.errors.find(name + ": cannot be written: File too large\n"), std::string::npos) << run.errors;
    EXPECT_EQ(this->ListFiles(), before);
  }
  EXPECT_EQ(ReadText(this->File("table.json")), "old\n");
}

} // namespace
