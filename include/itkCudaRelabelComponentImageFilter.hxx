// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaRelabelComponentImageFilter_hxx
#define itkCudaRelabelComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/FreshMemory.h"
#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/LabelRuns.h"
#include "CudaConnectedComponentsDetail/LabelTable.h"
#include "CudaConnectedComponentsDetail/LongRows.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/Process.h"
#include "CudaConnectedComponentsDetail/RelabelComponentMembers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace itk
{

namespace CudaConnectedComponentsDetail
{

/** Whether CudaRelabelComponentImageFilter can count the labels of an image type. */
template <typename TImage>
constexpr bool StoresNumbers = HasScalarBuffer<TImage> && !std::is_same<typename TImage::PixelType, bool>::value;

} // namespace CudaConnectedComponentsDetail

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  const auto start = std::chrono::steady_clock::now();
  if constexpr (StoresNumbers<TInputImage> && StoresNumbers<TOutputImage> && std::is_integral<LabelType>::value)
  {
    this->GenerateDataByTable();
  }
  else
  {
    this->GenerateDataByITK();
  }
  if (Process::IsVerbose())
  {
    Process::Update update;
    update.filter = this->GetNameOfClass();
    update.size = SizeText(this->GetOutput()->GetRequestedRegion());
    update.inputPixel = &typeid(InputPixelType);
    update.outputPixel = &typeid(OutputPixelType);
    update.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    Process::Print(update);
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateDataByTable()
{
  using namespace CudaConnectedComponentsDetail;
  using RunType = LabelRun<LabelType>;

  this->ReportProgress(0.0F);

  const TInputImage * const input = this->GetInput();
  TOutputImage * const      output = this->GetOutput();
  MultiThreaderBase * const threader = this->GetMultiThreader();
  const std::uint64_t       workUnits = this->GetNumberOfWorkUnits();
  threader->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());

  // Each work unit gets one chunk of the pixels, unless the chunks would be very small or very large. The length of a
  // run must fit into 32 bits.
  const auto chunksOf = [workUnits](std::uint64_t pixels) {
    constexpr std::uint64_t minimum = std::uint64_t{ 1 } << 14;
    constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 31;
    return std::max(std::min(workUnits, pixels / minimum), pixels / maximum + 1);
  };
  const auto firstPixel = [](std::uint64_t chunk, std::uint64_t chunks, std::uint64_t pixels) {
    return pixels / chunks * chunk + std::min(chunk, pixels % chunks);
  };

  // Counts the pixels of each label. Stores the runs of the input if they need much less memory than its pixels, so
  // that the input is read only once.
  const RegionType                  inputRegion = input->GetRequestedRegion();
  const LongRows<ImageDimension>    inputRows(inputRegion, input->GetBufferedRegion(), input->GetBufferedRegion());
  const std::uint64_t               inputPixels = inputRegion.GetNumberOfPixels();
  const std::uint64_t               inputChunks = chunksOf(inputPixels);
  const bool                        isWhole = inputRows.AreOne() && output->GetRequestedRegion() == inputRegion;
  LabelTable<LabelType>             table(inputPixels);
  std::vector<std::vector<RunType>> runsOfChunks(inputChunks);
  ForEachInParallel(threader, inputChunks, [&](std::uint64_t chunk) {
    const std::uint64_t begin = firstPixel(chunk, inputChunks, inputPixels);
    const std::uint64_t end = firstPixel(chunk + 1, inputChunks, inputPixels);
    const std::uint64_t maximumRuns = isWhole ? (end - begin) * sizeof(LabelType) / 8 / sizeof(RunType) : 0;

    typename LabelTable<LabelType>::Counter counter(table);
    std::vector<RunType>                    runs;
    bool                                    areStored = maximumRuns > 0;
    runs.reserve(maximumRuns);
    inputRows.ForEach(begin, end, [&](const auto & index, std::uint64_t x, std::uint64_t count) {
      const LabelType *       pixels = input->GetBufferPointer() + input->ComputeOffset(index) + x;
      const LabelType * const pixelsEnd = pixels + count;
      while (pixels < pixelsEnd)
      {
        const LabelType     label = *pixels;
        const std::uint64_t length = GetRunLength(pixels, static_cast<std::uint64_t>(pixelsEnd - pixels));
        if (label != 0)
        {
          counter.Add(label, length);
        }
        if (areStored)
        {
          if (runs.size() < maximumRuns)
          {
            runs.push_back({ label, static_cast<std::uint32_t>(length) });
          }
          else
          {
            areStored = false;
            runs = std::vector<RunType>();
          }
        }
        pixels += length;
      }
    });
    counter.Finish();
    runsOfChunks[chunk] = std::move(runs);
  });

  this->AssignLabels(table);
  this->ReportProgress(0.5F);

  const bool isFresh = output->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  const RegionType               outputRegion = output->GetRequestedRegion();
  const std::uint64_t            outputPixels = outputRegion.GetNumberOfPixels();
  const LongRows<ImageDimension> outputRows(outputRegion, input->GetBufferedRegion(), output->GetBufferedRegion());
  // Untouched pages of the background need no memory.
  const bool isZero = isFresh && !this->GetRunningInPlace() &&
                      FreshMemory::Prepare(output->GetBufferPointer(),
                                           output->GetBufferedRegion().GetNumberOfPixels() * sizeof(OutputPixelType));
  const bool          useRuns = isWhole && outputRows.AreOne();
  const std::uint64_t outputChunks = chunksOf(outputPixels);
  ForEachInParallel(threader, outputChunks, [&](std::uint64_t chunk) {
    const std::uint64_t begin = firstPixel(chunk, outputChunks, outputPixels);
    const std::uint64_t end = firstPixel(chunk + 1, outputChunks, outputPixels);
    outputRows.ForEach(begin, end, [&](const auto & index, std::uint64_t x, std::uint64_t count) {
      OutputPixelType * outputPixel = output->GetBufferPointer() + output->ComputeOffset(index) + x;
      const auto        write = [&](LabelType label, std::uint64_t length) {
        const std::uint64_t newLabel = label == 0 ? 0 : table.GetNewLabel(label);
        if (newLabel != 0 || !isZero)
        {
          std::fill_n(outputPixel, length, static_cast<OutputPixelType>(newLabel));
        }
        outputPixel += length;
      };
      if (useRuns && !runsOfChunks[chunk].empty())
      {
        for (const RunType & run : runsOfChunks[chunk])
        {
          write(run.label, run.length);
        }
        return;
      }
      const LabelType *       pixels = input->GetBufferPointer() + input->ComputeOffset(index) + x;
      const LabelType * const pixelsEnd = pixels + count;
      while (pixels < pixelsEnd)
      {
        const std::uint64_t length = GetRunLength(pixels, static_cast<std::uint64_t>(pixelsEnd - pixels));
        write(*pixels, length);
        pixels += length;
      }
    });
  });
  // No abort here: in place, the input has been overwritten, so the run must end as usual.
  this->UpdateProgress(1.0F);
}

template <typename TInputImage, typename TOutputImage>
template <typename TTable>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::AssignLabels(TTable & table)
{
  // The members of the superclass are private, but its functions return references to them. No member is constant, so
  // it may be changed.
  static_assert(
    std::is_reference<decltype(std::declval<const Superclass &>().GetSizeOfObjectsInPixels())>::value &&
      std::is_reference<decltype(std::declval<const Superclass &>().GetSizeOfObjectsInPhysicalUnits())>::value,
    "a copy of the sizes would be changed instead of the sizes");
  auto & sizes = const_cast<typename Superclass::ObjectSizeInPixelsContainerType &>(this->GetSizeOfObjectsInPixels());
  auto & physicalSizes =
    const_cast<typename Superclass::ObjectSizeInPhysicalUnitsContainerType &>(this->GetSizeOfObjectsInPhysicalUnits());

  using ObjectType = typename TTable::Object;
  auto objects = table.GetObjects();
  if (this->GetSortByObjectSize())
  {
    std::stable_sort(
      objects.begin(), objects.end(), [](const ObjectType & a, const ObjectType & b) { return a.size > b.size; });
  }

  this->SetNumbersOfObjects(objects.size(), objects.size());
  sizes.assign(objects.size(), 0);
  SizeValueType   removed = 0;
  OutputPixelType label = 0;
  for (const ObjectType & object : objects)
  {
    if (object.size < this->GetMinimumObjectSize())
    {
      table.SetNewLabel(object.label, 0);
      ++removed;
      continue;
    }
    if (label == NumericTraits<OutputPixelType>::max())
    {
      itkExceptionMacro("Output voxel range exceeded for relabeling.  Too many objects of sufficient size found!");
    }
    sizes[static_cast<std::size_t>(label)] = object.size;
    // Floating-point labels do not grow any more from 2^24 or 2^53 on, as in the superclass.
    ++label;
    table.SetNewLabel(object.label, static_cast<std::uint64_t>(label));
  }
  this->SetNumbersOfObjects(objects.size() - removed, objects.size());
  sizes.resize(m_NumberOfObjects);

  const float pixelSize = CudaConnectedComponentsDetail::PixelSize(*this->GetInput());
  physicalSizes.resize(m_NumberOfObjects);
  std::transform(sizes.begin(), sizes.end(), physicalSizes.begin(), [pixelSize](ObjectSizeType size) {
    return static_cast<float>(size) * pixelSize;
  });
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateDataByITK()
{
  const auto copyNumbers = [this] {
    this->SetNumbersOfObjects(Superclass::GetNumberOfObjects(), Superclass::GetOriginalNumberOfObjects());
  };
  try
  {
    Superclass::GenerateData();
  }
  catch (...)
  {
    copyNumbers();
    throw;
  }
  copyNumbers();
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::SetNumbersOfObjects(SizeValueType number,
                                                                                SizeValueType originalNumber)
{
  using MembersType = CudaConnectedComponentsDetail::RelabelComponentMembers<Superclass>;
  m_NumberOfObjects = number;
  m_OriginalNumberOfObjects = originalNumber;
  if (MembersType::numberOfObjects != nullptr)
  {
    Superclass & superclass = *this;
    superclass.*MembersType::numberOfObjects = number;
    superclass.*MembersType::originalNumberOfObjects = originalNumber;
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::ReportProgress(float progress)
{
  this->UpdateProgress(progress);
  if (this->GetAbortGenerateData())
  {
    ProcessAborted aborted(__FILE__, __LINE__);
    aborted.SetDescription("Object " + std::string(this->GetNameOfClass()) + ": AbortGenerateDataOn");
    throw aborted;
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  // The superclass would print its own numbers of objects, which are not always set.
  Superclass::Superclass::PrintSelf(os, indent);

  os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
  os << indent << "OriginalNumberOfObjects: " << m_OriginalNumberOfObjects << std::endl;
  os << indent << "NumberOfObjectsToPrint: " << this->GetNumberOfObjectsToPrint() << std::endl;
  os << indent << "MinimumObjectSizes: " << this->GetMinimumObjectSize() << std::endl;
  os << indent << "SortByObjectSize: " << this->GetSortByObjectSize() << std::endl;

  const auto &      sizes = this->GetSizeOfObjectsInPixels();
  const auto &      physicalSizes = this->GetSizeOfObjectsInPhysicalUnits();
  const std::size_t printed = std::min<std::size_t>(this->GetNumberOfObjectsToPrint(), physicalSizes.size());
  for (std::size_t i = 0; i < printed; ++i)
  {
    os << indent << "Object #" << i + 1 << ": " << sizes[i] << " pixels, " << physicalSizes[i] << " physical units"
       << std::endl;
  }
  if (printed < sizes.size())
  {
    os << indent << "..." << std::endl;
  }
}

} // end namespace itk

#endif
