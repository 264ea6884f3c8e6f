// SPDX-License-Identifier: Apache-2.0

// Makes a label map of a label image, and passes it to a filter of ITK: prints the size and the surface of each label.
// The pixels of a label need not be connected. To measure the objects of a mask, see MeasureDiameters.cxx.

#include "itkCudaLabelImageToLabelMapFilter.h"
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
    std::cerr << "Usage: " << argv[0] << " input-labels\nPixels that equal 0 are background.\n";
    return EXIT_FAILURE;
  }
  using LabelsType = itk::Image<unsigned short, 3>;
  using MapType = itk::LabelMap<itk::ShapeLabelObject<unsigned short, 3>>;
  try
  {
    auto objects = itk::CudaLabelImageToLabelMapFilter<LabelsType, MapType>::New();
    objects->SetInput(itk::ReadImage<LabelsType>(argv[1]));

    auto shapes = itk::ShapeLabelMapFilter<MapType>::New();
    shapes->SetInput(objects->GetOutput());
    shapes->ComputePerimeterOn();
    shapes->Update();

    const MapType * const map = shapes->GetOutput();
    for (itk::SizeValueType i = 0; i < map->GetNumberOfLabelObjects(); ++i)
    {
      const auto * const object = map->GetNthLabelObject(i);
      std::cout << "label " << object->GetLabel() << ": " << object->GetPhysicalSize() << " mm^3, surface "
                << object->GetPerimeter() << " mm^2\n";
    }
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
