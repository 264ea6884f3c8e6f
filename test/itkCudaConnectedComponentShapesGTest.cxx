// SPDX-License-Identifier: Apache-2.0

// Tests of the shapes of objects. The oracles are ITK's ShapeLabelMapFilter, and a loop in long double that works in
// indices from the centroid, because ITK's moments lose digits far from the origin of the physical space.

#include "ObjectsTestSupport.h"

#include "primitives/Sums.h"

#include <random>

namespace shapes_test
{

template <unsigned int VDimension>
using StatisticsOf = itk::CudaConnectedComponentStatistics<VDimension>;

/** Calls a function. Returns the description of its ITK exception, or an empty string. */
template <typename TFunction>
std::string
MessageOf(const TFunction & function)
{
  try
  {
    function();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return exception.GetDescription();
  }
}

/** The geometries of the tests: the default, and oblique images with anisotropic pixels near and far from the origin.
 */
enum class Place
{
  Default,
  Near,
  Far
};

/** Sets a random spacing, origin, rotation and start index. */
template <unsigned int VDimension>
void
SetRandomGeometry(itk::ImageBase<VDimension> & image, Place place, std::mt19937 & random)
{
  if (place == Place::Default)
  {
    return;
  }
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  typename itk::ImageBase<VDimension>::SpacingType   spacing;
  typename itk::ImageBase<VDimension>::PointType     origin;
  typename itk::ImageBase<VDimension>::DirectionType direction;
  auto                                               region = image.GetBufferedRegion();
  direction.SetIdentity();
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    spacing[axis] = uniform(0.2, 5.0);
    origin[axis] = place == Place::Far ? uniform(0.5e5, 1e5) : uniform(-50.0, 50.0);
    region.SetIndex(axis, static_cast<int>(uniform(-300.0, 300.0)));
    for (unsigned int other = axis + 1; other < VDimension; ++other)
    {
      const double                                       angle = uniform(-3.0, 3.0);
      typename itk::ImageBase<VDimension>::DirectionType rotation;
      rotation.SetIdentity();
      rotation[axis][axis] = rotation[other][other] = std::cos(angle);
      rotation[axis][other] = -std::sin(angle);
      rotation[other][axis] = std::sin(angle);
      direction *= rotation;
    }
  }
  image.SetSpacing(spacing);
  image.SetOrigin(origin);
  image.SetDirection(direction);
  image.SetRegions(region);
}

/** Returns the largest squared distance of a pixel of a region from the origin of the physical space. */
template <unsigned int VDimension>
double
SquaredDistance(const itk::ImageBase<VDimension> & image, const itk::ImageRegion<VDimension> & region)
{
  double largest = 0.0;
  for (unsigned int corner = 0; corner < 1U << VDimension; ++corner)
  {
    itk::Index<VDimension> index = region.GetIndex();
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      index[axis] = (corner >> axis & 1) != 0 ? region.GetUpperIndex()[axis] : index[axis];
    }
    itk::Point<double, VDimension> point;
    image.TransformIndexToPhysicalPoint(index, point);
    largest = std::max(largest, point.GetVectorFromOrigin().GetSquaredNorm());
  }
  return largest;
}

/** Compares shapes with ITK's. Returns the number of objects whose numbers ITK's rounding does not hide. */
template <typename TLabels>
std::size_t
ExpectShapesOfItk(const StatisticsOf<TLabels::ImageDimension> & statistics, const TLabels * labels)
{
  constexpr unsigned int Dimension = TLabels::ImageDimension;
  const auto             shapes = ShapesByItk<Dimension>(labels);
  EXPECT_EQ(shapes->GetNumberOfLabelObjects(), statistics.GetNumberOfObjects());

  std::size_t comparable = 0;
  for (SizeValueType i = 0; i < statistics.GetNumberOfObjects() && !testing::Test::HasFailure(); ++i)
  {
    SCOPED_TRACE("object " + std::to_string(i));
    const auto * const expected = shapes->GetLabelObject(LabelAt(statistics, i));
    EXPECT_EQ(statistics.GetNumberOfPixels(LabelAt(statistics, i)), expected->GetNumberOfPixels());
    const double radius = expected->GetEquivalentSphericalRadius();
    const double perimeter = expected->GetEquivalentSphericalPerimeter();
    EXPECT_NEAR(statistics.GetEquivalentSphericalRadius(LabelAt(statistics, i)), radius, 1e-13 * radius);
    EXPECT_NEAR(statistics.GetEquivalentSphericalPerimeter(LabelAt(statistics, i)), perimeter, 1e-13 * perimeter);

    const auto   moments = statistics.GetPrincipalMoments(LabelAt(statistics, i));
    const auto   axes = statistics.GetPrincipalAxes(LabelAt(statistics, i));
    const double rounding =
      1e-13 * SquaredDistance(*labels, statistics.GetBoundingBox(LabelAt(statistics, i))); // ITK's
    const auto relative = [&moments, rounding](unsigned int axis) { return rounding / moments[axis]; };
    const auto isClear = [&relative](unsigned int axis) { return relative(axis) < 1e-3; };
    for (unsigned int axis = 0; axis < Dimension; ++axis)
    {
      EXPECT_NEAR(moments[axis], expected->GetPrincipalMoments()[axis], 1e-9 * moments[axis] + rounding);

      double gap = std::numeric_limits<double>::max();
      for (unsigned int other = 0; other < Dimension; ++other)
      {
        gap = other == axis ? gap : std::min(gap, std::abs(moments[axis] - moments[other]));
      }
      if (rounding < 1e-3 * gap)
      {
        double sum = 0.0;
        double difference = 0.0;
        for (unsigned int j = 0; j < Dimension; ++j)
        {
          sum = std::max(sum, std::abs(axes[axis][j] + expected->GetPrincipalAxes()[axis][j]));
          difference = std::max(difference, std::abs(axes[axis][j] - expected->GetPrincipalAxes()[axis][j]));
        }
        EXPECT_LE(std::min(sum, difference), 1e-9 + 4.0 * rounding / gap);
      }
    }
    if (isClear(Dimension - 2))
    {
      const double tolerance = 1e-9 + relative(Dimension - 1) + relative(Dimension - 2);
      EXPECT_NEAR(statistics.GetElongation(LabelAt(statistics, i)) / expected->GetElongation(), 1.0, tolerance);
    }
    if (isClear(0))
    {
      EXPECT_NEAR(statistics.GetFlatness(LabelAt(statistics, i)) / expected->GetFlatness(),
                  1.0,
                  1e-9 + relative(0) + relative(1));
      for (unsigned int axis = 0; axis < Dimension; ++axis)
      {
        const double ratio = statistics.GetEquivalentEllipsoidDiameter(LabelAt(statistics, i))[axis] /
                             expected->GetEquivalentEllipsoidDiameter()[axis];
        EXPECT_NEAR(ratio, 1.0, 1e-9 + 2.0 * relative(0));
      }
      ++comparable;
    }
  }
  return comparable;
}

/** Compares principal moments and axes with moments that a loop computes in long double. */
template <typename TLabels>
void
ExpectShapesOfLoop(const StatisticsOf<TLabels::ImageDimension> & statistics, const TLabels * labels)
{
  constexpr unsigned int Dimension = TLabels::ImageDimension;
  struct Loop
  {
    std::array<std::int64_t, Dimension>                       sum{};
    std::array<std::array<long double, Dimension>, Dimension> products{}; // of the distances from the centroid
  };
  std::vector<Loop> loops(statistics.GetNumberOfObjects());
  // Both passes need the objects of the labels.
  const auto forEachPixel = [&](const auto & function) {
    itk::ImageRegionConstIteratorWithIndex<TLabels> it(labels, labels->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      if (it.Get() != 0)
      {
        const auto i = static_cast<std::size_t>(it.Get()) - 1; // the background is 0
        function(
          loops[i], it.GetIndex(), static_cast<long double>(statistics.GetNumberOfPixels(LabelAt(statistics, i))));
      }
    }
  };
  forEachPixel([](Loop & loop, const auto & index, long double) {
    for (unsigned int axis = 0; axis < Dimension; ++axis)
    {
      loop.sum[axis] += index[axis];
    }
  });
  forEachPixel([](Loop & loop, const auto & index, long double count) {
    for (unsigned int a = 0; a < Dimension; ++a)
    {
      for (unsigned int b = 0; b < Dimension; ++b)
      {
        loop.products[a][b] += (index[a] - loop.sum[a] / count) * (index[b] - loop.sum[b] / count);
      }
    }
  });

  for (SizeValueType i = 0; i < loops.size() && !testing::Test::HasFailure(); ++i)
  {
    SCOPED_TRACE("object " + std::to_string(i));
    const auto   shape = statistics.GetShape(LabelAt(statistics, i));
    const auto & moments = shape.principalMoments;
    const auto & axes = shape.principalAxes;
    const double tolerance = 1e-14 * moments[Dimension - 1];
    EXPECT_GE(moments[0], 0.0);
    EXPECT_NEAR(vnl_determinant(axes.GetVnlMatrix().as_matrix()), 1.0, 1e-13);
    for (unsigned int row = 0; row < Dimension; ++row)
    {
      EXPECT_LE(moments[row], moments[std::min(row + 1, Dimension - 1)]);
      for (unsigned int column = 0; column < Dimension; ++column)
      {
        long double expected = 0.0;
        for (unsigned int a = 0; a < Dimension; ++a)
        {
          for (unsigned int b = 0; b < Dimension; ++b)
          {
            expected += static_cast<long double>(labels->GetDirection()[row][a]) * labels->GetSpacing()[a] *
                        loops[i].products[a][b] * labels->GetDirection()[column][b] * labels->GetSpacing()[b];
          }
        }
        expected /= static_cast<long double>(statistics.GetNumberOfPixels(LabelAt(statistics, i)));
        // The moments and axes are right if they give the matrix of the moments, and if the axes are orthogonal.
        double value = 0.0;
        double product = 0.0;
        for (unsigned int axis = 0; axis < Dimension; ++axis)
        {
          value += axes[axis][row] * moments[axis] * axes[axis][column];
          product += axes[row][axis] * axes[column][axis];
        }
        EXPECT_NEAR(value, static_cast<double>(expected), tolerance);
        EXPECT_NEAR(product, row == column ? 1.0 : 0.0, 1e-14);
      }
    }
  }
}

/** Labels an image on the CPU and on the GPU. Calls a function with the filter. */
template <typename TImage, typename TFunction>
void
MeasureByFilter(const TImage * image, bool fullyConnected, const TFunction & function)
{
  auto filter = itk::CudaConnectedComponentImageFilter<TImage, WideType<TImage::ImageDimension>>::New();
  filter->SetInput(image);
  filter->SetFullyConnected(fullyConnected);
  filter->ComputeStatisticsOn();
  OnEachBackend(*filter, [&] {
    filter->Update();
    function(*filter);
  });
}

/** Makes an image of random boxes with 1 to 4 pixels along each axis. */
template <typename TImage>
typename TImage::Pointer
MakeBoxes(const typename TImage::SizeType & size, unsigned int count, std::mt19937 & random)
{
  auto image = TImage::New();
  image->SetRegions(size);
  image->Allocate(true);
  for (unsigned int i = 0; i < count; ++i)
  {
    typename TImage::RegionType box;
    for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      box.SetSize(axis, 1 + random() % 4);
      box.SetIndex(axis, random() % (size[axis] - 3));
    }
    for (itk::ImageRegionIterator<TImage> it(image, box); !it.IsAtEnd(); ++it)
    {
      it.Set(1);
    }
  }
  return image;
}

/** Compares the shapes of noise and of random boxes with the oracles.
 * \param density the percentage of foreground pixels in the noise */
template <unsigned int VDimension>
void
ExpectShapesOfRandomImages(const itk::Size<VDimension> & size,
                           unsigned int                  density,
                           unsigned int                  boxCount,
                           unsigned int                  firstSeed)
{
  using ImageType = itk::Image<unsigned char, VDimension>;
  unsigned int seed = firstSeed;
  for (const bool isNoise : { true, false })
  {
    for (const Place place : { Place::Default, Place::Near, Place::Far })
    {
      SCOPED_TRACE("seed " + std::to_string(++seed) + ", place " + std::to_string(static_cast<int>(place)));
      std::mt19937 random(seed);
      const auto   image =
        isNoise ? MakeNoise<ImageType>(size, density, 1, seed) : MakeBoxes<ImageType>(size, boxCount, random);
      SetRandomGeometry(*image, place, random);
      MeasureByFilter(image.GetPointer(), true, [place](auto & filter) {
        EXPECT_GT(filter.GetObjectCount(), 5U);
        const std::size_t comparable = ExpectShapesOfItk(filter.GetStatistics(), filter.GetOutput());
        // Far from the origin, ITK's rounding hides the shapes of small objects.
        EXPECT_TRUE(place == Place::Far || comparable > 2) << comparable;
        ExpectShapesOfLoop(filter.GetStatistics(), filter.GetOutput());
      });
    }
  }
}

TEST(CudaConnectedComponentsShapes, OfRandomPlanes) { ExpectShapesOfRandomImages<2>({ { 131, 129 } }, 30, 500, 2000); }

TEST(CudaConnectedComponentsShapes, OfRandomVolumes)
{
  ExpectShapesOfRandomImages<3>({ { 41, 33, 29 } }, 8, 150, 2100);
}

TEST(CudaConnectedComponentsShapes, OfRandomImagesOfFourDimensions)
{
  ExpectShapesOfRandomImages<4>({ { 15, 17, 13, 9 } }, 3, 30, 2200);
}

TEST(CudaConnectedComponentsShapes, OfSelectedObjects)
{
  std::mt19937 random(2300);
  const auto   image = MakeNoise<VolumeType>({ { 41, 33, 29 } }, 20, 2, 2300);
  SetRandomGeometry(*image, Place::Near, random);
  auto filter = itk::CudaConnectedComponentImageFilter<VolumeType, VolumeLabelsType>::New();
  filter->SetInput(image);
  filter->SetMinimumObjectSize(20);
  filter->SortByObjectSizeOn();
  filter->ComputeStatisticsOn();
  OnEachBackend(*filter, [&] {
    filter->Update();
    EXPECT_GT(ExpectShapesOfItk(filter->GetStatistics(), filter->GetOutput()), 2U);
    ExpectShapesOfLoop(filter->GetStatistics(), filter->GetOutput());
  });
}

TEST(CudaConnectedComponentsShapes, OfOneBigObject)
{
  unsigned int seed = 2400;
  for (const Place place : { Place::Default, Place::Near, Place::Far })
  {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    std::mt19937 random(seed);
    const auto   image = MakeNoise<VolumeType>({ { 211, 97, 53 } }, 70, 1, seed);
    SetRandomGeometry(*image, place, random);
    MeasureByFilter(image.GetPointer(), true, [](auto & filter) {
      EXPECT_EQ(filter.GetObjectCount(), 1U);
      EXPECT_EQ(ExpectShapesOfItk(filter.GetStatistics(), filter.GetOutput()), 1U);
      ExpectShapesOfLoop(filter.GetStatistics(), filter.GetOutput());
    });
  }
}

TEST(CudaConnectedComponentsShapes, OfABox)
{
  const VolumeType::SizeType size{ { 20, 10, 6 } };
  const double               spacing[] = { 0.5, 2.0, 1.0 };
  const auto                 image = MakeItkImage<VolumeType>(MakeImage("box", { size[0], size[1], size[2] }, 1));
  image->SetSpacing(spacing);
  MeasureByFilter(image.GetPointer(), false, [&](auto & filter) {
    const auto & statistics = filter.GetStatistics();
    ASSERT_EQ(statistics.GetNumberOfObjects(), 1U);
    // n equidistant points have the variance (n^2 - 1) / 12.
    const double moments[] = { 35.0 / 12.0, 399.0 / 12.0 * 0.25, 99.0 / 12.0 * 4.0 };
    const int    order[] = { 2, 0, 1 }; // the axes of the box, from the thinnest to the thickest
    const double mean = std::cbrt(moments[0] * moments[1] * moments[2]);
    const double radius = std::cbrt(3.0 * 1200.0 / (4.0 * itk::Math::pi));
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      EXPECT_NEAR(statistics.GetPrincipalMoments(1)[axis], moments[axis], 1e-13);
      EXPECT_NEAR(std::abs(statistics.GetPrincipalAxes(1)[axis][order[axis]]), 1.0, 1e-15);
      const double diameter = 2.0 * radius * std::sqrt(moments[axis] / mean);
      EXPECT_NEAR(statistics.GetEquivalentEllipsoidDiameter(1)[axis], diameter, 1e-13);
    }
    EXPECT_NEAR(statistics.GetElongation(1), std::sqrt(moments[2] / moments[1]), 1e-13);
    EXPECT_NEAR(statistics.GetFlatness(1), std::sqrt(moments[1] / moments[0]), 1e-13);
    EXPECT_NEAR(statistics.GetEquivalentSphericalRadius(1), radius, 1e-13);
    EXPECT_NEAR(statistics.GetEquivalentSphericalPerimeter(1), 4.0 * itk::Math::pi * radius * radius, 1e-11);
  });
}

/** Returns an image with one object: all pixels that a predicate selects. */
template <typename TImage, typename TPredicate>
typename TImage::Pointer
MakeObject(const typename TImage::SizeType & size, const TPredicate & predicate)
{
  auto image = TImage::New();
  image->SetRegions(size);
  image->Allocate(true);
  itk::ImageRegionIterator<TImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    it.Set(predicate(it.GetIndex()) ? 1 : 0);
  }
  return image;
}

/** Expects the documented values of a degenerate object in all geometries.
 * \param rank 0 for a point, 1 for a line, 2 for a plane of a volume */
template <typename TImage, typename TPredicate>
void
ExpectDegenerate(const typename TImage::SizeType & size, unsigned int rank, const TPredicate & predicate)
{
  constexpr unsigned int Dimension = TImage::ImageDimension;
  unsigned int           seed = 2500;
  for (const Place place : { Place::Default, Place::Near, Place::Far, Place::Near, Place::Far })
  {
    SCOPED_TRACE("rank " + std::to_string(rank) + ", seed " + std::to_string(++seed));
    std::mt19937 random(seed);
    const auto   image = MakeObject<TImage>(size, predicate);
    SetRandomGeometry(*image, place, random);
    MeasureByFilter(image.GetPointer(), true, [&](auto & filter) {
      const auto & statistics = filter.GetStatistics();
      ASSERT_EQ(statistics.GetNumberOfObjects(), 1U);
      ExpectShapesOfItk(statistics, filter.GetOutput());
      ExpectShapesOfLoop(statistics, filter.GetOutput());
      const auto shape = statistics.GetShape(1);
      for (unsigned int axis = 0; axis < Dimension; ++axis)
      {
        if (axis < Dimension - rank)
        {
          EXPECT_EQ(shape.principalMoments[axis], 0.0);
        }
        else
        {
          EXPECT_GT(shape.principalMoments[axis], 0.0);
        }
        EXPECT_EQ(shape.equivalentEllipsoidDiameter[axis], 0.0);
        for (unsigned int j = 0; j < Dimension && rank == 0; ++j)
        {
          EXPECT_EQ(shape.principalAxes[axis][j], axis == j ? 1.0 : 0.0);
        }
      }
      EXPECT_EQ(shape.flatness, 0.0);
      const double ratio = shape.principalMoments[Dimension - 1] / shape.principalMoments[Dimension - 2];
      EXPECT_EQ(shape.elongation, rank < 2 ? 0.0 : std::sqrt(ratio));
      EXPECT_GT(statistics.GetEquivalentSphericalRadius(1), 0.0);
    });
  }
}

TEST(CudaConnectedComponentsShapes, OfDegenerateObjectsInPlanes)
{
  using IndexType = PlaneType::IndexType;
  const PlaneType::SizeType size{ { 37, 29 } };
  ExpectDegenerate<PlaneType>(size, 0, [](const IndexType & i) { return i[0] == 11 && i[1] == 7; });
  ExpectDegenerate<PlaneType>(size, 1, [](const IndexType & i) { return i[0] == 11; });
  ExpectDegenerate<PlaneType>(size, 1, [](const IndexType & i) { return i[1] == 7; });
  ExpectDegenerate<PlaneType>(size, 1, [](const IndexType & i) { return i[1] == 7 && i[0] >= 8 && i[0] < 10; });
  ExpectDegenerate<PlaneType>(size, 1, [](const IndexType & i) { return i[0] == i[1]; });
  ExpectDegenerate<PlaneType>(size, 1, [](const IndexType & i) { return i[0] + i[1] == 20; });
}

TEST(CudaConnectedComponentsShapes, OfDegenerateObjectsInVolumes)
{
  using IndexType = VolumeType::IndexType;
  const VolumeType::SizeType size{ { 37, 29, 23 } };
  ExpectDegenerate<VolumeType>(size, 0, [](const IndexType & i) { return i[0] == 11 && i[1] == 7 && i[2] == 3; });
  ExpectDegenerate<VolumeType>(size, 1, [](const IndexType & i) { return i[0] == 11 && i[1] == 7; });
  ExpectDegenerate<VolumeType>(size, 1, [](const IndexType & i) { return i[0] == 11 && i[1] == i[2]; });
  ExpectDegenerate<VolumeType>(size, 1, [](const IndexType & i) { return i[0] == i[1] && i[0] + i[2] == 20; });
  ExpectDegenerate<VolumeType>(size, 2, [](const IndexType & i) { return i[2] == 7; });
  ExpectDegenerate<VolumeType>(size, 2, [](const IndexType & i) { return i[0] == i[1]; });
  ExpectDegenerate<VolumeType>(size, 2, [](const IndexType & i) { return i[0] + i[1] + i[2] == 30; });
  ExpectDegenerate<VolumeType>(size, 2, [](const IndexType & i) { return i[0] + i[1] - 2 * i[2] == 5; });
  ExpectDegenerate<VolumeType>({ { 131, 127, 129 } }, 2, [](const IndexType & i) { return i[0] - i[1] + i[2] == 60; });
}

TEST(CudaConnectedComponentsShapes, OfPlanesWithOneMorePixel)
{
  using IndexType = VolumeType::IndexType;
  unsigned int seed = 2600;
  for (const Place place : { Place::Default, Place::Near, Place::Far })
  {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    std::mt19937 random(seed);
    const auto   image = MakeObject<VolumeType>({ { 131, 127, 129 } }, [](const IndexType & i) {
      return i[0] - i[1] + i[2] == 60 || i == IndexType{ { 61, 50, 50 } };
    });
    SetRandomGeometry(*image, place, random);
    MeasureByFilter(image.GetPointer(), true, [](auto & filter) {
      ASSERT_EQ(filter.GetObjectCount(), 1U);
      ExpectShapesOfItk(filter.GetStatistics(), filter.GetOutput());
      ExpectShapesOfLoop(filter.GetStatistics(), filter.GetOutput());
      const auto shape = filter.GetStatistics().GetShape(1);
      EXPECT_GT(shape.principalMoments[0], 0.0);
      EXPECT_GT(shape.flatness, 1000.0);
      EXPECT_LT(shape.flatness, 1e6);
      EXPECT_GT(shape.equivalentEllipsoidDiameter[0], 0.0);
    });
  }
}

TEST(CudaConnectedComponentsShapes, OfImagesOfOneDimension)
{
  using ImageType = itk::Image<unsigned char, 1>;
  const auto                               image = ImageType::New();
  std::vector<StatisticsOf<1>::ObjectType> objects(1);
  objects[0].numberOfPixels = 3;
  objects[0].indexMoments = { { 2.0 / 3.0 } };
  const double spacing[] = { 2.0 };
  image->SetSpacing(spacing);
  const StatisticsOf<1> statistics(objects, *image);
  EXPECT_NEAR(statistics.GetPrincipalMoments(1)[0], 8.0 / 3.0, 1e-15);
  EXPECT_EQ(statistics.GetPrincipalAxes(1)[0][0], 1.0);
  EXPECT_EQ(statistics.GetElongation(1), 1.0);
  EXPECT_EQ(statistics.GetFlatness(1), 1.0);
  EXPECT_NEAR(statistics.GetEquivalentSphericalRadius(1), 3.0, 1e-15);
  EXPECT_NEAR(statistics.GetEquivalentEllipsoidDiameter(1)[0], 6.0, 1e-15);
}

/** Returns a table of rows of pixels along x. Row i begins at begins[i], and has counts[i] pixels. */
itk::CudaConnectedComponentTable
MakeTableOfRows(const std::vector<std::uint64_t> & begins, const std::vector<std::uint64_t> & counts)
{
  using itk::ccl::UInt128;
  const auto toSum = [](UInt128 sum) {
    return itk::CudaConnectedComponentTable::Sum{ static_cast<std::uint64_t>(sum),
                                                  static_cast<std::uint64_t>(sum >> 64) };
  };
  itk::CudaConnectedComponentTable table;
  table.componentCount = table.originalComponentCount = counts.size();
  table.pixelCounts = counts;
  for (std::size_t i = 0; i < counts.size(); ++i)
  {
    const UInt128 begin = begins[i];
    const UInt128 count = counts[i];
    const UInt128 sum = count * (count - 1) / 2;
    const UInt128 squares = count * (count - 1) / 2 * (2 * count - 1) / 3;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      table.minimums[axis].push_back(axis == 0 ? begins[i] : 0);
      table.maximums[axis].push_back(axis == 0 ? begins[i] + counts[i] - 1 : 0);
      table.sums[axis].push_back(toSum(axis == 0 ? begin * count + sum : 0));
    }
    for (unsigned int pair = 0; pair < 6; ++pair)
    {
      table.products[pair].push_back(toSum(pair == 0 ? begin * begin * count + 2 * begin * sum + squares : 0));
    }
  }
  return table;
}

TEST(CudaConnectedComponentsShapes, OfTheLargestSums)
{
  const std::uint64_t huge = std::uint64_t{ 1 } << 40;
  const auto          table = MakeTableOfRows({ 0, huge - 1, huge - 3, 12345 }, { huge, 1, 2, huge - 12345 });
  const double        longRow = static_cast<double>(huge - 12345);
  for (const double spacing : { 1.0, 0.25 })
  {
    auto       image = VolumeType::New();
    const auto size = spacing * spacing;
    image->SetSpacing(VolumeType::SpacingType(spacing));
    const StatisticsOf<3> statistics(table, *image);
    const double          first = static_cast<double>(huge) * static_cast<double>(huge) / 12.0 * size;
    EXPECT_NEAR(statistics.GetPrincipalMoments(1)[2], first, 1e-15 * first);
    EXPECT_EQ(statistics.GetPrincipalMoments(2)[2], 0.0);
    EXPECT_EQ(statistics.GetPrincipalMoments(3)[2], 0.25 * size);
    EXPECT_NEAR(statistics.GetPrincipalMoments(4)[2], longRow * longRow / 12.0 * size, 1e-15 * first);
    EXPECT_EQ(statistics.GetPrincipalMoments(4)[1], 0.0);
  }
}

TEST(CudaConnectedComponentsShapes, FunctionsReturnTheNumbersOfGetShape)
{
  const auto image = MakeNoise<VolumeType>({ { 21, 13, 9 } }, 15, 2, 2700);
  MeasureByFilter(image.GetPointer(), true, [](auto & filter) {
    const auto & statistics = filter.GetStatistics();
    ASSERT_GT(statistics.GetNumberOfObjects(), 1U);
    for (SizeValueType i = 0; i < statistics.GetNumberOfObjects(); ++i)
    {
      const auto shape = statistics.GetShape(LabelAt(statistics, i));
      EXPECT_EQ(statistics.GetPrincipalMoments(LabelAt(statistics, i)), shape.principalMoments);
      EXPECT_EQ(statistics.GetPrincipalAxes(LabelAt(statistics, i)), shape.principalAxes);
      EXPECT_EQ(statistics.GetElongation(LabelAt(statistics, i)), shape.elongation);
      EXPECT_EQ(statistics.GetFlatness(LabelAt(statistics, i)), shape.flatness);
      EXPECT_EQ(statistics.GetEquivalentEllipsoidDiameter(LabelAt(statistics, i)), shape.equivalentEllipsoidDiameter);
    }
  });
}

/** Expects that all functions of the shape throw an exception with a text. */
template <unsigned int VDimension>
void
ExpectNoShape(const StatisticsOf<VDimension> & statistics, SizeValueType label, const std::string & text)
{
  for (const std::string & message : { MessageOf([&] { statistics.GetShape(label); }),
                                       MessageOf([&] { statistics.GetPrincipalMoments(label); }),
                                       MessageOf([&] { statistics.GetPrincipalAxes(label); }),
                                       MessageOf([&] { statistics.GetElongation(label); }),
                                       MessageOf([&] { statistics.GetFlatness(label); }),
                                       MessageOf([&] { statistics.GetEquivalentEllipsoidDiameter(label); }) })
  {
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
}

TEST(CudaConnectedComponentsShapes, NeedTheColumnOfProducts)
{
  const auto image = VolumeType::New();
  auto       table = MakeTableOfRows({ 5, 7 }, { 3, 4 });
  EXPECT_NEAR(StatisticsOf<3>(table, *image).GetPrincipalMoments(2)[2], 15.0 / 12.0, 1e-15);

  table.products[4].clear(); // yz, which a plane does not have
  EXPECT_NE(MessageOf([&] { StatisticsOf<3>(table, *image); }).find("products"), std::string::npos);
  table.products[5].clear();
  table.products[2].clear();
  EXPECT_NEAR(StatisticsOf<2>(table, *PlaneType::New()).GetPrincipalMoments(2)[1], 15.0 / 12.0, 1e-15);
  table.products[3].pop_back();
  EXPECT_NE(MessageOf([&] { StatisticsOf<2>(table, *PlaneType::New()); }).find("products"), std::string::npos);

  table.products = {};
  const StatisticsOf<3> statistics(table, *image);
  EXPECT_EQ(statistics.GetNumberOfPixels(2), 4U);
  EXPECT_NEAR(statistics.GetEquivalentSphericalRadius(2), std::cbrt(3.0 / itk::Math::pi), 1e-15);
  EXPECT_GT(statistics.GetEquivalentSphericalPerimeter(2), 0.0);
  ExpectNoShape(statistics, 2, "label 2 is not known");
  ExpectNoShape(statistics, 1, "Select the column products in CudaConnectedComponentLabeler::Options::columns.");
}

TEST(CudaConnectedComponentsShapes, ThrowForWrongLabels)
{
  const StatisticsOf<3> statistics(MakeTableOfRows({ 5, 7 }, { 3, 4 }), *VolumeType::New());
  ExpectNoShape(statistics, 3, "label 3. There are 2 objects, with labels from 1 to 2,");
  ExpectNoShape(StatisticsOf<2>(), 0, "label 0. There are 0 objects,");
  EXPECT_THROW(statistics.GetEquivalentSphericalRadius(3), itk::ExceptionObject);
  EXPECT_THROW(statistics.GetEquivalentSphericalPerimeter(3), itk::ExceptionObject);
}

} // namespace shapes_test
