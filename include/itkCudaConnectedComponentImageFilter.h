// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_h
#define itkCudaConnectedComponentImageFilter_h

#include "itkConnectedComponentImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentStatistics.h"
#include "itkCudaConnectedComponentsFilterBase.h"

#include "CudaConnectedComponentsDetail/LabelingResults.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentImageFilter
 * \brief Labels connected components on an NVIDIA GPU, with exactly the labels of ConnectedComponentImageFilter.
 *
 * \code
 * using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->FullyConnectedOn();
 * filter->Update();
 * std::cout << filter->GetObjectCount() << " objects, by " << filter->GetBackendUsed() << '\n';
 * \endcode
 *
 * The filter has the same inputs and settings as the superclass, and gives the same pixels, object count and
 * exceptions. Pixels that differ from zero are foreground. If there is a mask image, the pixels of the mask must differ
 * from zero, too. The order of the labels is the raster order of the first pixels of the components. Two runs give the
 * same output.
 *
 * \par Thresholds
 * With SetLowerThreshold() and SetUpperThreshold(), the pixels from the one to the other are foreground, as if
 * BinaryThresholdImageFilter came before. There is no image of its output:
 *
 * \code
 * filter->SetInput(ct);
 * filter->SetLowerThreshold(300);
 * \endcode
 *
 * \par Selection of objects
 * MinimumObjectSize, NumberOfObjectsToKeep and SortByObjectSize select objects by size and sort the labels. They are
 * off by default. The pixels of the other objects get the background value. If NumberOfObjectsToKeep and the background
 * value are 0, the output equals the output of ConnectedComponentImageFilter followed by RelabelComponentImageFilter
 * with the same MinimumObjectSize and SortByObjectSize. This example keeps the largest object and prints its size:
 *
 * \code
 * filter->SetNumberOfObjectsToKeep(1);
 * filter->Update();
 * for (const float size : filter->GetSizeOfObjectsInPhysicalUnits())
 * {
 *   std::cout << size << " mm^3\n";
 * }
 * \endcode
 *
 * \par
 * With ComputeStatisticsOn(), GetStatistics() has the number of pixels, the bounding box, the centroid and the shape of
 * each object.
 *
 * \par Intensities
 * With SetIntensityImage(), GetStatistics() also has the minimum, maximum, mean, sum and variance of the pixels of a
 * second image in each object, as LabelStatisticsImageFilter computes them:
 *
 * \code
 * filter->SetIntensityImage(ct);
 * filter->ComputeStatisticsOn();
 * filter->Update();
 * const auto & statistics = filter->GetStatistics();
 * for (const auto label : statistics.GetLabels())
 * {
 *   std::cout << statistics.GetMean(label) << " +- " << statistics.GetStandardDeviation(label) << '\n';
 * }
 * \endcode
 *
 * \tparam TInputImage an image or an ImageAdaptor of any pixel type that can be compared with zero
 * \tparam TOutputImage an image of the same dimension with an integer pixel type, not bool
 * \tparam TMaskImage an image or an ImageAdaptor of the same dimension. The default is TInputImage.
 *
 * \par Images of more than 3 dimensions
 * The superclass labels them. Then this module measures and selects the objects. The number of all objects must not
 * exceed the maximum of the output's pixel type; in planes and volumes, only the number of selected objects must not.
 * If the accessor of an ImageAdaptor throws, the exception is lost, and the labels are wrong, as with the superclass.
 *
 * \par Algorithms
 * Union-find on runs, and the algorithms of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label
 * Connected Components on GPUs", IEEE Transactions on Parallel and Distributed Systems 31(2), 2020.
 *
 * \sa ConnectedComponentImageFilter
 * \sa RelabelComponentImageFilter
 * \sa CudaConnectedComponentStatistics
 * \sa CudaConnectedComponentLabeler for images in device memory
 * \sa CudaConnectedComponentsFactory for programs that use ConnectedComponentImageFilter
 *
 * \ingroup MultiThreaded
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaConnectedComponentImageFilter
  : public CudaConnectedComponentsFilterBase<ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentImageFilter);

  /** This class. */
  using Self = CudaConnectedComponentImageFilter;
  /** The settings of all filters of this module, on top of the filter that this class replaces. */
  using Superclass =
    CudaConnectedComponentsFilterBase<ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the output. */
  using OutputImageType = TOutputImage;
  /** The type of the mask. */
  using MaskImageType = TMaskImage;
  /** The type of the input's pixels. */
  using InputPixelType = typename Superclass::InputPixelType;
  /** The type of the thresholds: the type of the input's pixels. If they are not numbers, there are no thresholds. */
  using ThresholdType = std::conditional_t<std::is_arithmetic<InputPixelType>::value, InputPixelType, unsigned char>;
  /** The type of the labels in the output. */
  using OutputPixelType = typename Superclass::OutputPixelType;
  /** The type of the mask's pixels. */
  using MaskPixelType = typename Superclass::MaskPixelType;
  /** The type of a region of the output: index and size in pixels. */
  using RegionType = typename Superclass::RegionType;
  /** The unsigned integer type of the object count. */
  using LabelType = typename Superclass::LabelType;
  /** The sizes, bounding boxes, centroids, shapes and intensities of the objects. */
  using StatisticsType = CudaConnectedComponentStatistics<Superclass::ImageDimension>;
  /** The type of an intensity image of any pixel type. */
  using IntensityImageType = ImageBase<Superclass::ImageDimension>;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentImageFilter, ConnectedComponentImageFilter);

  /** Sets the number of neighbors of a pixel: 4 or 8 in planes; 6, 18 (pixels that share a face or an edge) or 26 in
   * volumes. The default is 0: FullyConnected decides between face and full connectivity. Another number than 0 wins
   * over FullyConnected. ITK has no filter for 18 neighbors. Images of other dimensions need 0.
   * \param value the number of neighbors, or 0. The update throws an ExceptionObject for other numbers. */
  itkCudaConnectedComponentsSettingMacro(Connectivity, unsigned int, m_Connectivity);

  /** Sets the lowest pixel value of the foreground, and switches on the thresholds. Pixels are compared in their own
   * type; NaN is background. Without SetUpperThreshold(), the upper threshold is the maximum of the pixel type. If the
   * lower threshold exceeds the upper one, the update throws an ExceptionObject, as BinaryThresholdImageFilter does.
   * \param value the lowest value; the default is the lowest finite value of the pixel type
   * \exception ExceptionObject the pixels are not numbers */
  void
  SetLowerThreshold(ThresholdType value)
  {
    this->SetThresholds(value, m_UpperThreshold);
  }

  /** Returns the lowest pixel value of the foreground.
   * \return the value of SetLowerThreshold(), or the default */
  ThresholdType
  GetLowerThreshold() const
  {
    return m_LowerThreshold;
  }

  /** Sets the highest pixel value of the foreground, and switches on the thresholds.
   * \param value the highest value; the default is the maximum of the pixel type
   * \exception ExceptionObject the pixels are not numbers */
  void
  SetUpperThreshold(ThresholdType value)
  {
    this->SetThresholds(m_LowerThreshold, value);
  }

  /** Returns the highest pixel value of the foreground.
   * \return the value of SetUpperThreshold(), or the default */
  ThresholdType
  GetUpperThreshold() const
  {
    return m_UpperThreshold;
  }

  /** Switches off the thresholds, and sets them to their defaults: pixels that differ from zero are foreground. */
  void
  ClearThresholds();

  /** Returns whether the thresholds are on. The default is false.
   * \return true after SetLowerThreshold() or SetUpperThreshold() */
  bool
  HasThresholds() const
  {
    return m_HasThresholds;
  }

  /** Selects objects of at least this number of pixels. The pixels of smaller objects get the background value. The
   * default is 0: all objects.
   * \param value the number of pixels */
  itkCudaConnectedComponentsSettingMacro(MinimumObjectSize, SizeValueType, m_Settings.minimumObjectSize);

  /** Selects the order of the labels. If on, the largest object has the first label. Objects of the same size are in
   * the order of their first pixels. If off, all objects are in the order of their first pixels. The default is off.
   * \param value true to sort */
  itkCudaConnectedComponentsBooleanSettingMacro(SortByObjectSize, m_Settings.sortByObjectSize);

  /** Selects the largest objects, up to this number. The pixels of the other objects get the background value. Of
   * objects of the same size, the objects with the earlier first pixels count as larger. The default is 0: all objects.

   * \param value the number of objects */
  itkCudaConnectedComponentsSettingMacro(NumberOfObjectsToKeep, SizeValueType, m_Settings.numberOfObjectsToKeep);

  /** Selects whether the filter computes the statistics that GetStatistics() returns. The default is off.
   * \param value true to compute them */
  itkCudaConnectedComponentsBooleanSettingMacro(ComputeStatistics, m_Settings.computeStatistics);

  /** Sets an image whose pixels GetStatistics() describes for each object, such as the CT of a mask. The default is
   * null: no image. The labels do not depend on the image. With ComputeStatisticsOn(), it is an input of the pipeline
   * with the name "IntensityImage": an update also updates it, and a change of it runs the filter again. With
   * ComputeStatisticsOff(), the filter does not use it. Images of all dimensions are supported.
   *
   * The image must be an itk::Image, or an image that is derived from it, of integers of up to 64 bits, bool, float or
   * double. It must have the largest possible region, origin, spacing and direction of the input. Its buffer may be
   * larger. Otherwise, the update throws an ExceptionObject that says what differs.
   * \param image the image. The filter shares its ownership. */
  void
  SetIntensityImage(const IntensityImageType * image);

  /** Returns the image of SetIntensityImage().
   * \return the image, or null */
  const IntensityImageType *
  GetIntensityImage() const
  {
    const auto * const input =
      dynamic_cast<const IntensityImageType *>(this->ProcessObject::GetInput("IntensityImage"));
    return input != nullptr ? input : m_UnusedIntensityImage.GetPointer();
  }

  /** Returns the number of objects that the last run found, before the selection by size. GetObjectCount() returns the
   * number of objects that the last run wrote to the output. After an exception, it returns 0, but the superclass would
   * return the number of the run before.
   * \return the number of objects; 0 before the first update, and after an update that threw an exception */
  SizeValueType
  GetOriginalNumberOfObjects() const
  {
    return m_Results.originalNumberOfObjects;
  }

  /** Returns the number of pixels of each object in the output, in the order of the labels.
   * \return one number for each object. Empty before the first update, after an update that threw an exception, and
   * after a run with MinimumObjectSize 0, NumberOfObjectsToKeep 0, SortByObjectSizeOff() and ComputeStatisticsOff().
   * The next run changes the vector. */
  const std::vector<SizeValueType> &
  GetSizeOfObjectsInPixels() const
  {
    return m_Results.sizesInPixels;
  }

  /** Returns the size of each object in the output, in the order of the labels: the number of pixels times the product
   * of the spacings. The product has the precision of `float`, as in RelabelComponentImageFilter.
   * \return one size for each object, in mm^2 or mm^3 if the spacing is in mm. Empty if GetSizeOfObjectsInPixels() is
   * empty. The next run changes the vector. */
  const std::vector<float> &
  GetSizeOfObjectsInPhysicalUnits() const
  {
    return m_Results.sizesInPhysicalUnits;
  }

  /** Returns the number of pixels of an object.
   * \param label a pixel value of the output
   * \return the number of pixels. 0 for the background value, for a value that is no label, and if
   * GetSizeOfObjectsInPixels() is empty */
  SizeValueType
  GetSizeOfObjectInPixels(LabelType label) const
  {
    return m_Results.GetElement(m_Results.sizesInPixels, label);
  }

  /** Returns the size of an object: the number of pixels times the product of the spacings.
   * \param label a pixel value of the output
   * \return the size, in mm^2 or mm^3 if the spacing is in mm. 0 for the background value, for a value that is no
   * label, and if GetSizeOfObjectsInPixels() is empty */
  float
  GetSizeOfObjectInPhysicalUnits(LabelType label) const
  {
    return m_Results.GetElement(m_Results.sizesInPhysicalUnits, label);
  }

  /** Returns the statistics of the objects in the output.
   * \return the statistics, by label. There are 0 objects before the first update, after an update
   * that threw an exception, and after a run with ComputeStatisticsOff(). The next run changes the statistics; a copy
   * stays valid. */
  const StatisticsType &
  GetStatistics() const
  {
    return m_Statistics;
  }

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaConnectedComponentImageFilter() = default;

  /** Destroys the filter. */
  ~CudaConnectedComponentImageFilter() override = default;

  /** Prints the settings and the results of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Requests all pixels of the inputs. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject the intensity image does not fit the input */
  void
  GenerateInputRequestedRegion() override;

  /** Labels the input. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used. Or the settings or the mask are invalid.
   * Or there are more objects in the output than the maximum of its pixel type. In images of more than 3 dimensions,
   * all objects of the input count, because the superclass labels all objects before the selection.
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

  /** Clears the results of the last run. */
  void
  ClearResults() override;

private:
  /** Sets a member, as the superclass does, for the settings above. ConnectIntensityImage() depends on them. */
  template <typename TValue>
  void
  SetMember(TValue & member, TValue value)
  {
    Superclass::SetMember(member, value);
    this->ConnectIntensityImage();
  }

  /** Makes the intensity image an input of the pipeline if it is used, and else keeps it in m_UnusedIntensityImage. */
  void
  ConnectIntensityImage();

  /** Labels a plane or a volume, or makes an output without pixels. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const CudaConnectedComponentsDetail::BackendRun & run);

  /** Sets both thresholds, and switches them on. */
  void
  SetThresholds(ThresholdType lower, ThresholdType upper);

  /** Returns a function that packs the foreground of the input. */
  CudaConnectedComponentsDetail::RowPacker
  MakePacker(const RegionType & region) const;

  /** Labels by the filter of ITK. Then measures and selects the objects. */
  void
  GenerateDataByITK();

  /** Labels an image by the filter of ITK. Returns the number of objects. */
  template <typename TImage>
  SizeValueType
  LabelByITK(const TImage * image);

  /** Stores the results of a run. */
  void
  StoreResults(CudaConnectedComponentsDetail::LabelingResults results);

  bool                                           m_HasThresholds{ false };
  ThresholdType                                  m_LowerThreshold{ NumericTraits<ThresholdType>::NonpositiveMin() };
  ThresholdType                                  m_UpperThreshold{ NumericTraits<ThresholdType>::max() };
  unsigned int                                   m_Connectivity{ 0 };
  typename IntensityImageType::ConstPointer      m_UnusedIntensityImage;
  CudaConnectedComponentsDetail::ObjectSettings  m_Settings;
  CudaConnectedComponentsDetail::LabelingResults m_Results;
  StatisticsType                                 m_Statistics;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentImageFilter.hxx"
#endif

#endif
