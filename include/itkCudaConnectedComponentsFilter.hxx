// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFilter_hxx
#define itkCudaConnectedComponentsFilter_hxx

namespace itk
{

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::UpdateOutputInformation()
{
  try
  {
    Superclass::UpdateOutputInformation();
  }
  catch (...)
  {
    this->Reset();
    throw;
  }
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::PropagateRequestedRegion(DataObject * output)
{
  try
  {
    Superclass::PropagateRequestedRegion(output);
  }
  catch (...)
  {
    this->Reset();
    throw;
  }
}

template <typename TParentFilter>
void
CudaConnectedComponentsFilter<TParentFilter>::UpdateOutputData(DataObject * output)
{
  try
  {
    Superclass::UpdateOutputData(output);
  }
  catch (...)
  {
    this->Reset();
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
