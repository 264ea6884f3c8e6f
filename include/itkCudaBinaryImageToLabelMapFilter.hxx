// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryImageToLabelMapFilter_hxx
#define itkCudaBinaryImageToLabelMapFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/ImageAccess.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"

#include <algorithm>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::GenerateData()
{
  CudaConnectedComponentsDetail::BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  if (!std::is_integral<OutputPixelType>::value && run.whyOnlyByITK.empty())
  {
    run.whyOnlyByITK = "labels that are no integers are not supported on the GPU";
  }
  run.inputPixel = &typeid(InputPixelType);
  run.outputPixel = &typeid(OutputPixelType);
  run.work = [this, &run](CudaConnectedComponentLabeler & labeler) { this->GenerateDataByLabeler(labeler, run); };
  run.workByITK = [this] { this->GenerateDataByITK(); };
  run.Run();
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler &             labeler,
  CudaConnectedComponentsDetail::BackendRun & run)
{
  using namespace CudaConnectedComponentsDetail;

  OutputImageType * const output = this->GetOutput();
  // Removes the objects of the last run.
  this->AllocateOutputs();
  output->SetBackgroundValue(this->GetOutputBackgroundValue());

  if (!run.HasComponents())
  {
    this->SetNumberOfObjects(0);
    return;
  }

  // The labeler does about half of the work.
  const auto report = labeler.options.progress;
  labeler.options.progress = [&report](float progress) { report(0.5F * progress); };
  const CudaConnectedComponentLabeler::SizeType & size = run.GetSize();
  std::vector<RunsOfRow>                          runs(size[1] * size[2]);
  CudaConnectedComponentTable                     table;
  if constexpr (ImageDimension <= 3)
  {
    labeler.VisitRunsOfPackedRows(
      PackerOfEqual(*this->GetInput(), output->GetRequestedRegion(), "input", this->GetInputForegroundValue()),
      size,
      [&runs](std::uint64_t row, RunsOfRow runsOfRow) { runs[row] = std::move(runsOfRow); },
      &table);
  }
  run.EndLabeling();
  this->SetNumberOfObjects(static_cast<SizeValueType>(table.componentCount));
  this->MakeObjects(runs, table.pixelCounts);
  report(1.0F);
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::GenerateDataByITK()
{
  using namespace CudaConnectedComponentsDetail;

  const auto filter = FilterOfITK<BinaryImageToLabelMapFilter<TInputImage, TOutputImage>>::New();
  filter->SetFullyConnected(this->GetFullyConnected());
  filter->SetInputForegroundValue(this->GetInputForegroundValue());
  filter->SetOutputBackgroundValue(this->GetOutputBackgroundValue());
  try
  {
    UpdateInside(*this, *filter, this->GetInput());
  }
  catch (...)
  {
    this->StoreNumberOfObjects(filter->GetNumberOfObjects());
    throw;
  }
  this->StoreNumberOfObjects(filter->GetNumberOfObjects());
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::StoreNumberOfObjects(SizeValueType number)
{
  CudaConnectedComponentsDetail::MemberBehind(Superclass::GetNumberOfObjects()) = number;
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::SetNumberOfObjects(SizeValueType number)
{
  this->StoreNumberOfObjects(number);
  if (number > static_cast<SizeValueType>(NumericTraits<OutputPixelType>::max()))
  {
    itkExceptionMacro(<< "Number of objects (" << number << ") greater than maximum of output pixel type ("
                      << static_cast<typename NumericTraits<OutputPixelType>::PrintType>(
                           NumericTraits<OutputPixelType>::max())
                      << ").");
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::MakeObjects(std::vector<RunsOfRow> &           runs,
                                                                        const std::vector<std::uint64_t> & pixelCounts)
{
  using namespace CudaConnectedComponentsDetail;

  OutputImageType * const output = this->GetOutput();
  const RegionType        region = output->GetRequestedRegion();
  const auto              background = static_cast<std::uint64_t>(this->GetOutputBackgroundValue());

  // Each thread makes the objects of neighboring components, and adds their lines in raster order. It reads the runs of
  // all components. So there are not more parts than threads.
  MultiThreaderBase * const threader = this->GetMultiThreader();
  const std::uint64_t       partCount =
    std::min<std::uint64_t>(this->GetNumberOfWorkUnits(), threader->GetMaximumNumberOfThreads());
  const std::vector<std::size_t>                 firstOfParts = DivideComponents(pixelCounts, partCount);
  std::vector<typename LabelObjectType::Pointer> objects(pixelCounts.size());
  ForEachInParallel(threader, firstOfParts.size() - 1, [&](std::uint64_t part) {
    const std::size_t first = firstOfParts[part];
    const std::size_t count = firstOfParts[part + 1] - first;
    for (std::size_t i = first; i < first + count; ++i)
    {
      objects[i] = LabelObjectType::New();
      objects[i]->SetLabel(static_cast<OutputPixelType>(LabelOfRow(i, background)));
    }
    for (std::size_t row = 0; row < runs.size(); ++row)
    {
      const auto begin = IndexOfRow(region, row);
      auto       index = begin;
      for (const auto & run : runs[row])
      {
        // Components before `first` turn into numbers that are too large.
        if (run.component - first < count)
        {
          index[0] = begin[0] + static_cast<IndexValueType>(run.begin);
          objects[run.component]->AddLine(index, static_cast<SizeValueType>(run.end - run.begin));
        }
      }
    }
  });
  // One thread would need as long to free the rows as to make small objects.
  ForEachInParallel(threader, runs.size(), [&runs](std::uint64_t row) { RunsOfRow().swap(runs[row]); });
  for (const auto & object : objects)
  {
    output->AddLabelObject(object);
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaBinaryImageToLabelMapFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  os << indent << "FullyConnected: " << (this->GetFullyConnected() ? "On" : "Off") << std::endl;
}

} // end namespace itk

#endif
