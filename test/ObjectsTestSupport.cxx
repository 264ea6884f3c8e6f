// SPDX-License-Identifier: Apache-2.0
#include "ObjectsTestSupport.h"

#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkRelabelComponentImageFilter.h"

namespace
{

/** Keeps the largest objects by a plain loop. */
template <unsigned int VDimension>
void
KeepLargest(Objects<VDimension> & objects, SizeValueType numberToKeep)
{
  Objects<VDimension>        kept{ objects.labels, objects.originalCount, {}, {} };
  std::vector<std::uint32_t> newLabels{ 0 };
  for (std::size_t i = 0; i < objects.sizes.size(); ++i)
  {
    SizeValueType largerCount = 0;
    for (std::size_t j = 0; j < objects.sizes.size(); ++j)
    {
      largerCount += objects.sizes[j] > objects.sizes[i] || (objects.sizes[j] == objects.sizes[i] && j < i);
    }
    newLabels.push_back(0);
    if (largerCount < numberToKeep)
    {
      kept.sizes.push_back(objects.sizes[i]);
      kept.physicalSizes.push_back(objects.physicalSizes[i]);
      newLabels.back() = static_cast<std::uint32_t>(kept.sizes.size());
    }
  }
  std::uint32_t * const pixels = objects.labels->GetBufferPointer();
  for (std::size_t i = 0; i < objects.labels->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    pixels[i] = newLabels[pixels[i]];
  }
  objects = kept;
}

} // namespace

template <unsigned int VDimension>
Objects<VDimension>
SelectByItk(const itk::Image<unsigned char, VDimension> * image,
            const itk::Image<unsigned char, VDimension> * mask,
            const Setting &                               setting)
{
  using LabelsType = WideType<VDimension>;
  auto labeler = MakeOracle<itk::Image<unsigned char, VDimension>, LabelsType>();
  labeler->SetInput(image);
  if (mask != nullptr)
  {
    labeler->SetMaskImage(mask);
  }
  labeler->SetFullyConnected(setting.fullyConnected);
  auto relabeler = itk::RelabelComponentImageFilter<LabelsType, LabelsType>::New();
  EXPECT_STREQ(relabeler->GetNameOfClass(), "RelabelComponentImageFilter");
  relabeler->SetInput(labeler->GetOutput());
  relabeler->SetMinimumObjectSize(setting.minimumSize);
  relabeler->SetSortByObjectSize(setting.sort);
  relabeler->Update();

  Objects<VDimension> objects{ relabeler->GetOutput(),
                               relabeler->GetOriginalNumberOfObjects(),
                               relabeler->GetSizeOfObjectsInPixels(),
                               relabeler->GetSizeOfObjectsInPhysicalUnits() };
  EXPECT_EQ(objects.originalCount, labeler->GetObjectCount());
  if (setting.numberToKeep > 0)
  {
    KeepLargest(objects, setting.numberToKeep);
  }
  return objects;
}

template <unsigned int VDimension>
typename itk::LabelMap<itk::ShapeLabelObject<SizeValueType, VDimension>>::Pointer
ShapesByItk(const WideType<VDimension> * labels)
{
  using MapType = itk::LabelMap<itk::ShapeLabelObject<SizeValueType, VDimension>>;
  auto filter = itk::LabelImageToShapeLabelMapFilter<WideType<VDimension>, MapType>::New();
  filter->SetInput(labels);
  filter->SetBackgroundValue(0);
  filter->SetComputePerimeter(false);
  filter->Update();
  return filter->GetOutput();
}

template Objects<2>
SelectByItk(const itk::Image<unsigned char, 2> *, const itk::Image<unsigned char, 2> *, const Setting &);
template Objects<3>
SelectByItk(const itk::Image<unsigned char, 3> *, const itk::Image<unsigned char, 3> *, const Setting &);
template Objects<4>
SelectByItk(const itk::Image<unsigned char, 4> *, const itk::Image<unsigned char, 4> *, const Setting &);

template itk::LabelMap<itk::ShapeLabelObject<SizeValueType, 2>>::Pointer
ShapesByItk<2>(const WideType<2> *);
template itk::LabelMap<itk::ShapeLabelObject<SizeValueType, 3>>::Pointer
ShapesByItk<3>(const WideType<3> *);
template itk::LabelMap<itk::ShapeLabelObject<SizeValueType, 4>>::Pointer
ShapesByItk<4>(const WideType<4> *);
