// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_GalleryOnDevice_h
#define ccl_test_GalleryOnDevice_h

#include "TestImages.h"

#include <cstdint>
#include <string>
#include <vector>

struct GalleryMeasurement;

/** Returns the labels that an algorithm of the gallery writes on the current device.
 * \param name the name of the algorithm in its Entry
 * \param dimension 2 or 3; 3 labels a plane as a volume of one slice */
std::vector<std::uint32_t>
LabelByGalleryOnDevice(const std::string & name, unsigned int dimension, const TestImage & image, bool fullyConnected);

/** Measures the components of an image on the current device.
 * \param name the name of the way in VisitGalleryMeasurements()
 * \param has64Bits whether labels have 64 bits or 32 bits
 * \return the results; the table has no columns if no way has the name */
GalleryMeasurement
MeasureByGalleryOnDevice(const std::string & name, bool has64Bits, const TestImage & image, bool fullyConnected);

#endif
