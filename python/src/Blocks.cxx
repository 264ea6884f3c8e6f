// SPDX-License-Identifier: Apache-2.0
#include "Blocks.h"

#include "Array.h"
#include "Columns.h"
#include "Threads.h"

#include "itkCudaConnectedComponentBlocks.h"

#include "algorithms/blocks/BlockIntensities.h"
#include "primitives/PixelTypes.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace
{

using Blocks = itk::CudaConnectedComponentBlocks;
using Block = Blocks::BlockType;
using Seam = Blocks::SeamType;
using BlockLabels = Blocks::LabelsType;
using Size = Blocks::SizeType;
using Table = itk::CudaConnectedComponentTable;
using Intensities = itk::CudaConnectedComponentIntensities;

/** The element of the arrays of a column, and their number in each row. */
template <typename T>
struct Elements
{
  using Type = T;
  static constexpr std::size_t Count = 1;
};
template <>
struct Elements<Table::Sum>
{
  using Type = std::uint64_t;
  static constexpr std::size_t Count = 2;
};
template <>
struct Elements<Intensities::Integer>
{
  using Type = std::uint64_t;
  static constexpr std::size_t Count = 3;
};
template <>
struct Elements<std::array<std::uint32_t, 2>>
{
  using Type = std::uint32_t;
  static constexpr std::size_t Count = 2;
};

/** Makes a NumPy array that owns the rows. */
template <typename T>
nb::object
ToArray(std::vector<T> && rows)
{
  using Element = typename Elements<T>::Type;
  constexpr std::size_t count = Elements<T>::Count;
  static_assert(sizeof(T) == count * sizeof(Element));
  auto              owned = std::make_unique<std::vector<T>>(std::move(rows));
  const nb::capsule owner(owned.get(), [](void * vector) noexcept { delete static_cast<std::vector<T> *>(vector); });
  std::vector<T> &  column = *owned.release();
  const std::size_t shape[] = { column.size(), count };
  return nb::cast(nb::ndarray<nb::numpy, Element>(column.data(), count == 1 ? 1 : 2, shape, owner));
}

/** Copies the rows of a NumPy array. */
template <typename T>
std::vector<T>
FromArray(nb::handle array)
{
  using Element = typename Elements<T>::Type;
  constexpr std::size_t count = Elements<T>::Count;
  const auto            elements = nb::cast<nb::ndarray<const Element, nb::c_contig, nb::device::cpu>>(array);
  if (elements.ndim() != (count == 1 ? 1 : 2) || (count != 1 && elements.shape(1) != count))
  {
    throw nb::value_error("an array of a block has another shape");
  }
  std::vector<T> rows(elements.shape(0));
  std::copy_n(elements.data(), elements.size(), reinterpret_cast<Element *>(rows.data()));
  return rows;
}

/** Calls visit(name, column) for each column of a table. */
template <typename TTable, typename TVisitor>
void
ForEachNamedColumn(TTable & table, const TVisitor & visit)
{
  visit("pixel_counts", table.pixelCounts);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const std::string name(1, "xyz"[axis]);
    visit("minimum_" + name, table.minimums[axis]);
    visit("maximum_" + name, table.maximums[axis]);
    visit("sum_" + name, table.sums[axis]);
  }
  for (unsigned int pair = 0; pair < 6; ++pair)
  {
    constexpr const char * names[] = { "xx", "xy", "xz", "yy", "yz", "zz" };
    visit(std::string("sum_") + names[pair], table.products[pair]);
  }
  visit("first_pixels", table.firstPixels);
  visit("faces", table.faces);
  visit("values", table.values);
  auto & intensities = table.intensities;
  visit("intensity_counts", intensities.pixelCounts);
  visit("intensity_sums", intensities.sums);
  visit("intensity_squares", intensities.sumsOfSquares);
  visit("intensity_minimums", intensities.minimums);
  visit("intensity_maximums", intensities.maximums);
  visit("intensity_variances", intensities.variances);
  visit("intensity_exact_sums", intensities.exactSums);
  visit("intensity_exact_squares", intensities.exactSumsOfSquares);
  visit("intensity_exact_minimums", intensities.exactMinimums);
  visit("intensity_exact_maximums", intensities.exactMaximums);
}

/** Makes a dictionary of the number of rows and of the columns that are there. */
nb::dict
ToDictionary(Table && table)
{
  nb::dict dictionary;
  dictionary["count"] = table.componentCount;
  ForEachNamedColumn(table, [&dictionary](const std::string & name, auto & column) {
    if (!column.empty())
    {
      dictionary[name.c_str()] = ToArray(std::move(column));
    }
  });
  return dictionary;
}

template <typename T>
void
Read(const nb::dict & dictionary, const char * name, std::vector<T> & rows)
{
  if (dictionary.contains(name))
  {
    rows = FromArray<T>(dictionary[name]);
  }
}

Table
ToTable(const nb::dict & dictionary)
{
  Table table;
  table.componentCount = table.originalComponentCount = nb::cast<std::uint64_t>(dictionary["count"]);
  table.componentCounts = { table.componentCount };
  ForEachNamedColumn(
    table, [&dictionary](const std::string & name, auto & column) { Read(dictionary, name.c_str(), column); });
  return table;
}

/** The name of a face in a dictionary. */
std::string
NameOfFace(std::size_t face)
{
  return "face_" + std::to_string(face);
}

/** Makes a dictionary of a block. */
nb::dict
ToDictionary(Block && block)
{
  nb::dict dictionary;
  dictionary["origin"] = block.origin;
  dictionary["size"] = block.size;
  dictionary["image_size"] = block.imageSize;
  dictionary["connectivity"] = block.connectivity;
  dictionary["value_type"] = static_cast<unsigned int>(block.valueType);
  dictionary["count"] = block.componentCount;
  dictionary["first_pixels"] = ToArray(std::move(block.firstPixels));
  dictionary["border"] = ToArray(std::move(block.borderComponents));
  dictionary["border_values"] = ToArray(std::move(block.borderValues));
  for (std::size_t face = 0; face < block.faces.size(); ++face)
  {
    dictionary[NameOfFace(face).c_str()] = ToArray(std::move(block.faces[face]));
  }
  dictionary["table"] = ToDictionary(std::move(block.table));
  return dictionary;
}

/** The parts of a block that a function reads. */
struct Parts
{
  bool faces = false;
  bool firstPixels = false;
};

Block
ToBlock(nb::handle object, const Parts & parts)
{
  const auto dictionary = nb::cast<nb::dict>(object);
  Block      block;
  block.origin = nb::cast<Size>(dictionary["origin"]);
  block.size = nb::cast<Size>(dictionary["size"]);
  block.imageSize = nb::cast<Size>(dictionary["image_size"]);
  block.connectivity = nb::cast<unsigned int>(dictionary["connectivity"]);
  block.valueType = static_cast<ElementType>(nb::cast<std::uint8_t>(dictionary["value_type"]));
  block.componentCount = nb::cast<std::uint64_t>(dictionary["count"]);
  block.borderComponents = FromArray<std::uint64_t>(dictionary["border"]);
  block.borderValues = FromArray<std::uint64_t>(dictionary["border_values"]);
  if (parts.firstPixels)
  {
    block.firstPixels = FromArray<std::uint64_t>(dictionary["first_pixels"]);
  }
  for (std::size_t face = 0; parts.faces && face < block.faces.size(); ++face)
  {
    block.faces[face] = FromArray<std::uint32_t>(dictionary[NameOfFace(face).c_str()]);
  }
  return block;
}

std::vector<Block>
ToBlocks(const nb::list & list, const Parts & parts)
{
  std::vector<Block> blocks;
  for (const nb::handle block : list)
  {
    blocks.push_back(ToBlock(block, parts));
  }
  return blocks;
}

/** Makes a dictionary of the labels of a block. It also has what Expand() and Compose() read of the block. */
nb::dict
ToDictionary(std::uint64_t count, std::vector<std::uint64_t> && border, BlockLabels && labels)
{
  nb::dict dictionary;
  dictionary["count"] = count;
  dictionary["border"] = ToArray(std::move(border));
  dictionary["begin"] = labels.begin;
  dictionary["border_labels"] = ToArray(std::move(labels.border));
  dictionary["interior_labels"] = ToArray(std::move(labels.interior));
  return dictionary;
}

/** The labels of a block, and what Expand() and Compose() read of the block. */
std::pair<Block, BlockLabels>
ToLabels(const nb::dict & dictionary)
{
  std::pair<Block, BlockLabels> labels;
  auto & [block, ofBlock] = labels;
  block.componentCount = nb::cast<std::uint64_t>(dictionary["count"]);
  block.borderComponents = FromArray<std::uint64_t>(dictionary["border"]);
  // Any box that has room for the components.
  block.size = block.imageSize = { block.componentCount, 1, 1 };
  ofBlock.begin = nb::cast<std::uint64_t>(dictionary["begin"]);
  ofBlock.border = FromArray<std::uint64_t>(dictionary["border_labels"]);
  ofBlock.interior = FromArray<std::uint64_t>(dictionary["interior_labels"]);
  return labels;
}

/** Returns an array, or nothing for None. */
std::optional<Array>
OptionalArray(nb::handle array, bool isOutput)
{
  return array.is_none() ? std::nullopt : std::make_optional<Array>(array, isOutput, false);
}

/** Returns a labeler for a block and its mask. */
CudaConnectedComponentLabeler
LabelerOfBlock(Threads & threads, const std::optional<Array> & mask, const Settings & settings)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(settings);
  labeler.options.onHost = settings.device == HostBackend;
  labeler.options.deviceId = settings.device == HostBackend ? CurrentDevice : settings.device;
  labeler.options.parallelFor = threads.GetLoop();
  labeler.options.mask = mask ? mask->GetView() : labeler.options.mask;
  return labeler;
}

/** Labels a block. `output` gets the labels, or is None. `isMeasured` says whether the block gets a table. */
nb::dict
LabelBlock(nb::handle       image,
           nb::handle       mask,
           nb::handle       output,
           const Size &     origin,
           const Size &     imageSize,
           bool             isMeasured,
           const Settings & settings)
{
  const Array                pixels(image, false, false);
  const std::optional<Array> maskPixels = OptionalArray(mask, false);
  const std::optional<Array> labels = OptionalArray(output, true);
  Block                      block;
  {
    const nb::gil_scoped_release released;
    Threads                      threads(settings.threads);
    Translate([&] {
      CudaConnectedComponentLabeler labeler = LabelerOfBlock(threads, maskPixels, settings);
      labeler.options.outputIsUntouched = labels.has_value();
      labeler.options.columns.pixelCounts = isMeasured;
      const auto noOutput = CudaConnectedComponentImageView{};
      block = Blocks::Label(labeler, pixels.GetView(), labels ? labels->GetView() : noOutput, origin, imageSize);
      if (!isMeasured)
      {
        block.table = {};
      }
    });
  }
  return ToDictionary(std::move(block));
}

/** Returns the seams of all neighbors among blocks: their origins, and the pairs of components. */
nb::list
JoinBlocks(const nb::list & list)
{
  const std::vector<Block> blocks = ToBlocks(list, { true, false });
  std::vector<Seam>        seams;
  {
    const nb::gil_scoped_release released;
    Translate([&] {
      for (const auto & [a, b] : Blocks::FindNeighbors(blocks))
      {
        seams.push_back(Blocks::Join(blocks[a], blocks[b]));
      }
    });
  }
  nb::list result;
  for (Seam & seam : seams)
  {
    result.append(nb::make_tuple(seam.origins, ToArray(std::move(seam.pairs))));
  }
  return result;
}

/** Makes one block of several blocks, with the rows of all. Returns it and the labels of each block. */
nb::tuple
MergeBlocks(const nb::list & list, const nb::list & listOfSeams, bool isInOrderOfFirstPixels)
{
  std::vector<Block> blocks = ToBlocks(list, { true, isInOrderOfFirstPixels });
  std::vector<Seam>  seams;
  for (const nb::handle each : listOfSeams)
  {
    const auto seam = nb::cast<nb::tuple>(each);
    seams.push_back({ nb::cast<std::array<Size, 2>>(seam[0]), FromArray<std::array<std::uint32_t, 2>>(seam[1]) });
  }
  Blocks::Merged merged;
  {
    const nb::gil_scoped_release released;
    Translate([&] {
      merged =
        Blocks::Merge(blocks, seams, isInOrderOfFirstPixels ? Blocks::OrderEnum::FirstPixel : Blocks::OrderEnum::Block);
    });
  }
  Table & table = merged.block.table;
  table.componentCount = merged.block.componentCount;
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    // One at a time, because tables may be large.
    const Table rows = ToTable(nb::cast<nb::dict>(nb::cast<nb::dict>(list[i])["table"]));
    if (rows.componentCount != 0)
    {
      const nb::gil_scoped_release released;
      Translate([&] {
        Blocks::AddRows(rows, Blocks::Expand(blocks[i], merged.labels[i]), merged.block.componentCount, table);
      });
    }
  }
  nb::list labels;
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    labels.append(
      ToDictionary(blocks[i].componentCount, std::move(blocks[i].borderComponents), std::move(merged.labels[i])));
  }
  return nb::make_tuple(ToDictionary(std::move(merged.block)), labels);
}

/** Returns the labels of blocks in the whole image. `labelsOfMerged` are those of the block that was made of them. */
nb::list
ComposeLabels(const nb::list & listOfLabels, const nb::dict & labelsOfMerged)
{
  const auto [merged, ofMerged] = ToLabels(labelsOfMerged);
  nb::list result;
  for (const nb::handle each : listOfLabels)
  {
    auto        labels = ToLabels(nb::cast<nb::dict>(each));
    BlockLabels composed;
    {
      const nb::gil_scoped_release released;
      composed = Translate([&, &merged = merged, &ofMerged = ofMerged] {
        return Blocks::Compose(labels.first, labels.second, merged, ofMerged);
      });
    }
    result.append(
      ToDictionary(labels.first.componentCount, std::move(labels.first.borderComponents), std::move(composed)));
  }
  return result;
}

/** Returns the label of each component of a block. */
nb::object
ExpandLabels(const nb::dict & dictionary)
{
  const auto                 labels = ToLabels(dictionary);
  std::vector<std::uint64_t> all;
  {
    const nb::gil_scoped_release released;
    all = Translate([&] { return Blocks::Expand(labels.first, labels.second); });
  }
  return ToArray(std::move(all));
}

/** Labels a block again, and writes the new label of each component. */
void
LabelBlockAgain(nb::handle image, nb::handle mask, nb::handle output, nb::handle newLabels, const Settings & settings)
{
  const Array                  pixels(image, false, false);
  const std::optional<Array>   maskPixels = OptionalArray(mask, false);
  const Array                  labels(output, true, false);
  const auto                   numbers = FromArray<std::uint64_t>(newLabels);
  const nb::gil_scoped_release released;
  Threads                      threads(settings.threads);
  Translate([&] {
    CudaConnectedComponentLabeler labeler = LabelerOfBlock(threads, maskPixels, settings);
    labeler.options.outputIsUntouched = true;
    Blocks::Relabel(labeler, pixels.GetView(), labels.GetView(), numbers);
  });
}

/** Replaces the labels of a block. The output may be the labels. */
void
RelabelBlock(nb::handle labels, nb::handle output, nb::handle newLabels, unsigned int threadCount)
{
  const Array                  from(labels, false, false);
  const Array                  to(output, true, false);
  const auto                   numbers = FromArray<std::uint64_t>(newLabels);
  const nb::gil_scoped_release released;
  Threads                      threads(threadCount);
  Translate([&] { Blocks::Relabel(from.GetView(), to.GetView(), numbers, threads.GetLoop()); });
}

/** Measures the values of an image of labels, with a row for each value. Returns a table. Its indices are those of the
 * whole image. */
nb::dict
MeasureValuesOfBlock(nb::handle       image,
                     nb::handle       intensities,
                     const Size &     origin,
                     const Size &     imageSize,
                     const Settings & settings)
{
  const Array                pixels(image, false, false);
  const std::optional<Array> second = OptionalArray(intensities, false);
  Table                      table;
  {
    const nb::gil_scoped_release released;
    Threads                      threads(settings.threads);
    Translate([&] {
      CudaConnectedComponentLabeler labeler = LabelerOfBlock(threads, {}, settings);
      const auto                    wanted = labeler.options.columns;
      labeler.options.columns = itk::ccl::ColumnsOfBlock(wanted, true);
      labeler.options.intensities = second ? second->GetView() : labeler.options.intensities;
      table = labeler.Measure(pixels.GetView());
      if (itk::ccl::IsFloat(labeler.options.intensities.type))
      {
        table.intensities = itk::ccl::RangesOf(std::move(table.intensities));
      }
      Block block;
      block.origin = origin;
      block.size = pixels.GetView().size;
      block.imageSize = imageSize;
      itk::ccl::ShiftRows(block, table);
      itk::ccl::RemoveColumns(wanted, table);
    });
  }
  return ToDictionary(std::move(table));
}

/** Adds tables. `labels` has an array for each of them: 1 + the row of the sum for each of its rows. */
nb::dict
AddTables(const nb::list & tables, const nb::list & labels, std::uint64_t count)
{
  Table sum;
  sum.componentCount = count;
  for (std::size_t i = 0; i < tables.size(); ++i)
  {
    const Table                  rows = ToTable(nb::cast<nb::dict>(tables[i]));
    const auto                   rowsOfSum = FromArray<std::uint64_t>(labels[i]);
    const nb::gil_scoped_release released;
    Translate([&] { Blocks::AddRows(rows, rowsOfSum, count, sum); });
  }
  return ToDictionary(std::move(sum));
}

/** Returns the new label of each row of the table of a whole image, by the selection of the settings: 0 if it is not
 * selected. The type is that of the image's values. */
nb::object
SelectRows(const nb::dict & dictionary, const Size & imageSize, nb::handle sample, const Settings & settings)
{
  const Array                pixels(sample, false, false); // has the type of the image
  const Table                table = ToTable(dictionary);
  std::vector<std::uint64_t> labels;
  {
    const nb::gil_scoped_release released;
    labels = Translate([&] {
      return Blocks::Select(table, imageSize, LabelerFor(settings).options.selection, {}, pixels.GetView().type);
    });
  }
  return ToArray(std::move(labels));
}

/** Returns the columns of the settings of the table of a whole image: see MakeDictionary(). */
nb::dict
FinishTable(const nb::dict & dictionary, const Settings & settings)
{
  std::optional<Columns> columns;
  Table                  table = ToTable(dictionary);
  {
    const nb::gil_scoped_release released;
    columns.emplace(std::move(table), settings);
  }
  return MakeDictionary(std::move(*columns), settings);
}

/** Adds the floating-point intensities of a block. `table` has the ranges of its components: a row for each. */
nb::dict
MeasureIntensitiesOfBlock(nb::handle labels, nb::handle intensities, const nb::dict & table, unsigned int threadCount)
{
  const Array                from(labels, false, false);
  const Array                second(intensities, false, false);
  const Table                ranges = ToTable(table);
  std::vector<std::uint64_t> rows(ranges.componentCount);
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    rows[row] = row + 1;
  }
  Table sums;
  {
    const nb::gil_scoped_release released;
    Threads                      threads(threadCount);
    sums = Translate(
      [&] { return Blocks::MeasureIntensities(from.GetView(), second.GetView(), rows, ranges, threads.GetLoop()); });
  }
  return ToDictionary(std::move(sums));
}

/** Makes all columns of floating-point intensities of the sums of all blocks and a table with their ranges. */
nb::dict
FinishIntensitiesOfTable(const nb::dict & sums, const nb::dict & dictionary)
{
  Table table = ToTable(dictionary);
  Translate([&] { Blocks::FinishIntensities(ToTable(sums), table); });
  return ToDictionary(std::move(table));
}

} // namespace

void
DefineBlocks(nb::module_ & module)
{
  const auto image = nb::arg("image");
  const auto origin = nb::arg("origin");
  const auto imageSize = nb::arg("image_size");
  const auto settings = nb::arg("settings");
  const auto intensities = nb::arg("intensities").none();
  const auto labels = nb::arg("labels");
  const auto table = nb::arg("table");
  const auto threads = nb::arg("threads");
  module.def("label_block",
             &LabelBlock,
             image,
             nb::arg("mask").none(),
             nb::arg("output").none(),
             origin,
             imageSize,
             nb::arg("measured"),
             settings);
  module.def("join_blocks", &JoinBlocks, nb::arg("blocks"));
  module.def("merge_blocks", &MergeBlocks, nb::arg("blocks"), nb::arg("seams"), nb::arg("by_first_pixel"));
  module.def("compose_labels", &ComposeLabels, labels, nb::arg("labels_of_merged"));
  module.def("expand_labels", &ExpandLabels, labels);
  module.def("label_block_again",
             &LabelBlockAgain,
             nb::arg("image"),
             nb::arg("mask").none(),
             nb::arg("output"),
             nb::arg("new_labels"),
             nb::arg("settings"));
  module.def("relabel_block", &RelabelBlock, labels, nb::arg("output"), nb::arg("new_labels"), threads);
  module.def("measure_values_of_block", &MeasureValuesOfBlock, image, intensities, origin, imageSize, settings);
  module.def("add_tables", &AddTables, nb::arg("tables"), labels, nb::arg("count"));
  module.def("select_rows", &SelectRows, table, imageSize, nb::arg("sample"), settings);
  module.def("finish_table", &FinishTable, table, settings);
  module.def(
    "measure_intensities_of_block", &MeasureIntensitiesOfBlock, labels, nb::arg("intensities"), table, threads);
  module.def("finish_intensities", &FinishIntensitiesOfTable, nb::arg("sums"), table);
}
