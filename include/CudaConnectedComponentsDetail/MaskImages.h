// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_MaskImages_h
#define CudaConnectedComponentsDetail_MaskImages_h

// The work of the filters that change the objects of a mask, for all pixel types.

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include "itkCudaConnectedComponentSelection.h"
#include "itkImageRegion.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** A mask, and its copy with changed objects. Pixel values have the bytes of the pixel, as an unsigned integer. An
 * image of more than 3 dimensions is a series of volumes; the functions that label need one plane or one volume. */
struct MaskImages
{
  std::vector<ImageView> inputs;
  std::vector<ImageView> outputs;
  bool                   isUntouched; // whether nobody has written to the memory of the output
  std::uint64_t          foreground;  // value of the pixels that belong to objects
  std::uint64_t          background;  // value that the pixels of removed objects get
};

/** Which objects of a mask a filter keeps. */
struct KeptObjects
{
  enum class Rule : std::uint8_t
  {
    None,
    All,
    Selected, // by `selection`
    OnlyByITK // no selection describes the objects
  };

  Rule                            rule{ Rule::None };
  CudaConnectedComponentSelection selection;
};

/** Returns the objects of at least `lambda` pixels, or of at most `lambda` pixels, as ShapeOpeningLabelMapFilter of
 * ITK.
 */
CudaConnectedComponents_EXPORT KeptObjects
KeptBySize(double lambda, bool isMaximum);

/** Returns the objects with at least (or at most) `lambda` pixels on the border, as ShapeOpeningLabelMapFilter of ITK.
 * \param hasInterior false if each pixel lies on the border */
CudaConnectedComponents_EXPORT KeptObjects
KeptByBorder(double lambda, bool isMaximum, bool hasInterior);

/** Removes the other objects. */
CudaConnectedComponents_EXPORT void
KeepObjects(CudaConnectedComponentLabeler & labeler, const MaskImages & images, const KeptObjects & kept);

/** Keeps the objects that ShapeKeepNObjectsLabelMapFilter of ITK keeps by their numbers of pixels.
 * \param number how many objects to keep
 * \param areSmallest whether to keep the smallest objects instead of the largest */
CudaConnectedComponents_EXPORT void
KeepObjectsAsITK(CudaConnectedComponentLabeler & labeler,
                 const MaskImages &              images,
                 std::uint64_t                   number,
                 bool                            areSmallest);

/** Fills the holes: the components of the background that do not touch the border. They get the foreground value.
 * \param canHaveHoles false if each pixel lies on the border */
CudaConnectedComponents_EXPORT void
FillHoles(CudaConnectedComponentLabeler & labeler, const MaskImages & images, bool canHaveHoles);

/** Returns whether a region has pixels that do not lie on its border. */
template <unsigned int VDimension>
bool
HasInterior(const ImageRegion<VDimension> & region)
{
  const auto & size = region.GetSize();
  return std::all_of(size.begin(), size.end(), [](SizeValueType length) { return length > 2; });
}

/** Sets the work of ITK's filter, for a run that only ITK can do.
 * \tparam TFilterOfITK ITK's filter from mask to mask
 * \param copySettings function copySettings(filterOfITK) that copies all settings but the foreground and the
 * connectivity */
template <typename TFilterOfITK, typename TFilter, typename TCopy>
void
SetWorkByITK(BackendRun & run, TFilter & filter, const TCopy & copySettings)
{
  run.workByITK = [&filter, copySettings] {
    const auto filterOfITK = FilterOfITK<TFilterOfITK>::New();
    filterOfITK->SetForegroundValue(filter.GetForegroundValue());
    filterOfITK->SetFullyConnected(filter.GetFullyConnected());
    copySettings(*filterOfITK);
    UpdateInside(filter, *filterOfITK, filter.GetInput());
  };
}

/** Leaves the work of a run to ITK, because of an attribute of the objects. */
inline void
LeaveToITK(BackendRun & run, const std::string & attribute)
{
  run.needsComponents = true;
  run.whyOnlyByITK = "the attribute " + attribute + " is not supported on the GPU";
}

/** Sets the work of a filter from mask to mask. Call this function after all other settings of the run.
 * \param background value that the pixels of removed objects get
 * \param allocate function that allocates the output
 * \param work function work(labeler, images) that writes the output */
template <typename TFilter, typename TAllocate, typename TWork>
void
SetMaskWork(BackendRun &                        run,
            TFilter &                           filter,
            const typename TFilter::PixelType & background,
            const TAllocate &                   allocate,
            const TWork &                       work)
{
  run.fullyConnected = filter.GetFullyConnected();
  run.inputPixel = run.outputPixel = &typeid(typename TFilter::PixelType);
  if constexpr (IsViewed<typename TFilter::ImageType>)
  {
    run.work = [&filter, background, allocate, work](CudaConnectedComponentLabeler & labeler) {
      const auto & output = *filter.GetOutput();
      const bool   isUntouched = AllocateUntouched(output, allocate);
      const auto   region = output.GetRequestedRegion();
      work(labeler,
           MaskImages{ ViewsOf(*filter.GetInput(), region, "input"),
                       ViewsOf(output, region, "output"),
                       isUntouched,
                       ImageView::BitsOf(filter.GetForegroundValue()),
                       ImageView::BitsOf(background) });
    };
  }
  else
  {
    run.LeaveTypeToITK(allocate);
  }
}

/** Sets the work of a filter that keeps some objects of a mask. */
template <typename TFilter, typename TAllocate>
void
SetKeepingWork(BackendRun & run, TFilter & filter, const KeptObjects & kept, const TAllocate & allocate)
{
  run.needsComponents = kept.rule == KeptObjects::Rule::Selected || kept.rule == KeptObjects::Rule::OnlyByITK;
  SetMaskWork(
    run,
    filter,
    filter.GetBackgroundValue(),
    allocate,
    [kept](CudaConnectedComponentLabeler & labeler, const MaskImages & images) { KeepObjects(labeler, images, kept); });
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
