// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaRelabelComponentImageFilter_h
#define itkCudaRelabelComponentImageFilter_h

#include "itkRelabelComponentImageFilter.h"

#include "CudaConnectedComponentsDetail/FilterMacros.h"

namespace itk
{

/** \class CudaRelabelComponentImageFilter
 * \brief Makes the labels of an image consecutive, faster than RelabelComponentImageFilter and with the same results.
 *
 * \code
 * using FilterType = itk::CudaRelabelComponentImageFilter<LabelType, LabelType>;
 * auto filter = FilterType::New();
 * filter->SetInput(labels);
 * filter->SetMinimumObjectSize(100);
 * filter->Update();
 * std::cout << filter->GetNumberOfObjects() << " objects, the largest has " << filter->GetSizeOfObjectInPixels(1)
 *           << " pixels\n";
 * \endcode
 *
 * The filter has the same settings as the superclass. It gives the same pixels, numbers of objects, sizes and
 * exceptions. It runs on the CPU, on the filter's multi-threader and its number of work units. The GPU would not be
 * faster, because the labels are in host memory.
 *
 * \tparam TInputImage an image of labels. The fast code needs an itk::Image, or an image that is derived from it, with
 * an integer pixel type other than bool. The superclass relabels all other images.
 * \tparam TOutputImage an image of the same dimension with a scalar pixel type. The fast code needs an itk::Image, or
 * an image that is derived from it.
 *
 * \par Differences from the superclass
 * - Progress is reported at the start, after the pixels have been counted, and at the end. After
 *   AbortGenerateDataOn(), the filter throws ProcessAborted at one of these times.
 * - The filter can be updated again after any exception of its own work, if the superclass does not relabel the image.
 *   After an exception of another filter of the pipeline, call ResetPipeline() first, as with the superclass.
 * - The filter uses its own number of work units. The superclass uses the number of its multi-threader.
 *
 * \par Sizes of single objects
 * GetSizeOfObjectInPixels() and GetSizeOfObjectInPhysicalUnits() are not virtual. Through a pointer to the superclass,
 * they return 0 for the objects of this filter. They are right for filters that
 * CudaConnectedComponentsFactory has created for its documented types. GetSizeOfObjectsInPixels() and
 * GetSizeOfObjectsInPhysicalUnits() are always right.
 *
 * \par Errors
 * The update throws an ExceptionObject if there are more objects than the maximum of the output's pixel type. Objects
 * with fewer pixels than MinimumObjectSize do not count.
 *
 * \par Memory
 * A filter stores its settings, its output, and 12 bytes for each object. A run needs more memory: at most 1/8 of the
 * size of the input, and about 40 bytes for each object. If the labels have large gaps, they need up to 32 KiB each,
 * but together at most 8 bytes for each pixel.
 *
 * \sa RelabelComponentImageFilter
 * \sa CudaConnectedComponentImageFilter
 * \sa CudaConnectedComponentsFactory for programs that use RelabelComponentImageFilter
 *
 * \ingroup MultiThreaded
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaRelabelComponentImageFilter
  : public RelabelComponentImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaRelabelComponentImageFilter);

  /** This class. */
  using Self = CudaRelabelComponentImageFilter;
  /** The filter that this class replaces. */
  using Superclass = RelabelComponentImageFilter<TInputImage, TOutputImage>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the output. */
  using OutputImageType = TOutputImage;
  /** The type of the input's pixels. */
  using InputPixelType = typename Superclass::InputPixelType;
  /** The type of the output's pixels. */
  using OutputPixelType = typename Superclass::OutputPixelType;
  /** The type of a region of the output: index and size in pixels. */
  using RegionType = typename Superclass::RegionType;
  /** The type of the labels in the input. */
  using LabelType = typename Superclass::LabelType;
  /** The type of an object's size in pixels. */
  using ObjectSizeType = typename Superclass::ObjectSizeType;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaRelabelComponentImageFilter, RelabelComponentImageFilter);

  /** Returns the number of objects in the output of the last run.
   * \return the number of objects; 0 before the first run. After an exception it is undefined, as in the superclass. */
  SizeValueType
  GetNumberOfObjects() const override
  {
    return m_NumberOfObjects;
  }

  /** Returns the number of objects in the input of the last run, including objects that are smaller than
   * MinimumObjectSize.
   * \return the number of objects; 0 before the first run */
  SizeValueType
  GetOriginalNumberOfObjects() const override
  {
    return m_OriginalNumberOfObjects;
  }

  /** Returns the size of an object.
   * \param label a label of the output
   * \return the size in pixels; 0 for the background and for labels that do not exist */
  ObjectSizeType
  GetSizeOfObjectInPixels(LabelType label) const
  {
    return GetSize(this->GetSizeOfObjectsInPixels(), label);
  }

  /** Returns the size of an object.
   * \param label a label of the output
   * \return the size in physical units; 0 for the background and for labels that do not exist */
  float
  GetSizeOfObjectInPhysicalUnits(LabelType label) const
  {
    return GetSize(this->GetSizeOfObjectsInPhysicalUnits(), label);
  }

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaRelabelComponentImageFilter() = default;

  /** Destroys the filter. */
  ~CudaRelabelComponentImageFilter() override = default;

  /** Prints the settings and the results of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Relabels the input. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject there are more objects than the maximum of the output's pixel type
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Returns the element of an array for a label, or 0 if there is none. */
  template <typename T>
  static T
  GetSize(const std::vector<T> & sizes, LabelType label)
  {
    const bool exists = label > 0 && static_cast<double>(label) <= static_cast<double>(sizes.size());
    return exists ? sizes[static_cast<std::size_t>(label - 1)] : T{ 0 };
  }

  /** Relabels by the code of this module. */
  void
  GenerateDataByTable();

  /** Relabels by the superclass. */
  void
  GenerateDataByITK();

  /** Stores both numbers of objects, also in the superclass if possible. */
  void
  SetNumbersOfObjects(SizeValueType number, SizeValueType originalNumber);

  SizeValueType m_NumberOfObjects{ 0 };
  SizeValueType m_OriginalNumberOfObjects{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaRelabelComponentImageFilter.hxx"
#endif

#endif
