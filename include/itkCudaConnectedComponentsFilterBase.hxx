// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFilterBase_hxx
#define itkCudaConnectedComponentsFilterBase_hxx

namespace itk
{

template <typename TParentFilter>
void
CudaConnectedComponentsFilterBase<TParentFilter>::UpdateOutputInformation()
{
  this->ResetAfterException([this] { Superclass::UpdateOutputInformation(); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilterBase<TParentFilter>::PropagateRequestedRegion(DataObject * output)
{
  this->ResetAfterException([this, output] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilterBase<TParentFilter>::UpdateOutputData(DataObject * output)
{
  this->ResetAfterException([this, output] { Superclass::UpdateOutputData(output); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilterBase<TParentFilter>::GenerateData()
{
  Superclass::GenerateData();
}

template <typename TParentFilter>
template <typename TFunction>
void
CudaConnectedComponentsFilterBase<TParentFilter>::ResetAfterException(const TFunction & function)
{
  try
  {
    function();
  }
  catch (...)
  {
    m_Backend.Reset(*this);
    this->ClearResults();
    throw;
  }
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilterBase<TParentFilter>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  m_Backend.Print(os, indent);
}

} // end namespace itk

#endif
