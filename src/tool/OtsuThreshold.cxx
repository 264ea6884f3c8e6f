// SPDX-License-Identifier: Apache-2.0
#include "OtsuThreshold.h"

// Makes the histogram that ITK's filter makes. The filter would be compiled for each pixel type, but its histogram has
// numbers of type double for all of them.

#include "Failure.h"
#include "PixelValues.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "itkHistogram.h"
#include "itkOtsuMultipleThresholdsCalculator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace
{

using Histogram = itk::Statistics::Histogram<double>;

constexpr std::size_t BinCount = 256;

struct Range
{
  double minimum = std::numeric_limits<double>::max();
  double maximum = std::numeric_limits<double>::lowest();

  /** Extends the range to a value. NaN changes nothing. In ITK, the range of an image with NaN depends on the number of
   * threads. */
  void
  Add(double value)
  {
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
};

/** Divides an image into parts. Calls visit(part, values) for the values of each row, on several threads, but on one
 * thread for each part. */
constexpr std::uint64_t PartCount = 64;

void
VisitRows(const ImageView &                                                                   image,
          const std::function<void(std::uint64_t part, const std::vector<double> & values)> & visit)
{
  const std::uint64_t rowCount = image.size[1] * image.size[2];
  const auto          threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentsDetail::ForEachInParallel(threader, PartCount, [&](std::uint64_t part) {
    std::vector<double> values(image.size[0]);
    for (std::uint64_t row = rowCount * part / PartCount; row < rowCount * (part + 1) / PartCount; ++row)
    {
      ReadRow(image, row, 1, values.data());
      visit(part, values);
    }
  });
}

/** Makes a histogram without counts, as itk::Statistics::ImageToHistogramFilter does. Throws Failure if there are no
 * bins for the values. */
Histogram::Pointer
MakeBins(const ImageView & image, const std::string & file)
{
  bool  isClipped = true;
  Range range;
  if (itk::ccl::SizeOf(image.type) == 1)
  {
    range = image.type == ImageView::PixelTypeEnum::Int8 ? Range{ -128.5, 127.5 } : Range{ -0.5, 255.5 };
  }
  else
  {
    std::vector<Range> ranges(PartCount);
    VisitRows(image, [&ranges](std::uint64_t part, const std::vector<double> & values) {
      std::for_each(values.begin(), values.end(), [&](double value) { ranges[part].Add(value); });
    });
    for (const Range & other : ranges)
    {
      range.minimum = std::min(range.minimum, other.minimum);
      range.maximum = std::max(range.maximum, other.maximum);
    }
    RefuseIf(!std::isfinite(range.maximum - range.minimum),
             file + ": has no Otsu's threshold: it has an infinite value, only NaN, or too large a range; choose the "
                    "values with --lower or --upper");
    const double margin = (range.maximum - range.minimum) / BinCount / 100.0;
    isClipped = std::numeric_limits<double>::max() - range.maximum > margin;
    range.maximum += isClipped ? margin : 0.0;
  }
  auto                             histogram = Histogram::New();
  Histogram::MeasurementVectorType minimum(1);
  Histogram::MeasurementVectorType maximum(1);
  Histogram::SizeType              size(1);
  minimum.Fill(range.minimum);
  maximum.Fill(range.maximum);
  size.Fill(BinCount);
  histogram->SetClipBinsAtEnds(isClipped);
  histogram->SetMeasurementVectorSize(1);
  histogram->Initialize(size, minimum, maximum);
  return histogram;
}

} // namespace

double
FindOtsuThreshold(const ImageView & image, const std::string & file)
{
  const Histogram::Pointer histogram = MakeBins(image, file);
  // Values outside the bins have the index BinCount.
  std::vector<std::vector<std::uint64_t>> counts(PartCount, std::vector<std::uint64_t>(BinCount + 1));
  VisitRows(image, [&](std::uint64_t part, const std::vector<double> & values) {
    Histogram::MeasurementVectorType value(1);
    Histogram::IndexType             index(1);
    index[0] = BinCount;
    value[0] = std::numeric_limits<double>::quiet_NaN();
    for (const double next : values)
    {
      if (std::isnan(next))
      {
        continue; // ITK would find a bin for it
      }
      if (next != value[0])
      {
        value[0] = next;
        histogram->GetIndex(value, index);
      }
      ++counts[part][static_cast<std::size_t>(index[0])];
    }
  });
  for (const auto & part : counts)
  {
    for (std::size_t bin = 0; bin < BinCount; ++bin)
    {
      histogram->IncreaseFrequency(bin, part[bin]);
    }
  }
  const auto calculator = itk::OtsuMultipleThresholdsCalculator<Histogram>::New();
  calculator->SetInputHistogram(histogram);
  calculator->SetNumberOfThresholds(1);
  calculator->Compute();
  return calculator->GetOutput()[0];
}
