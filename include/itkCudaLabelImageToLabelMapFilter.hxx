// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaLabelImageToLabelMapFilter_hxx
#define itkCudaLabelImageToLabelMapFilter_hxx

#include "CudaConnectedComponentsDetail/LabelMapRuns.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaLabelImageToLabelMapFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  // Different labels of the input must be different labels of the map.
  constexpr bool onlyITK = !IsViewed<TInputImage> || !IsLabel<InputPixelType> || !IsLabel<OutputPixelType> ||
                           sizeof(OutputPixelType) < sizeof(InputPixelType);
  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.hasConnectivity = false;
  run.needsComponents = onlyITK; // our code reads labels that exist, so no GPU is needed
  if (onlyITK)
  {
    run.whyOnlyByITK = "only ITK makes label maps of these types";
  }
  run.inputPixel = &typeid(InputPixelType);
  run.outputPixel = &typeid(OutputPixelType);
  run.workByITK = [this] { Superclass::GenerateData(); };
  run.work = [this](CudaConnectedComponentLabeler & labeler) {
    // Removes the objects of the last run.
    this->AllocateOutputs();
    this->GetOutput()->SetBackgroundValue(this->GetBackgroundValue());
    if constexpr (!onlyITK)
    {
      if (this->GetOutput()->GetRequestedRegion().GetNumberOfPixels() > 0)
      {
        this->AddObjects([&labeler] { labeler.options.progress(0.5F); });
      }
    }
  };
  run.Run();
}

template <typename TInputImage, typename TOutputImage>
template <typename TReport>
void
CudaLabelImageToLabelMapFilter<TInputImage, TOutputImage>::AddObjects(const TReport & reportHalf)
{
  using namespace CudaConnectedComponentsDetail;
  using RegionType = typename TOutputImage::RegionType;
  using ObjectType = typename TOutputImage::LabelObjectType;

  struct Chunk
  {
    RegionType                                region;
    std::vector<ImageView>                    views;
    std::vector<typename ObjectType::Pointer> objects;
  };

  TOutputImage * const      output = this->GetOutput();
  MultiThreaderBase * const threader = this->GetMultiThreader();
  const RegionType          region = output->GetRequestedRegion();
  const std::uint64_t       pixelCount = region.GetNumberOfPixels();
  std::uint64_t             count = threader->GetNumberOfWorkUnits(); // the filter's, within the limits of the threader
  if (pixelCount > region.GetSize(0))
  {
    // Fewer chunks have fewer parts of objects, and a thread is not worth few pixels. If there is only one row, the
    // superclass cuts its lines at the chunks, so the chunks must be the superclass's.
    count = std::min<std::uint64_t>({ count, threader->GetMaximumNumberOfThreads(), pixelCount / 16384 + 1 });
  }
  const auto * const splitter = this->GetImageRegionSplitter();
  std::vector<Chunk> chunks(splitter->GetNumberOfSplits(region, static_cast<unsigned int>(count)));
  for (std::size_t i = 0; i < chunks.size(); ++i)
  {
    chunks[i].region = region;
    splitter->GetSplit(static_cast<unsigned int>(i), static_cast<unsigned int>(chunks.size()), chunks[i].region);
    chunks[i].views = ViewsOf(*this->GetInput(), chunks[i].region, "input");
  }

  std::vector<std::vector<std::uint64_t>> labels(chunks.size());
  const std::uint64_t background = ImageView::BitsOf(static_cast<InputPixelType>(this->GetBackgroundValue()));
  ForEachInParallel(threader, chunks.size(), [&](std::uint64_t i) {
    Chunk & chunk = chunks[i];
    labels[i] = VisitRunsOfLabels(chunk.views, background, [&chunk](const std::vector<RunOfLabel> & runs) {
      for (const RunOfLabel & run : runs)
      {
        if (run.labelIndex == chunk.objects.size())
        {
          chunk.objects.push_back(ObjectType::New());
        }
        auto index = IndexOfRow(chunk.region, run.row);
        index[0] += static_cast<IndexValueType>(run.x);
        chunk.objects[run.labelIndex]->AddLine(index, static_cast<SizeValueType>(run.length));
      }
    });
  });
  reportHalf();

  // The first part of an object gets the lines of its other parts.
  const std::vector<PartOfObject> parts = SortParts(labels);
  const auto                      objectOf = [&chunks](const PartOfObject & part) -> auto & {
    return chunks[part.chunk].objects[part.labelIndex];
  };
  const auto isFirst = [&parts](std::size_t i) { return i == 0 || parts[i - 1].label != parts[i].label; };
  ForEachInParallel(threader, chunks.size() > 1 ? parts.size() : 0, [&](std::uint64_t first) {
    for (std::size_t i = first + 1; isFirst(first) && i < parts.size() && !isFirst(i); ++i)
    {
      const auto & object = objectOf(parts[i]);
      for (SizeValueType line = 0; line < object->GetNumberOfLines(); ++line)
      {
        objectOf(parts[first])->AddLine(object->GetLine(line));
      }
      objectOf(parts[i]) = nullptr;
    }
  });
  for (std::size_t i = 0; i < parts.size(); ++i)
  {
    if (isFirst(i))
    {
      objectOf(parts[i])->SetLabel(static_cast<OutputPixelType>(parts[i].label));
      output->AddLabelObject(objectOf(parts[i]));
    }
  }
}

} // end namespace itk

#endif
