// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/compositions/ResampleTables.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace nacre::importer;

namespace {

std::vector<int> indices(const AxisTable &table) { return {table.indices.begin(), table.indices.end()}; }

/// The weight of every element of the axis at each position.
std::vector<float> matrix(const AxisTable &table, int64_t input) {
  std::vector<float> result(table.getPositions() * input, 0);
  for (size_t entry = 0; entry < table.indices.size(); ++entry)
    result[int64_t(entry) / table.taps * input + table.indices[entry]] += table.weights[entry];
  return result;
}

void expectNear(const std::vector<float> &actual, const std::vector<float> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
}

void expectCoordinates(const Coordinates &actual, std::vector<double> expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
}

} // namespace

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

TEST(ResampleTables, RulesOfCoordinatesDiffer) {
  Resize half{4, 2, {1, 2}};
  expectCoordinates(mapCoordinates(half, CoordinateRule::HalfPixel), {0.5, 2.5});
  expectCoordinates(mapCoordinates(half, CoordinateRule::Asymmetric), {0, 2});
  expectCoordinates(mapCoordinates(half, CoordinateRule::AlignCorners), {0, 3});
  expectCoordinates(mapCoordinates(half, CoordinateRule::HalfPixelForNearest), {1, 3});
  expectCoordinates(mapCoordinates({4, 1, {1, 4}}, CoordinateRule::HalfPixelUnlessOne), {0});
  expectCoordinates(mapCoordinates({4, 1, {1, 4}}, CoordinateRule::HalfPixel), {1.5});
  expectCoordinates(mapCoordinates({4, 1, {1, 4}}, CoordinateRule::AlignCorners), {0});
}

TEST(ResampleTables, ARoundedOutputKeepsItsScaleAndMayKeepItsMiddle) {
  // 4 * 0.7 is 2.8, so 2: positions step by 1 / 0.7, not by 2; the middle of both axes is 1.5.
  // The ratio of two sizes may be another axis's, whose aspect ratio this one keeps.
  for (Scale scale : {Scale{1, 1, 0.7F}, Scale{7, 10}}) {
    expectCoordinates(mapCoordinates({4, 2, scale}, CoordinateRule::Asymmetric), {0, 1 / 0.7});
    expectCoordinates(mapCoordinates({4, 2, scale}, CoordinateRule::HalfPixelSymmetric),
                      {1.5 - 0.5 / 0.7, 1.5 + 0.5 / 0.7});
  }
}

TEST(ResampleTables, StatedScalesAreComputedInSinglePrecision) {
  // In double precision, 1 / 0.33333334f is less than 3, and 7 / 0.7f is more than 10: a floor or a ceil takes a
  // neighbour.
  EXPECT_EQ(mapCoordinates({9, 3, {1, 1, 1 / 3.0F}}, CoordinateRule::Asymmetric), (Coordinates{0, 3, 6}));
  EXPECT_EQ(mapCoordinates({50, 35, {1, 1, 0.7F}}, CoordinateRule::Asymmetric)[7], 10);
  EXPECT_EQ(mapCoordinates({9, 3, {1, 1, 1 / 3.0F}}, CoordinateRule::HalfPixel), (Coordinates{1, 4, 7}));
  EXPECT_EQ(mapCoordinates({9, 3, {1, 1, 1 / 3.0F}}, CoordinateRule::HalfPixelForNearest),
            (Coordinates{1.5, 4.5, 7.5}));
  // A region is a pair of floats, whatever the scale is: 0.1f * 10 is 1.
  EXPECT_EQ(mapCoordinates({11, 2, {2, 11}}, CoordinateRule::CropAndResize, {0.1F, 0.4F}), (Coordinates{1, 4}));
}

TEST(ResampleTables, PositionsOfSizesAreDividedOnce) {
  // 9 * 14 / 18 is 7; divided by 18 / 14, which is rounded, it is less.
  EXPECT_EQ(mapCoordinates({14, 18, {18, 14}}, CoordinateRule::Asymmetric)[9], 7);
  EXPECT_EQ(mapCoordinates({7, 9, {9, 7}}, CoordinateRule::HalfPixel)[4], 3);
  for (int64_t input = 1; input < 40; ++input)
    for (int64_t output = 1; output < 80; ++output) {
      Coordinates coordinates = mapCoordinates({input, output, {output, input}}, CoordinateRule::Asymmetric);
      for (int64_t x = 0; x < output; ++x)
        EXPECT_EQ(std::floor(coordinates[x]), x * input / output) << input << " to " << output << " at " << x;
    }
}

TEST(ResampleTables, ARegionIsPartOfTheAxisBetweenItsCorners) {
  expectCoordinates(mapCoordinates({5, 3, {3, 5}}, CoordinateRule::CropAndResize, {0.25, 0.75}), {1, 2, 3});
  expectCoordinates(mapCoordinates({5, 2, {2, 5}}, CoordinateRule::CropAndResize, {-0.25, 1.5}), {-1, 6});
  expectCoordinates(mapCoordinates({5, 1, {1, 5}}, CoordinateRule::CropAndResize, {0.5, 1}), {3});
}

TEST(ResampleTables, CornersAndCentersAreFlags) {
  expectCoordinates(mapInSinglePrecision(2, 4, CornerRule::Asymmetric), {0, 0.5, 1, 1.5});
  expectCoordinates(mapInSinglePrecision(3, 5, CornerRule::AlignCorners), {0, 0.5, 1, 1.5, 2});
  expectCoordinates(mapInSinglePrecision(3, 1, CornerRule::AlignCorners), {0});
  expectCoordinates(mapInSinglePrecision(2, 4, CornerRule::HalfPixelCenters), {-0.25, 0.25, 0.75, 1.25});
  expectCoordinates(mapNearestInSinglePrecision(2, 4, CornerRule::HalfPixelCenters), {0.25, 0.75, 1.25, 1.75});
}

TEST(ResampleTables, CornerRulesAreComputedInSinglePrecision) {
  // 0.1f * 30 rounds to 3 in f32; in double it stays below.
  Coordinates coordinates = mapInSinglePrecision(10, 100, CornerRule::Asymmetric);
  EXPECT_EQ(coordinates[30], 3.0);
}

//===----------------------------------------------------------------------===//
// What
//===----------------------------------------------------------------------===//

TEST(ResampleTables, NearestDoublingRepeatsEveryElement) {
  AxisTable table = takeNearest(mapCoordinates({3, 6, {2, 1}}, CoordinateRule::Asymmetric), 3, Rounding::Floor);
  EXPECT_EQ(indices(table), (std::vector<int>{0, 0, 1, 1, 2, 2}));
  EXPECT_TRUE(table.isMove());
  EXPECT_FALSE(table.isIdentity(3));
  EXPECT_TRUE(takeNearest({0, 1, 2}, 3, Rounding::Floor).isIdentity(3));
}

TEST(ResampleTables, RoundingDecidesWhatLiesHalfway) {
  auto at = [](Rounding rounding) { return takeNearest({0.5}, 2, rounding).indices[0]; };
  EXPECT_EQ(at(Rounding::RoundPreferFloor), 0);
  EXPECT_EQ(at(Rounding::RoundPreferCeil), 1);
  EXPECT_EQ(at(Rounding::Floor), 0);
  EXPECT_EQ(at(Rounding::Ceil), 1);
  EXPECT_EQ(at(Rounding::HalfAway), 1);
  EXPECT_EQ(takeNearest({2.5}, 4, Rounding::HalfAway).indices[0], 3);
  // Up to the tolerance, but no further.
  auto near = [](double x, Rounding rounding) { return takeNearest({x}, 9, rounding, middleTolerance).indices[0]; };
  EXPECT_EQ(near(4.5 + 9.5e-7, Rounding::RoundPreferFloor), 4);
  EXPECT_EQ(near(4.5 + 1.5e-6, Rounding::RoundPreferFloor), 5);
  EXPECT_EQ(near(4.5 - 9.5e-7, Rounding::RoundPreferCeil), 5);
  EXPECT_EQ(near(4.5 - 1.5e-6, Rounding::RoundPreferCeil), 4);
  EXPECT_EQ(near(5 - 1e-7, Rounding::Floor), 4);
  EXPECT_EQ(near(4 + 1e-7, Rounding::Ceil), 5);
}

TEST(ResampleTables, LinearDoublingAtHalfPixelsIsClampedAtTheEnds) {
  AxisTable table = interpolateLinear(mapCoordinates({2, 4, {2, 1}}, CoordinateRule::HalfPixel), 2);
  EXPECT_EQ(indices(table), (std::vector<int>{0, 1, 0, 1, 0, 1, 1, 1}));
  expectNear(matrix(table, 2), {1, 0, 0.75, 0.25, 0.25, 0.75, 0, 1});
}

TEST(ResampleTables, AlignedCornersMeetBothEnds) {
  AxisTable table = interpolateLinear(mapCoordinates({3, 5, {5, 3}}, CoordinateRule::AlignCorners), 3);
  expectNear(matrix(table, 3), {1, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 0, 1});
}

TEST(ResampleTables, AnEmptyAxisHasTablesToo) {
  EXPECT_EQ(indices(takeNearest({0, 1}, 0, Rounding::Floor)), (std::vector<int>{0, 0}));
  EXPECT_EQ(indices(interpolateLinear({0}, 0)), (std::vector<int>{0, 0}));
}

TEST(ResampleTables, CubicWeighsFourByKeysFunction) {
  // At a quarter: ((a + 2) / 4 - (a + 3)) / 16 + 1 of the nearest, and so on.
  expectNear(matrix(interpolateCubic({1.25}, 4, {}), 4), {-0.10546875F, 0.87890625F, 0.26171875F, -0.03515625F});
  expectNear(matrix(interpolateCubic({1.25}, 4, {-0.5, false}), 4), {-0.0703125F, 0.8671875F, 0.2265625F, -0.0234375F});
  // The end stands for what is outside, or that has no part.
  expectNear(matrix(interpolateCubic({0.25}, 4, {}), 4), {0.7734375F, 0.26171875F, -0.03515625F, 0});
  float sum = 0.8671875F + 0.2265625F - 0.0234375F;
  expectNear(matrix(interpolateCubic({0.25}, 4, {-0.5, true}), 4),
             {0.8671875F / sum, 0.2265625F / sum, -0.0234375F / sum, 0});
}

TEST(ResampleTables, StretchedFunctionsSeeAllElements) {
  // A half: triangles of four elements around 0.5 and 2.5, at distances 1/4 and 3/4, whose weights 3/4 and 1/4 make 2.
  Coordinates coordinates = mapCoordinates({4, 2, {1, 2}}, CoordinateRule::HalfPixel);
  expectNear(matrix(interpolateStretched(coordinates, 4, 0.5, nullptr, false), 4),
             {0.5, 0.375, 0.125, 0, 0, 0.125, 0.375, 0.5});
  expectNear(
      matrix(interpolateStretched(coordinates, 4, 0.5, nullptr, true), 4),
      {0.375F / 0.875F, 0.375F / 0.875F, 0.125F / 0.875F, 0, 0, 0.125F / 0.875F, 0.375F / 0.875F, 0.375F / 0.875F});
  Cubic cubic;
  AxisTable table = interpolateStretched(coordinates, 4, 0.5, &cubic, false);
  std::vector<float> weights = matrix(table, 4);
  EXPECT_NEAR(weights[0] + weights[1] + weights[2] + weights[3], 1, 1e-6);
  EXPECT_LE(table.taps, 4);
  // Of nothing, however far each element would reach.
  EXPECT_TRUE(interpolateStretched({}, 4, 1e-45, &cubic, false).indices.empty());
  EXPECT_EQ(countStretchedTaps(0.5, false), 4);
  EXPECT_EQ(countStretchedTaps(0.3, true), 14);
}

TEST(ResampleTables, CubicBySteps) {
  expectNear(matrix(interpolateCubicBySteps({1.25}, 4, CornerRule::Asymmetric), 4),
             {-0.10546875F, 0.87890625F, 0.26171875F, -0.03515625F});
  // 0.2502 is step 256.2 of 1,024, so 256: a quarter.
  expectNear(matrix(interpolateCubicBySteps({1.2502}, 4, CornerRule::Asymmetric), 4),
             {-0.10546875F, 0.87890625F, 0.26171875F, -0.03515625F});
  float sum = 0.8671875F + 0.2265625F - 0.0234375F;
  expectNear(matrix(interpolateCubicBySteps({0.25}, 4, CornerRule::HalfPixelCenters), 4),
             {0.8671875F / sum, 0.2265625F / sum, -0.0234375F / sum, 0});
}

TEST(ResampleTables, AreasCountWhatTheyCoverInPart) {
  expectNear(matrix(averageArea(4, 2, CornerRule::Asymmetric), 4), {0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5});
  expectNear(matrix(averageArea(3, 2, CornerRule::Asymmetric), 3), {2 / 3.0F, 1 / 3.0F, 0, 0, 1 / 3.0F, 2 / 3.0F});
  expectNear(matrix(averageArea(2, 3, CornerRule::Asymmetric), 2), {1, 0, 0.5, 0.5, 0, 1});
}
