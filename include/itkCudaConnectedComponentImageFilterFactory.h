// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilterFactory_h
#define itkCudaConnectedComponentImageFilterFactory_h

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkObjectFactoryBase.h"

#include <typeinfo>

namespace itk
{

/** \class CudaConnectedComponentImageFilterFactory
 * \brief Makes ConnectedComponentImageFilter::New() give a CudaConnectedComponentImageFilter, in all of a program.
 *
 * \code
 * itk::CudaConnectedComponentImageFilterFactory::RegisterOneFactory();
 * itk::CudaConnectedComponentImageFilterFactory::Override<itk::Image<double, 3>, itk::Image<short, 3>>();
 * \endcode
 *
 * Without further ado it does so for planes and volumes of these pixel types: inputs of unsigned char, signed char,
 * unsigned short, short, unsigned int, int and float with outputs of short, unsigned short, int, unsigned int and
 * unsigned long; every integer type to itself; and for each of these, masks of the input's type and of unsigned char.
 *
 * The filters have LazyGPUStartOn(): a program that labels little is not made to wait for CUDA.
 *
 * Programs that share ITK's libraries need no more than the plug-in, which holds such a factory; see the README.
 *
 * As with all of ITK's factories, register before other threads create objects.
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentImageFilterFactory : public ObjectFactoryBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentImageFilterFactory);

  using Self = CudaConnectedComponentImageFilterFactory;
  using Superclass = ObjectFactoryBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkFactorylessNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentImageFilterFactory, ObjectFactoryBase);

  const char * GetITKSourceVersion() const override;

  const char * GetDescription() const override;

  /** Registers a factory, unless there is one already, or the environment has ITK_CUDA_CONNECTED_COMPONENTS=0. */
  static void RegisterOneFactory();

  /** Replaces ITK's filter for further types, by the factory that is registered; without one, does nothing. */
  template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
  static void Override()
  {
    if (Self * const factory = GetRegistered())
    {
      factory->AddOverride<TInputImage, TOutputImage, TMaskImage>();
    }
  }

  /** Makes this factory replace ITK's filter for further types. */
  template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
  void AddOverride()
  {
    using ReplacedType = ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
    using FilterType = CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
    this->RegisterOverride(typeid(ReplacedType).name(),
                           typeid(FilterType).name(),
                           "Connected components on an NVIDIA GPU",
                           true,
                           CreateFilter<FilterType>::New());
  }

protected:
  CudaConnectedComponentImageFilterFactory();
  ~CudaConnectedComponentImageFilterFactory() override;

private:
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

  static Self * GetRegistered();
};

} // namespace itk

#endif
