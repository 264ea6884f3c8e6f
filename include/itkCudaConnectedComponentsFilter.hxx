// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFilter_hxx
#define itkCudaConnectedComponentsFilter_hxx

namespace itk
{

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::UpdateOutputInformation()
{
  this->ResetAfterException([this] { Superclass::UpdateOutputInformation(); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::PropagateRequestedRegion(DataObject * output)
{
  this->ResetAfterException([this, output] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::UpdateOutputData(DataObject * output)
{
  this->ResetAfterException([this, output] { Superclass::UpdateOutputData(output); });
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::GenerateData()
{
  Superclass::GenerateData();
}

template <typename TParentFilter>
template <typename TFunction>
void
CudaConnectedComponentsFilter<TParentFilter>::ResetAfterException(const TFunction & function)
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
CudaConnectedComponentsFilter<TParentFilter>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  m_Backend.Print(os, indent);
}

} // end namespace itk

#endif
