// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFilterBase_h
#define itkCudaConnectedComponentsFilterBase_h

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/FilterMacros.h"

#include <string>

namespace itk
{

/** \class CudaConnectedComponentsFilterBase
 * \brief The settings, the reports and the pipeline of all filters of this module that use the GPU, on top of a filter
 * of ITK.
 *
 * The filters derive from this class, and this class derives from the filter of ITK that they replace, as
 * GPUImageToImageFilter does. The functions that set and get a value are not virtual.
 *
 * \tparam TParentFilter the filter of ITK
 *
 * \par GPU and CPU
 * The GPU labels planes and volumes of up to 2^40 pixels, in slabs if it has too little memory. The CPU does the work
 * if the GPU cannot be used: there is no device, no driver or too little memory for a slice, or CUDA reports an error.
 * The CPU uses this module's own code, on the filter's multi-threader and its number of work units. ITK's own code does
 * work that this module's code cannot do, such as images of more than 3 dimensions. GetBackendUsed() tells which code
 * did the work, and GetFallbackReason() tells why. With CPUFallbackOff(), the update throws an ExceptionObject with the
 * reason instead.
 *
 * \par
 * The CPU always labels images of at most 16,384 pixels, because it is faster. CPUFallbackOff() switches this off, and
 * so does an Algorithm other than Automatic. If there is nothing to label, such as in an image without pixels, the CPU
 * does the work with all settings.
 *
 * \par Differences from the filters of ITK
 * - If the region has no pixels, the output is empty.
 * - After AbortGenerateDataOn(), the filter throws ProcessAborted between the stages of the work.
 * - The filter can be updated again after any exception.
 *
 * \par Environment variables
 * doc/behavior.md lists the variables that replace ITK's filters, start the GPU early, limit its memory, and print each
 * run.
 *
 * \par Errors
 * An update throws an ExceptionObject: MemoryAllocationError if the host has too little memory, ProcessAborted after an
 * abort. An accessor of an ImageAdaptor may throw anything; its exception reaches the caller with its type.
 *
 * \par
 * A missing device and too little device memory are expected. The first time that another error of CUDA in a process
 * makes a filter use the CPU, the filter warns of the error, as ITK's filters warn. It may be a fault of this module.
 *
 * \par Thread safety
 * Different filters may run on several threads at the same time. One filter must not be used by several threads at the
 * same time.
 *
 * \par Memory
 * A filter stores its settings, its output and its results. GPU memory and pinned host memory belong to the process,
 * and are cached for later runs. See CudaConnectedComponentLabeler::GetHeldMemory() and
 * CudaConnectedComponentLabeler::TrimMemory().
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TParentFilter>
class ITK_TEMPLATE_EXPORT CudaConnectedComponentsFilterBase : public TParentFilter
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentsFilterBase);

  /** This class. */
  using Self = CudaConnectedComponentsFilterBase;
  /** The filter of ITK. */
  using Superclass = TParentFilter;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The algorithms. */
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;
  /** The backends. */
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  // The name of the class, for messages.
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentsFilterBase, TParentFilter);

  /** Selects whether the filter uses the GPU. If off, the CPU does the work, also with CPUFallbackOff().
   * GetFallbackReason() is then empty.
   * \param value true to use the GPU, which is the default */
  itkCudaConnectedComponentsBooleanSettingMacro(GPUEnabled, m_Backend.gpuEnabled);

  /** Selects whether the CPU does the work if the GPU cannot be used. If off, the update throws an ExceptionObject with
   * the reason. The GPU then gets small images, too. For work that only ITK can do, the update then throws, except with
   * GPUEnabledOff().
   * \param value true for the fallback, which is the default */
  itkCudaConnectedComponentsBooleanSettingMacro(CPUFallback, m_Backend.cpuFallback);

  /** Selects whether the filter delays the start of CUDA, which takes some tenths of a second. The filters that
   * CudaConnectedComponentsFactory creates do.
   *
   * If on, the CPU labels until this module has started CUDA in this process, or until labeling on the CPU has taken
   * 500 ms in total. The total counts all filters of the process with this setting, except their runs on images of at
   * most 16,384 pixels, and the work of ITK's own code. The setting has no effect with CPUFallbackOff(), or if the
   * environment variable ITK_CUDA_CONNECTED_COMPONENTS is 1.
   * \param value true for the delay; the default is false */
  itkCudaConnectedComponentsBooleanSettingMacro(LazyGPUStart, m_Backend.lazyGPUStart);

  /** Selects the algorithm on the GPU. The output does not depend on it. BlockUnionFind and BlockKomuraEquivalence need
   * full connectivity; otherwise the update throws an ExceptionObject, also if the CPU does the work.
   * \param value the algorithm; the default is Automatic, the fastest */
  itkCudaConnectedComponentsSettingMacro(Algorithm, AlgorithmEnum, m_Backend.algorithm);

  /** Selects whether BlockUnionFind and BlockKomuraEquivalence use inline compression. The output does not depend on
   * it. Other algorithms do not use it.
   * \param value true for inline compression, which is the default */
  itkCudaConnectedComponentsBooleanSettingMacro(InlineCompression, m_Backend.inlineCompression);

  /** Selects the CUDA device. If there is no such device, the filter falls back to the CPU, or throws an
   * ExceptionObject with CPUFallbackOff().
   * \param value the number of the device, from 0 to the number of devices - 1; the default is -1: the current device
   * of the thread that calls Update() */
  itkCudaConnectedComponentsSettingMacro(DeviceId, int, m_Backend.deviceId);

  /** Sets the most bytes of device memory that a run may use, with the memory that the module keeps for the next runs.
   * An image that needs more than half of it goes through the GPU in slabs. The output does not depend on it.
   * \param value the limit in bytes; the default is 0: the limit of the process, see
   * CudaConnectedComponentLabeler::SetDeviceMemoryLimit() */
  itkCudaConnectedComponentsSettingMacro(DeviceMemoryLimit, std::uint64_t, m_Backend.deviceMemoryLimit);

  /** Returns the backend that did the work of the last run: CUDA, CPU or ITK.
   * \return the backend; Unknown before the first update, and after an update that threw an exception */
  BackendEnum
  GetBackendUsed() const
  {
    return m_Backend.backendUsed;
  }

  /** Returns why the last run did not use the GPU.
   * \return a text such as "no CUDA device: the NVIDIA driver shows no GPU: ...". Empty if the GPU did the work, with
   * GPUEnabledOff(), or if there was nothing to label. */
  const std::string &
  GetFallbackReason() const
  {
    return m_Backend.fallbackReason;
  }

  /** Returns in how many slabs the last run labeled on the GPU. The GPU labels an image in slabs if it has too little
   * memory for the whole, or because of the DeviceMemoryLimit.
   * \return the number of slabs; 1 if the GPU labeled the whole image at once, and 0 if it did not label */
  std::uint64_t
  GetNumberOfSlabs() const
  {
    return m_Backend.numberOfSlabs;
  }

  /** Updates the information about the output, such as its size, as the superclass does. If an exception is thrown,
   * this function resets the pipeline. So the filter can be updated again.
   * \exception ExceptionObject the exception of the superclass, or of another filter */
  void
  UpdateOutputInformation() override;

  /** Propagates the requested region to the inputs, as the superclass does. If an exception is thrown, this function
   * resets the pipeline. So the filter can be updated again.
   * \param output the output of this filter whose requested region is propagated
   * \exception ExceptionObject the exception of the superclass, or of another filter */
  void
  PropagateRequestedRegion(DataObject * output) override;

  /** Updates the inputs and then the output, as the superclass does. If an exception is thrown, this function resets
   * the pipeline. So the filter can be updated again.
   * \param output the output of this filter that is updated
   * \exception ExceptionObject the exception of GenerateData(), of the superclass, or of another filter */
  void
  UpdateOutputData(DataObject * output) override;

protected:
  /** Creates a filter with the default settings. */
  CudaConnectedComponentsFilterBase() = default;

  /** Destroys the filter. */
  ~CudaConnectedComponentsFilterBase() override = default;

  /** Prints the settings of the superclass, and those of this class with the backend of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Does the work. Each filter overrides this function. Here it calls the function of ITK's filter. */
  void
  GenerateData() override = 0;

  /** Clears the results of the last run. This function is called after an exception. */
  virtual void
  ClearResults()
  {}

  /** Returns the settings and the backend, for a run.
   * \return a reference that is valid as long as the filter */
  CudaConnectedComponentsDetail::BackendSettings &
  GetBackend()
  {
    return m_Backend;
  }
  /** Returns the settings and the backend.
   * \return a reference that is valid as long as the filter */
  const CudaConnectedComponentsDetail::BackendSettings &
  GetBackend() const
  {
    return m_Backend;
  }

  /** Sets a member, and calls Modified() if its value changes.
   * \param member the member
   * \param value the new value */
  template <typename TValue>
  void
  SetMember(TValue & member, TValue value)
  {
    if (member != value)
    {
      member = value;
      this->Modified();
    }
  }

private:
  /** Calls a function. Makes the filter usable again if it throws. */
  template <typename TFunction>
  void
  ResetAfterException(const TFunction & function);

  CudaConnectedComponentsDetail::BackendSettings m_Backend;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentsFilterBase.hxx"
#endif

#endif
