// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFactory_h
#define itkCudaConnectedComponentsFactory_h

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkCudaRelabelComponentImageFilter.h"
#include "itkObjectFactoryBase.h"

#include "CudaConnectedComponentsDetail/Process.h"

#include <typeinfo>

namespace itk
{

class CudaConnectedComponentsFactory;

namespace ccl
{

struct LabelMapOverrides;
struct RelabelOverrides;
struct ThresholdOverrides;

} // namespace ccl

/** \class CudaConnectedComponentsFactory
 * \brief Makes ConnectedComponentImageFilter::New() create a CudaConnectedComponentImageFilter, in the whole program.
 * It also replaces RelabelComponentImageFilter, BinaryImageToLabelMapFilter, BinaryFillholeImageFilter,
 * BinaryGrindPeakImageFilter, BinaryShapeKeepNObjectsImageFilter, BinaryShapeOpeningImageFilter,
 * LabelImageToLabelMapFilter, ConnectedThresholdImageFilter, IsolatedConnectedImageFilter and
 * ThresholdMaximumConnectedComponentsImageFilter.
 *
 * \code
 * itk::CudaConnectedComponentsFactory::RegisterOneFactory();
 * itk::CudaConnectedComponentsFactory::Override<itk::Image<double, 3>, itk::Image<short, 3>>();
 * \endcode
 *
 * A factory replaces ConnectedComponentImageFilter for instances of itk::Image with 2 and 3 dimensions and these pixel
 * types:
 * - inputs of unsigned char, signed char, unsigned short, short, unsigned int, int and float, with outputs of short,
 *   unsigned short, int, unsigned int and unsigned long;
 * - inputs of any integer type except bool, with outputs of the same type.
 *
 * The mask has the dimension of the input. Its pixel type is the pixel type of the input, or unsigned char. Override()
 * and AddOverride() add further types. The filters have LazyGPUStartOn(), because a program that labels little should
 * not wait for the start of CUDA.
 *
 * A factory replaces RelabelComponentImageFilter for instances of itk::Image with 2 and 3 dimensions and these pixel
 * types:
 * - inputs of any integer type except bool, with outputs of the same type;
 * - inputs of unsigned long with outputs of float.
 *
 * A factory replaces BinaryImageToLabelMapFilter, BinaryFillholeImageFilter, BinaryGrindPeakImageFilter,
 * BinaryShapeKeepNObjectsImageFilter and BinaryShapeOpeningImageFilter for instances of itk::Image with 2 and 3
 * dimensions and pixels of float or any integer type except bool, long long and unsigned long long.
 * The label maps have objects of the classes LabelObject, ShapeLabelObject, StatisticsLabelObject and
 * AttributeLabelObject with an attribute of type bool. Their labels are of type SizeValueType. For integers except
 * char, also LabelObject with labels of std::uint32_t, as in SimpleITK. The filters have LazyGPUStartOn().
 *
 * Filters of ITK that create a BinaryImageToLabelMapFilter then use the GPU, too, such as
 * BinaryStatisticsOpeningImageFilter, BinaryReconstructionByDilationImageFilter and
 * BinaryImageToShapeLabelMapFilter.
 *
 * A factory replaces LabelImageToLabelMapFilter for instances of itk::Image with 2 and 3 dimensions and these types:
 * - pixels of any integer type except bool, long long and unsigned long long, with objects of ShapeLabelObject that
 *   have labels of this type;
 * - pixels of unsigned char, unsigned short, unsigned int and unsigned long, also with objects of LabelObject and
 *   StatisticsLabelObject that have labels of this type, and with objects of StatisticsLabelObject that have labels of
 *   SizeValueType.
 *
 * Filters of ITK that create a LabelImageToLabelMapFilter then get ours, such as LabelShapeOpeningImageFilter and
 * LabelImageToShapeLabelMapFilter.
 *
 * A factory replaces ConnectedThresholdImageFilter, IsolatedConnectedImageFilter and
 * ThresholdMaximumConnectedComponentsImageFilter for instances of itk::Image with 2 and 3 dimensions and inputs of
 * unsigned char, signed char, unsigned short, short, unsigned int, int, unsigned long, long, float and double. The
 * output has the type of the input, or unsigned char. The filters have LazyGPUStartOn().
 *
 * A program that uses ITK's shared libraries can load the plug-in instead, which contains such a factory. The library
 * has this class only if it was built with the option CudaConnectedComponents_BUILD_FACTORY, which is the default.
 *
 * \par Environment variables
 * - `ITK_CUDA_CONNECTED_COMPONENTS=0`: RegisterOneFactory() and the plug-in replace no filter.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_DISABLE`: a list of filters that new factories do not replace. The list contains
 *   names of ITK's classes, separated by commas: `ConnectedComponentImageFilter`, `RelabelComponentImageFilter`,
 *   `BinaryImageToLabelMapFilter`, `BinaryFillholeImageFilter`, `BinaryGrindPeakImageFilter`,
 *   `BinaryShapeKeepNObjectsImageFilter`, `BinaryShapeOpeningImageFilter`, `LabelImageToLabelMapFilter`,
 *   `ConnectedThresholdImageFilter`, `IsolatedConnectedImageFilter` and
 *   `ThresholdMaximumConnectedComponentsImageFilter`.
 *
 * \par Thread safety
 * Register the factory and add overrides before other threads create objects, as for all factories of ITK.
 *
 * \par Memory
 * ITK owns a registered factory until the factory is unregistered or the process ends. The factory does not own the
 * filters that it creates.
 *
 * \sa CudaConnectedComponentImageFilter
 * \sa CudaRelabelComponentImageFilter
 * \sa CudaBinaryImageToLabelMapFilter
 * \sa CudaBinaryFillholeImageFilter
 * \sa CudaBinaryGrindPeakImageFilter
 * \sa CudaBinaryShapeKeepNObjectsImageFilter
 * \sa CudaBinaryShapeOpeningImageFilter
 * \sa CudaLabelImageToLabelMapFilter
 * \sa CudaConnectedThresholdImageFilter
 * \sa CudaIsolatedConnectedImageFilter
 * \sa CudaThresholdMaximumConnectedComponentsImageFilter
 * \sa ObjectFactoryBase
 *
 * \ingroup ITKSystemObjects
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentsFactory : public ObjectFactoryBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentsFactory);

  /** This class. */
  using Self = CudaConnectedComponentsFactory;
  /** The base class of ITK's factories. */
  using Superclass = ObjectFactoryBase;
  /** Shared owner of a factory. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant factory. */
  using ConstPointer = SmartPointer<const Self>;

  /** Creates a factory with the overrides for the types above. Does not register it.
   * \return the factory */
  itkFactorylessNewMacro(Self);

  // The name of the class, for messages.
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentsFactory, ObjectFactoryBase);

  /** Returns the version of ITK that the library was compiled with. ITK warns if it loads a factory that was compiled
   * with another version.
   * \return a text that exists until the process ends */
  const char * GetITKSourceVersion() const override;

  /** Returns a description of the factory.
   * \return a text that exists until the process ends */
  const char * GetDescription() const override;

  /** Registers a factory. Does nothing if such a factory is registered already, or if the environment variable
   * ITK_CUDA_CONNECTED_COMPONENTS is 0. Factories that were registered earlier take precedence. */
  static void RegisterOneFactory();

  /** Returns the factory of this class that is registered. ObjectFactoryBase::UnRegisterFactory() ends its
   * replacements.
   * \return the factory, which ITK owns, or nullptr if there is none */
  static Self * GetRegistered();

  /** Replaces ConnectedComponentImageFilter for further types, by the factory that is registered, and by each factory
   * that is created later. A module that the program loads and that calls this function must stay loaded as long as
   * factories are created or registered.
   * \tparam TInputImage type of the input
   * \tparam TOutputImage type of the output
   * \tparam TMaskImage type of the mask. A program that uses masks of several types needs one call for each. */
  template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
  static void Override()
  {
    AddToAll([](Self & factory) { factory.AddOverride<TInputImage, TOutputImage, TMaskImage>(); });
  }

  /** Makes this factory replace ConnectedComponentImageFilter for further types. Does nothing if the environment
   * turns off this replacement.
   * \tparam TInputImage type of the input
   * \tparam TOutputImage type of the output
   * \tparam TMaskImage type of the mask. A program that uses masks of several types needs one call for each. */
  template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
  void AddOverride()
  {
    using ReplacedType = ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
    using FilterType = CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
    this->AddReplacement<ReplacedType, FilterType>("ConnectedComponentImageFilter",
                                                   "Connected components on an NVIDIA GPU");
  }

protected:
  /** Creates a factory with the overrides for the types above. Programs call New() instead. */
  CudaConnectedComponentsFactory();

  /** Destroys the factory. */
  ~CudaConnectedComponentsFactory() override;

private:
  /** A function that adds an override to a factory. */
  using AddFunction = void (*)(Self & factory);

  /** Calls a function with the factory that is registered, and with each one that is created later. */
  static void AddToAll(AddFunction add);

  /** Creates filters of one type, with LazyGPUStartOn(). */
  template <typename TFilter>
  class CreateFilter : public CreateObjectFunctionBase
  {
  public:
    ITK_DISALLOW_COPY_AND_MOVE(CreateFilter);

    using Self = CreateFilter;
    using Pointer = SmartPointer<Self>;

    itkFactorylessNewMacro(Self);

    LightObject::Pointer
    CreateObject() override
    {
      auto filter = TFilter::New();
      filter->LazyGPUStartOn();
      return filter.GetPointer();
    }

  protected:
    CreateFilter() = default;
    ~CreateFilter() override = default;
  };

  friend struct ccl::LabelMapOverrides;
  friend struct ccl::RelabelOverrides;
  friend struct ccl::ThresholdOverrides;

  /** Makes this factory create filters of one type instead of filters of ITK, with LazyGPUStartOn(). Does nothing if
   * the environment turns off this replacement. */
  template <typename TReplaced, typename TFilter>
  void AddReplacement(const char * className, const char * description)
  {
    if (CudaConnectedComponentsDetail::Process::IsReplacementEnabled(className))
    {
      this->RegisterOverride(
        typeid(TReplaced).name(), typeid(TFilter).name(), description, true, CreateFilter<TFilter>::New());
    }
  }

  /** Makes this factory replace RelabelComponentImageFilter for some types. Does nothing if the environment turns off
   * this replacement. The caller publishes the RelabelComponentMembers of the types. */
  template <typename TInputImage, typename TOutputImage>
  void AddRelabelOverride()
  {
    using ReplacedType = RelabelComponentImageFilter<TInputImage, TOutputImage>;
    using FilterType = CudaRelabelComponentImageFilter<TInputImage, TOutputImage>;
    if (CudaConnectedComponentsDetail::Process::IsReplacementEnabled("RelabelComponentImageFilter"))
    {
      this->RegisterOverride(typeid(ReplacedType).name(),
                             typeid(FilterType).name(),
                             "Relabeling of components at the speed of the memory",
                             true,
                             CreateObjectFunction<FilterType>::New());
    }
  }
};

} // namespace itk

#endif
