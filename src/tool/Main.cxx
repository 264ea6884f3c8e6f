// SPDX-License-Identifier: Apache-2.0
#include "Failure.h"
#include "LabelImage.h"
#include "Workshop.h"

#include "itkObject.h"

#include <cstdlib>
#include <iostream>
#include <new>

int
main(int argc, char ** argv)
{
  DeleteWorkshopsOnSignals();
  itk::Object::GlobalWarningDisplayOff();
  Options options;
  try
  {
    if (const std::optional<int> status = ParseOptions(argc, argv, options))
    {
      return *status;
    }
    LabelImage(options);
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & exception)
  {
    std::cerr << "cuda-connected-components: " << Sentence(exception) << '\n';
  }
  catch (const std::bad_alloc &)
  {
    std::cerr << "cuda-connected-components: " << options.input << ": there is not enough memory for this image\n";
  }
  catch (const std::exception & exception)
  {
    std::cerr << "cuda-connected-components: " << exception.what() << '\n';
  }
  return EXIT_FAILURE;
}
