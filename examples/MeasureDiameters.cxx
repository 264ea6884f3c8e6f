// SPDX-License-Identifier: Apache-2.0

// Makes a label map on the GPU, and passes it to a filter of ITK: prints the largest diameter (Feret) and the surface
// of each object in a mask. This module measures neither of them.

#include "itkCudaBinaryImageToLabelMapFilter.h"
#include "itkImageFileReader.h"
#include "itkShapeLabelMapFilter.h"
#include "itkShapeLabelObject.h"

#include <cstdlib>
#include <iostream>

int
main(int argc, char * argv[])
{
  if (argc != 2)
  {
    std::cerr << "Usage: " << argv[0] << " input-mask\nPixels that equal 1 are foreground.\n";
    return EXIT_FAILURE;
  }
  using MaskType = itk::Image<unsigned char, 3>;
  using MapType = itk::LabelMap<itk::ShapeLabelObject<itk::SizeValueType, 3>>;
  try
  {
    auto objects = itk::CudaBinaryImageToLabelMapFilter<MaskType, MapType>::New();
    objects->SetInput(itk::ReadImage<MaskType>(argv[1]));
    objects->SetInputForegroundValue(1);
    objects->FullyConnectedOn();

    auto shapes = itk::ShapeLabelMapFilter<MapType>::New();
    shapes->SetInput(objects->GetOutput());
    shapes->ComputeFeretDiameterOn();
    shapes->ComputePerimeterOn();
    shapes->Update();

    const MapType * const map = shapes->GetOutput();
    for (itk::SizeValueType i = 0; i < map->GetNumberOfLabelObjects(); ++i)
    {
      const auto * const object = map->GetNthLabelObject(i);
      std::cout << "label " << object->GetLabel() << ": diameter " << object->GetFeretDiameter() << " mm, surface "
                << object->GetPerimeter() << " mm^2\n";
    }
    std::cout << map->GetNumberOfLabelObjects() << " objects by " << objects->GetBackendUsed() << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
