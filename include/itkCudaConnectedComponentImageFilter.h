// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_h
#define itkCudaConnectedComponentImageFilter_h

#include "itkConnectedComponentImageFilter.h"
#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentStatistics.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/BackendSettings.h"
#include "CudaConnectedComponentsDetail/Compatibility.h"
#include "CudaConnectedComponentsDetail/IntensityImage.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"
#include "CudaConnectedComponentsDetail/SelectLabels.h"
#include "CudaConnectedComponentsDetail/VerifyMask.h"

#include <cstdint>
#include <string>
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
 * for (itk::SizeValueType i = 0; i < statistics.GetNumberOfObjects(); ++i)
 * {
 *   std::cout << statistics.GetMean(i) << " +- " << statistics.GetStandardDeviation(i) << '\n';
 * }
 * \endcode
 *
 * \tparam TInputImage an image or an ImageAdaptor of any pixel type that can be compared with zero
 * \tparam TOutputImage an image of the same dimension with an integer pixel type, not bool
 * \tparam TMaskImage an image or an ImageAdaptor of the same dimension. The default is TInputImage.
 *
 * \par GPU and CPU
 * The GPU labels planes and volumes of up to 2^40 pixels and any pixel type. The CPU labels the image if the GPU cannot
 * be used: there is no device, no driver or too little device memory, or CUDA reports an error. The CPU uses this
 * module's own code, on the filter's multi-threader and its number of work units. GetBackendUsed() tells where the
 * labels come from, and GetFallbackReason() tells why. With CPUFallbackOff(), the filter throws an ExceptionObject with
 * the reason instead.
 *
 * \par
 * The CPU always labels images of at most 16,384 pixels, because it is faster. CPUFallbackOff() switches this off, and
 * so does an Algorithm other than Automatic. The superclass labels images of more than 3 dimensions.
 *
 * \par Differences from the superclass
 * - If the region has no pixels, the output is empty and there are no objects.
 * - After AbortGenerateDataOn(), the filter throws ProcessAborted between the stages of the work.
 * - The filter can be updated again after any exception.
 * - The filter can select objects by size, sort the labels by size, and measure the objects. The number of selected
 *   objects must not exceed the maximum of the output's pixel type. In images of more than 3 dimensions, the number of
 *   all objects must not exceed it.
 * - The accessor of an ImageAdaptor may throw while the filter reads pixels. The exception reaches the caller with its
 *   type, whichever thread read the pixels. In images of more than 3 dimensions, the superclass reads the pixels: the
 *   exception is lost, and the labels are wrong.
 *
 * \par Environment variables
 * These values have an effect:
 * - `ITK_CUDA_CONNECTED_COMPONENTS=0`: CudaConnectedComponentImageFilterFactory and the plug-in do not replace ITK's
 *   filters. A program that creates a CudaConnectedComponentImageFilter itself still uses the GPU.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_DISABLE`: a list of classes of ITK that are not replaced, with commas between them,
 *   such as `RelabelComponentImageFilter`.
 * - `ITK_CUDA_CONNECTED_COMPONENTS=1`: filters with LazyGPUStartOn() use the GPU from the first image on that has more
 *   than 16,384 pixels.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1`: each successful run of a filter prints one line on standard error:
 *   name of the filter, size, pixel types, connectivity, backend, fallback reason, and time in milliseconds.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_TRIM=1`: each run of a filter that labels ends with
 *   CudaConnectedComponentLabeler::TrimMemory(). Other programs on the GPU then have more memory, but runs take longer.
 *
 * \par Errors of CUDA
 * A missing device and too little memory are expected errors. The first time that another error of CUDA in a process
 * makes a filter use the CPU, the filter prints the error on standard error. It may be a fault of this module.
 *
 * \par Thread safety
 * Different filters may run on several threads at the same time. One filter must not be used by several threads at the
 * same time.
 *
 * \par Memory
 * A filter stores only its settings, its output and the measurements of the objects. GPU memory and pinned host memory
 * belong to the process, and are cached for later runs. See CudaConnectedComponentLabeler::GetHeldMemory() and
 * CudaConnectedComponentLabeler::TrimMemory().
 *
 * \par Algorithms
 * Union-find on runs, and the algorithms of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label
 * Connected Components on GPUs", IEEE Transactions on Parallel and Distributed Systems 31(2), 2020.
 *
 * \sa ConnectedComponentImageFilter
 * \sa RelabelComponentImageFilter
 * \sa CudaConnectedComponentStatistics
 * \sa CudaConnectedComponentLabeler for images in device memory
 * \sa CudaConnectedComponentImageFilterFactory for programs that use ConnectedComponentImageFilter
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaConnectedComponentImageFilter
  : public ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>
  , protected CudaConnectedComponentsDetail::BackendSettings
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentImageFilter);

  /** This class. */
  using Self = CudaConnectedComponentImageFilter;
  /** The filter that this class replaces. */
  using Superclass = ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
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
  /** The type of the labels in the output. */
  using OutputPixelType = typename Superclass::OutputPixelType;
  /** The type of the mask's pixels. */
  using MaskPixelType = typename Superclass::MaskPixelType;
  /** The type of a region of the output: index and size in pixels. */
  using RegionType = typename Superclass::RegionType;
  /** The unsigned integer type of the object count. */
  using LabelType = typename Superclass::LabelType;
  /** The algorithms. */
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;
  /** The backends. */
  using BackendEnum = CudaConnectedComponentsEnums::Backend;
  /** The sizes, bounding boxes, centroids, shapes and intensities of the objects. */
  using StatisticsType = CudaConnectedComponentStatistics<Superclass::ImageDimension>;
  /** The type of an intensity image of any pixel type. */
  using IntensityImageType = ImageBase<Superclass::ImageDimension>;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  /** Creates a filter with the default settings, through ITK's object factories.
   * \return the filter */
  itkNewMacro(Self);

  /** Returns the name of the class, for messages.
   * \return a text that exists until the process ends */
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentImageFilter, ConnectedComponentImageFilter);

  /** Selects whether the filter uses the GPU. The default is on. If off, the CPU labels the image, also with
   * CPUFallbackOff(). GetFallbackReason() is then empty. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Selects whether the CPU labels the image if the GPU cannot be used. The default is on. If off, the update throws
   * an ExceptionObject with the reason. The GPU then labels small images, too. For images of more than 3 dimensions,
   * the update then throws, except with GPUEnabledOff(). */
  itkSetMacro(CPUFallback, bool);
  itkGetConstMacro(CPUFallback, bool);
  itkBooleanMacro(CPUFallback);

  /** Selects whether the filter delays the start of CUDA, which takes about 0.2 s. The default is off. The filters that
   * CudaConnectedComponentImageFilterFactory creates have it on.
   *
   * If on, the CPU labels until this module has started CUDA in this process, or until labeling on the CPU has taken
   * 500 ms in total. The total counts all filters of the process with this setting, except their runs on images of at
   * most 16,384 pixels, and the work of ITK's own code. The setting has no effect with CPUFallbackOff(), or if the
   * environment variable ITK_CUDA_CONNECTED_COMPONENTS is 1. */
  itkSetMacro(LazyGPUStart, bool);
  itkGetConstMacro(LazyGPUStart, bool);
  itkBooleanMacro(LazyGPUStart);

  /** Selects the algorithm on the GPU. The default is Automatic, the fastest for the image. The labels do not depend on
   * the algorithm. BlockUnionFind and BlockKomuraEquivalence need FullyConnectedOn(); otherwise the update throws an
   * ExceptionObject, also if the CPU labels the image. */
  itkSetEnumMacro(Algorithm, AlgorithmEnum);
  itkGetEnumMacro(Algorithm, AlgorithmEnum);

  /** Selects whether BlockUnionFind and BlockKomuraEquivalence use inline compression. The default is on. The labels do
   * not depend on it. Other algorithms do not use it. */
  itkSetMacro(InlineCompression, bool);
  itkGetConstMacro(InlineCompression, bool);
  itkBooleanMacro(InlineCompression);

  /** Selects the CUDA device by its number, from 0 to the number of devices - 1. The default is -1: the current device
   * of the thread that calls Update(). If there is no such device, the filter falls back to the CPU, or throws an
   * ExceptionObject with CPUFallbackOff(). */
  itkSetMacro(DeviceId, int);
  itkGetConstMacro(DeviceId, int);

  /** Selects objects of at least this number of pixels. The pixels of smaller objects get the background value. The
   * default is 0: all objects. */
  itkSetMacro(MinimumObjectSize, SizeValueType);
  itkGetConstMacro(MinimumObjectSize, SizeValueType);

  /** Selects the order of the labels. If on, the largest object has the first label. Objects of the same size are in
   * the order of their first pixels. If off, all objects are in the order of their first pixels. The default is off. */
  itkSetMacro(SortByObjectSize, bool);
  itkGetConstMacro(SortByObjectSize, bool);
  itkBooleanMacro(SortByObjectSize);

  /** Selects the largest objects, up to this number. The pixels of the other objects get the background value. Of
   * objects of the same size, the objects with the earlier first pixels count as larger. The default is 0: all objects.
   */
  itkSetMacro(NumberOfObjectsToKeep, SizeValueType);
  itkGetConstMacro(NumberOfObjectsToKeep, SizeValueType);

  /** Selects whether the filter computes the statistics that GetStatistics() returns. The default is off. */
  itkSetMacro(ComputeStatistics, bool);
  itkGetConstMacro(ComputeStatistics, bool);
  itkBooleanMacro(ComputeStatistics);

  /** Sets an image whose pixels GetStatistics() describes for each object, such as the CT of a mask. The default is
   * null: no image. The labels do not depend on the image. It is an input of the pipeline with the name
   * "IntensityImage": an update also updates it, and a change of it runs the filter again. Without
   * ComputeStatisticsOn(), the filter does not read its pixels. Images of all dimensions are supported.
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
  GetIntensityImage() const;

  /** Returns the backend that labeled the image in the last run: CUDA, CPU, or ITK for more than 3 dimensions.
   * \return the backend; Unknown before the first update, and after an update that threw an exception */
  itkGetEnumMacro(BackendUsed, BackendEnum);

  /** Returns why the last run did not use the GPU.
   * \return a text such as "no CUDA device: no NVIDIA driver is installed". Empty if the GPU labeled the image, with
   * GPUEnabledOff(), or if the region has no pixels. */
  itkGetConstReferenceMacro(FallbackReason, std::string);

  /** Returns the number of objects that the last run wrote to the output. MinimumObjectSize and NumberOfObjectsToKeep
   * can make this number smaller than GetOriginalNumberOfObjects().
   * \return the number of objects; 0 before the first update, and after an update that threw an exception */
  const LabelType &
  GetObjectCount() const override
  {
    return m_ObjectCount;
  }

  /** Returns the number of objects that the last run found, before the selection by size.
   * \return the number of objects; 0 before the first update, and after an update that threw an exception */
  itkGetConstMacro(OriginalNumberOfObjects, SizeValueType);

  /** Returns the number of pixels of each object in the output, in the order of the labels.
   * \return one number for each object. Empty before the first update, after an update that threw an exception, and
   * after a run with MinimumObjectSize 0, NumberOfObjectsToKeep 0, SortByObjectSizeOff() and ComputeStatisticsOff().
   * The next run changes the vector. */
  const std::vector<SizeValueType> &
  GetSizeOfObjectsInPixels() const
  {
    return m_SizeOfObjectsInPixels;
  }

  /** Returns the size of each object in the output, in the order of the labels: the number of pixels times the product
   * of the spacings. The product has the precision of `float`, as in RelabelComponentImageFilter.
   * \return one size for each object, in mm^2 or mm^3 if the spacing is in mm. Empty if GetSizeOfObjectsInPixels() is
   * empty. The next run changes the vector. */
  const std::vector<float> &
  GetSizeOfObjectsInPhysicalUnits() const
  {
    return m_SizeOfObjectsInPhysicalUnits;
  }

  /** Returns the number of pixels of an object.
   * \param label a pixel value of the output
   * \return the number of pixels. 0 for the background value, for a value that is no label, and if
   * GetSizeOfObjectsInPixels() is empty */
  SizeValueType
  GetSizeOfObjectInPixels(LabelType label) const
  {
    return this->GetElement(m_SizeOfObjectsInPixels, label);
  }

  /** Returns the size of an object: the number of pixels times the product of the spacings.
   * \param label a pixel value of the output
   * \return the size, in mm^2 or mm^3 if the spacing is in mm. 0 for the background value, for a value that is no
   * label, and if GetSizeOfObjectsInPixels() is empty */
  float
  GetSizeOfObjectInPhysicalUnits(LabelType label) const
  {
    return this->GetElement(m_SizeOfObjectsInPhysicalUnits, label);
  }

  /** Returns the statistics of the objects in the output.
   * \return the statistics, in the order of the labels. There are 0 objects before the first update, after an update
   * that threw an exception, and after a run with ComputeStatisticsOff(). The next run changes the statistics; a copy
   * stays valid. */
  const StatisticsType &
  GetStatistics() const
  {
    return m_Statistics;
  }

  /** Updates the information about the output, such as its size, as the superclass does. If an exception is thrown,
   * this function resets the pipeline. So the filter can be updated again.
   * \exception ExceptionObject the exception of the superclass, or of another filter */
  void
  UpdateOutputInformation() override;

  /** Propagates the requested region to the inputs, as the superclass does. If an exception is thrown, such as for a
   * mask that is too small, this function resets the pipeline. So the filter can be updated again.
   * \param output the output of this filter whose requested region is propagated
   * \exception ExceptionObject the exception of the superclass, such as InvalidRequestedRegionError, or of another
   * filter. Or the intensity image does not fit the input. */
  void
  PropagateRequestedRegion(DataObject * output) override;

  /** Updates the inputs and then the output, as the superclass does. If an exception is thrown, this function resets
   * the pipeline. So the filter can be updated again.
   * \param output the output of this filter that is updated
   * \exception ExceptionObject the exception of GenerateData(), of the superclass, or of another filter */
  void
  UpdateOutputData(DataObject * output) override;

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

private:
  /** Calls a function of the pipeline. If it throws, resets the pipeline and clears the results. */
  template <typename TFunction>
  void
  CallPipeline(const TFunction & function);

  /** Throws the same exception as the superclass if the mask does not fit the input. */
  void
  VerifyMask() const;

  /** Throws an exception if the intensity image does not fit the input. */
  void
  VerifyIntensityImage() const;

  /** Labels a plane or a volume, or makes an output without pixels. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const CudaConnectedComponentsDetail::BackendRun & run);

  /** Labels by the superclass. Then measures and selects the objects. */
  void
  GenerateDataByITK();

  /** Returns whether a setting needs the sizes of the objects. */
  bool
  NeedsObjectSizes() const;

  /** Returns the objects that get labels, and the order of their labels. */
  CudaConnectedComponentSelection
  GetSelection() const;

  /** Clears the results of the last run. */
  void
  ClearResults();

  /** Stores the sizes of the objects in pixels, and computes their sizes in physical units. */
  void
  StoreObjectSizes(std::vector<SizeValueType> sizes);

  /** Returns the element of an object in a vector that has one element for each object. Returns 0 if there is none. */
  template <typename TElement>
  TElement
  GetElement(const std::vector<TElement> & elements, LabelType label) const
  {
    if (label == m_BackgroundOfSizes)
    {
      return 0;
    }
    const std::uint64_t i = CudaConnectedComponentsDetail::RowOfLabel(label, m_BackgroundOfSizes);
    return i < elements.size() ? elements[static_cast<std::size_t>(i)] : TElement{ 0 };
  }

  /** Clears the members of the superclass. After an exception in its GenerateData(), its next run would fail because of
   * the old values. */
  void
  ClearSuperclassState();

  bool          m_InlineCompression{ true };
  AlgorithmEnum m_Algorithm{ AlgorithmEnum::Automatic };
  LabelType     m_ObjectCount{ 0 };
  SizeValueType m_OriginalNumberOfObjects{ 0 };

  SizeValueType m_MinimumObjectSize{ 0 };
  bool          m_SortByObjectSize{ false };
  SizeValueType m_NumberOfObjectsToKeep{ 0 };
  bool          m_ComputeStatistics{ false };

  std::vector<SizeValueType> m_SizeOfObjectsInPixels;
  std::vector<float>         m_SizeOfObjectsInPhysicalUnits;
  std::uint64_t              m_BackgroundOfSizes{ 0 }; // background value of the run that stored the sizes
  StatisticsType             m_Statistics;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentImageFilter.hxx"
#endif

#endif
