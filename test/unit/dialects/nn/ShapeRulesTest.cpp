// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule with the numbers that would differ if it were off by one, and the hostile ones.

#include "dialects/nn/shapes/ShapeRules.h"
#include "gtest/gtest.h"

using namespace nacre::nn;

namespace {

/// Returns the shape, or the error's text.
std::pair<Shape, std::string> take(llvm::Expected<Shape> shape) {
  if (shape)
    return {*shape, ""};
  return {{}, llvm::toString(shape.takeError())};
}

#define EXPECT_SHAPE(EXPRESSION, ...) EXPECT_EQ(take(EXPRESSION), (std::pair<Shape, std::string>(__VA_ARGS__, "")))
#define EXPECT_REFUSED(EXPRESSION, TEXT) EXPECT_NE(take(EXPRESSION).second.find(TEXT), std::string::npos)

TEST(ShapeRules, CountsElements) {
  EXPECT_EQ(countElements({}), 1);
  EXPECT_EQ(countElements({2, 3}), 6);
  EXPECT_EQ(countElements({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  // An empty tensor is held to the limit as well: products of its other dimensions must not overflow.
  EXPECT_EQ(countElements({int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(countElements({int64_t(1) << 40, int64_t(1) << 40, 0}), std::nullopt);
  EXPECT_EQ(countElements({-1}), std::nullopt);
}

TEST(ShapeRules, Broadcasts) {
  EXPECT_SHAPE(broadcastShapes({{2, 1, 4}, {3, 1}, {}}), {2, 3, 4});
  EXPECT_SHAPE(broadcastShapes({{0, 1}, {1, 5}}), {0, 5});
  EXPECT_REFUSED(broadcastShapes({{2, 3}, {2}}), "[2, 3] and [2]");
  EXPECT_REFUSED(broadcastShapes({{0}, {2}}), "must broadcast");
}

TEST(ShapeRules, MultipliesMatrices) {
  EXPECT_SHAPE(matMulShape({5, 1, 2, 3}, {7, 3, 4}), {5, 7, 2, 4});
  EXPECT_REFUSED(matMulShape({3}, {3, 4}), "rank 2");
  EXPECT_REFUSED(matMulShape({2, 3}, {4, 3}), "3 and 4");
}

TEST(ShapeRules, SlidesWindows) {
  // (7 + 1 + 0 - 3) / 2 + 1 = 3, and a last window that does not fit is dropped.
  EXPECT_SHAPE(convShape({1, 7, 4}, {3, 4, 8}, {{}, {2}, {1, 0}, {1}}, 1), {1, 3, 8});
  // Dilation 2 makes the window 5 wide: (7 - 5) / 1 + 1 = 3.
  EXPECT_SHAPE(convShape({1, 7, 4}, {3, 2, 8}, {{}, {1}, {0, 0}, {2}}, 2), {1, 3, 8});
  EXPECT_SHAPE(poolShape({1, 4, 5, 2}, {{2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, {0, 1}}), {1, 2, 3, 2});
  EXPECT_SHAPE(poolShape({1, 3, 2}, {{3}, {1}, {0, 0}, {1}}), {1, 1, 2});
}

TEST(ShapeRules, RefusesImpossibleWindows) {
  const int64_t one[] = {1}, none[] = {0, 0};
  Window window{{}, one, none, one};
  EXPECT_REFUSED(convShape({1, 7, 4}, {3, 4, 9}, window, 2), "groups must divide");
  EXPECT_REFUSED(convShape({1, 7, 4}, {3, 4, 8}, window, 2), "2 input channels per group, but has 4");
  EXPECT_REFUSED(convShape({1, 7, 4}, {3, 4, 8}, window, 0), "groups must divide");
  EXPECT_REFUSED(convShape({1, 2, 4}, {3, 4, 8}, window, 1), "2 padded elements, but covers 3");
  EXPECT_REFUSED(convShape({7, 4}, {4, 8}, {}, 1), "spatial axes");
  EXPECT_REFUSED(poolShape({1, 7, 4}, {{3}, {0}, {0, 0}, {1}}), "strides must be 1 or more");
  EXPECT_REFUSED(poolShape({1, 7, 4}, {{3}, {1}, {-1, 0}, {1}}), "pads must be 0 or more");
  EXPECT_REFUSED(poolShape({1, 7, 4}, {{3}, {1}, {0}, {1}}), "pads must have 2 entries");
  EXPECT_REFUSED(poolShape({1, 7, 4}, {{int64_t(1) << 40}, {1}, {0, 0}, {int64_t(1) << 40}}), "too large");
  // Each padded axis could be, but not both.
  const int64_t wide = int64_t(1) << 31;
  EXPECT_REFUSED(poolShape({1, 1, 1, 1}, {{1, 1}, {wide, wide}, {wide, wide, 0, 0}, {1, 1}}),
                 "the padded input must fit");
}

TEST(ShapeRules, TransposesConvolutions) {
  // (7 - 1) * 2 + 3 = 15, of which 1 and 2 are cut off.
  EXPECT_SHAPE(convTransposeShape({1, 7, 4}, {3, 4, 8}, {{}, {2}, {1, 2}, {1}}, 1), {1, 12, 8});
  // Dilation 3 makes the window 7 wide; a negative pad adds one more.
  EXPECT_SHAPE(convTransposeShape({2, 7, 4}, {3, 2, 8}, {{}, {1}, {0, -1}, {3}}, 2), {2, 14, 8});
  EXPECT_SHAPE(convTransposeShape({1, 1, 1, 1}, {1, 1, 1, 1}, {{}, {9, 9}, {0, 0, 0, 0}, {1, 1}}, 1), {1, 1, 1, 1});
}

TEST(ShapeRules, RefusesImpossibleTransposedConvolutions) {
  const int64_t far = int64_t(1) << 40;
  EXPECT_REFUSED(convTransposeShape({1, 7, 4}, {3, 4, 8}, {{}, {2}, {8, 7}, {1}}, 1), "leave some of its 15 elements");
  EXPECT_REFUSED(convTransposeShape({1, 0, 4}, {3, 4, 8}, {{}, {2}, {0, 0}, {1}}, 1), "but has 0 of them");
  EXPECT_REFUSED(convTransposeShape({1, far, 4}, {3, 4, 8}, {{}, {far}, {0, 0}, {1}}, 1), "must span 1 to");
  EXPECT_REFUSED(convTransposeShape({1, 7, 4}, {3, 2, 8}, {{}, {2}, {0, 0}, {1}}, 1), "4 input channels per group");
  // The pads leave one element, but all that is cut off would be computed.
  EXPECT_REFUSED(convTransposeShape({1, 2, 2, 1}, {1, 1, 1, 1}, {{}, {far, far}, {far, far, 0, 0}, {1, 1}}, 1),
                 "the covered region must fit");
}

TEST(ShapeRules, UnpoolsInSteps) {
  // (5 - 1) * 2 + 3 = 11 cells are reached, in steps of 2.
  EXPECT_SHAPE(unpoolShape({2, 5, 4}, {{3}, {2}, {}, {1}}), {2, 6, 2, 4});
  EXPECT_SHAPE(unpoolShape({1, 2, 3, 8}, {{2, 2}, {2, 3}, {}, {1, 2}}), {1, 2, 2, 3, 3, 8});
  EXPECT_REFUSED(unpoolShape({1, 2, 3, 8}, {{16, 16}, {2, 2}, {}, {1, 1}}), "at most 254 cells");
  EXPECT_REFUSED(unpoolShape({1, 8}, {{}, {}, {}, {}}), "1 to 3 spatial axes");
  EXPECT_REFUSED(unpoolShape({1, 2, 8}, {{2}, {0}, {}, {1}}), "strides must be 1 or more");
  EXPECT_REFUSED(unpoolShape({1, 2, 8}, {{2}, {int64_t(1) << 60}, {}, {1}}), "60");
  EXPECT_REFUSED(unpoolShape({1, 0, 8}, {{2}, {2}, {}, {1}}), "has 0 of them");
}

TEST(ShapeRules, Interleaves) {
  EXPECT_SHAPE(interleaveShape({{2, 3}, {2, 3}, {1, 3}}, {3, 1}), {5, 3});
  EXPECT_SHAPE(interleaveShape({{1, 2, 2, 4}, {1, 2, 1, 4}, {1, 1, 2, 4}, {1, 1, 1, 4}}, {1, 2, 2, 1}), {1, 3, 3, 4});
  EXPECT_REFUSED(interleaveShape({{2, 3}, {3, 3}}, {2, 1}), "operand 0 must hold its share");
  EXPECT_REFUSED(interleaveShape({{2, 3}}, {2, 1}), "but there are 1");
  EXPECT_REFUSED(interleaveShape({{2}, {2}}, {2, 1}), "the 2 axes of the strides");
}

TEST(ShapeRules, Reduces) {
  EXPECT_SHAPE(reduceShape({2, 3, 4}, {0, 2}, false), {3});
  EXPECT_SHAPE(reduceShape({2, 3, 4}, {0, 2}, true), {1, 3, 1});
  EXPECT_SHAPE(reduceShape({2}, {}, false), {2});
  EXPECT_REFUSED(reduceShape({2, 3}, {1, 0}, false), "sorted");
  EXPECT_REFUSED(reduceShape({2, 3}, {1, 1}, false), "unique");
  EXPECT_REFUSED(reduceShape({2, 3}, {2}, false), "less than the rank 2");
  EXPECT_REFUSED(reduceShape({2, 3}, {-1}, false), "at least 0");
}

TEST(ShapeRules, Transposes) {
  EXPECT_SHAPE(transposeShape({2, 3, 4}, {2, 0, 1}), {4, 2, 3});
  EXPECT_SHAPE(transposeShape({}, {}), {});
  EXPECT_REFUSED(transposeShape({2, 3}, {0, 0}), "each of 2 axes once");
  EXPECT_REFUSED(transposeShape({2, 3}, {0, 1, 0}), "once");
  EXPECT_REFUSED(transposeShape({2, 3}, {0, 2}), "once");
}

TEST(ShapeRules, Concatenates) {
  EXPECT_SHAPE(concatShape({{2, 3}, {2, 0}, {2, 4}}, 1), {2, 7});
  EXPECT_REFUSED(concatShape({{2, 3}, {3, 3}}, 1), "equal sizes except along axis 1");
  EXPECT_REFUSED(concatShape({{2, 3}, {2}}, 1), "equal sizes");
  EXPECT_REFUSED(concatShape({}, 0), "at least one operand");
  EXPECT_REFUSED(concatShape({{2}}, 1), "axis");
}

TEST(ShapeRules, Slices) {
  EXPECT_SHAPE(sliceShape({10, 5}, {9, 0}, {4, 5}, {-3, 1}), {4, 5});
  // Nothing is read, so it may start anywhere.
  EXPECT_SHAPE(sliceShape({3}, {7}, {0}, {1}), {0});
  EXPECT_REFUSED(sliceShape({10}, {8}, {4}, {-3}), "4 elements starting at 8 in steps of -3");
  EXPECT_REFUSED(sliceShape({10}, {1}, {4}, {3}) /* 1, 4, 7, 10 */, "but has 10");
  EXPECT_REFUSED(sliceShape({10}, {0}, {2}, {INT64_MAX}), "but has 10");
  EXPECT_REFUSED(sliceShape({10}, {0}, {INT64_MAX}, {INT64_MAX}), "but has 10");
  EXPECT_REFUSED(sliceShape({10}, {0}, {1}, {0}), "must not be 0");
  EXPECT_REFUSED(sliceShape({10}, {-1}, {1}, {1}), "0 or more");
}

TEST(ShapeRules, Pads) {
  EXPECT_SHAPE(padShape({3, 4}, {1, -4}, {2, 0}, PadReach::Any), {6, 0});
  EXPECT_SHAPE(padShape({3}, {2}, {2}, PadReach::ExtentLessOne), {7});
  EXPECT_SHAPE(padShape({3}, {3}, {0}, PadReach::Extent), {6});
  EXPECT_SHAPE(padShape({1}, {9}, {9}, PadReach::Edge), {19});
  EXPECT_REFUSED(padShape({0}, {1}, {0}, PadReach::Edge), "by at most 0");
  EXPECT_REFUSED(padShape({3}, {3}, {0}, PadReach::ExtentLessOne), "by at most 2");
  EXPECT_REFUSED(padShape({3}, {0}, {4}, PadReach::Extent), "by at most 3");
  EXPECT_REFUSED(padShape({3}, {-2}, {-2}, PadReach::Any), "keep 0 elements or more");
  EXPECT_REFUSED(padShape({3}, {INT64_MIN}, {0}, PadReach::Any), "low");
}

TEST(ShapeRules, Gathers) {
  EXPECT_SHAPE(gatherShape({2, 3, 4}, {5, 6}, 1), {2, 5, 6, 4});
  EXPECT_SHAPE(gatherShape({2, 3}, {}, 0), {3});
  EXPECT_SHAPE(gatherShape({0, 3}, {0}, 0), {0, 3});
  EXPECT_REFUSED(gatherShape({0, 3}, {1}, 0), "must not be empty");
}

TEST(ShapeRules, Resamples) {
  EXPECT_SHAPE(resampleShape({2, 3, 4}, {0, 2}, {{3, 1, {0, 1, 1}}, {1, 2, {0, 3}}}, 64), {3, 3, 1});
  EXPECT_SHAPE(resampleShape({2}, {}, {}, 64), {2});
  EXPECT_SHAPE(resampleShape({0}, {0}, {{0, 4, {}}}, 64), {0});
  EXPECT_REFUSED(resampleShape({2, 3}, {0}, {}, 64), "one table for each of 1 axes");
  EXPECT_REFUSED(resampleShape({2, 3}, {0}, {{1, 1, {2}}}, 64), "between 0 and its extent 2");
  EXPECT_REFUSED(resampleShape({2, 3}, {0}, {{1, 1, {-1}}}, 64), "between 0 and its extent 2");
  EXPECT_REFUSED(resampleShape({2, 3}, {0}, {{0, 65, {}}}, 64), "1 to 64 others");
  EXPECT_REFUSED(resampleShape({2, 3}, {0, 1}, {{0, 16, {}}, {0, 8, {}}}, 64), "1 to 64 others");
  EXPECT_REFUSED(resampleShape({2, 3}, {1, 0}, {{0, 1, {}}, {0, 1, {}}}, 64), "sorted");
}

TEST(ShapeRules, Samples) {
  EXPECT_SHAPE(sampleShape({2, 8, 9, 3}, {2, 4, 5, 2}, std::nullopt), {2, 4, 5, 3});
  EXPECT_SHAPE(sampleShape({2, 8, 9, 3}, {7, 2}, Dims{7}), {7, 3});
  EXPECT_SHAPE(sampleShape({2, 0, 9, 3}, {2, 0, 2}, std::nullopt), {2, 0, 3});
  EXPECT_REFUSED(sampleShape({2, 3}, {2, 1}, std::nullopt), "1 to 3 spatial axes");
  EXPECT_REFUSED(sampleShape({2, 8, 9, 3}, {2, 4, 3}, std::nullopt), "2 coordinates each");
  EXPECT_REFUSED(sampleShape({2, 8, 9, 3}, {7, 2}, std::nullopt), "each of 7 rows");
  EXPECT_REFUSED(sampleShape({2, 8, 9, 3}, {7, 2}, Dims{2}), "each of 7 rows");
  EXPECT_REFUSED(sampleShape({2, 0, 9, 3}, {2, 4, 2}, std::nullopt), "must have elements");
  EXPECT_REFUSED(sampleShape({1, int64_t(1) << 29, 1}, {1, 1}, std::nullopt), "elements at most");
}

TEST(ShapeRules, GathersByCoordinates) {
  EXPECT_SHAPE(gatherNdShape({2, 3, 4}, {5, 2}, 0), {5, 4});
  EXPECT_SHAPE(gatherNdShape({2, 3, 4}, {2, 5, 1}, 1), {2, 5, 4});
  EXPECT_SHAPE(gatherNdShape({2, 3, 4}, {3}, 0), {});
  EXPECT_REFUSED(gatherNdShape({2, 3, 4}, {5, 4}, 0), "1 to 3 coordinates along their last axis, but hold 4");
  EXPECT_REFUSED(gatherNdShape({2, 3, 4}, {5, 0}, 0), "but hold 0");
  EXPECT_REFUSED(gatherNdShape({2, 3, 4}, {5, 1}, 1), "same first 1 axes");
  EXPECT_REFUSED(gatherNdShape({2, 3}, {2, 3}, 2), "batch_dims must be less");
  EXPECT_REFUSED(gatherNdShape({2, 3}, {2, 3}, -1), "batch_dims must be less");
  EXPECT_REFUSED(gatherNdShape({0, 4}, {1, 1}, 0), "must not be empty");
  EXPECT_SHAPE(gatherNdShape({0, 4}, {0, 1}, 0), {0, 4});
}

TEST(ShapeRules, GathersElements) {
  EXPECT_SHAPE(gatherElementsShape({2, 3}, {2, 9}, 1), {2, 9});
  EXPECT_SHAPE(gatherElementsShape({2, 3}, {1, 9}, 1), {1, 9});
  EXPECT_REFUSED(gatherElementsShape({2, 3}, {3, 9}, 1), "at most 2 elements along axis 0, but have 3");
  EXPECT_REFUSED(gatherElementsShape({2, 3}, {2}, 1), "operand's rank 2, but have 1");
  EXPECT_REFUSED(gatherElementsShape({2, 0}, {2, 1}, 1), "must not be empty");
  EXPECT_REFUSED(gatherElementsShape({2, 3}, {2, 3}, 2), "axis");
}

TEST(ShapeRules, Scatters) {
  EXPECT_SHAPE(scatterNdShape({2, 3, 4}, {5, 1}, {5, 3, 4}), {2, 3, 4});
  EXPECT_SHAPE(scatterNdShape({2, 3}, {2}, {}), {2, 3});
  EXPECT_REFUSED(scatterNdShape({2, 3, 4}, {5, 1}, {5, 3}), "shape [5, 3, 4], but have [5, 3]");
  EXPECT_REFUSED(scatterNdShape({2, 3}, {5, 3}, {5}), "1 to 2 coordinates");
  EXPECT_REFUSED(scatterNdShape({}, {1}, {}), "1 to 0 coordinates");
  EXPECT_SHAPE(scatterElementsShape({2, 3}, {2, 9}, {2, 9}, 1), {2, 3});
  EXPECT_REFUSED(scatterElementsShape({2, 3}, {2, 9}, {2, 8}, 1), "shape [2, 9] of the indices, but have [2, 8]");
}

TEST(ShapeRules, ChecksParametersOfCodes) {
  auto check = [](Dims operand, Dims parameter, int64_t axis, int64_t block) {
    return llvm::toString(checkCodeParameter("scale", operand, parameter, axis, block));
  };
  EXPECT_EQ(check({2, 5}, {}, 7, 0), ""); // of all elements: no axis is meant
  EXPECT_EQ(check({2, 5}, {5}, 1, 0), "");
  EXPECT_EQ(check({2, 5}, {2, 3}, 1, 2), "");
  EXPECT_EQ(check({2, 5}, {2, 1}, 1, INT64_MAX), "");
  EXPECT_EQ(check({2, 0}, {2, 0}, 1, 4), "");
  EXPECT_EQ(check({2, 5}, {1}, 1, 0), "scale must be a scalar or have shape [5], but has shape [1]");
  EXPECT_EQ(check({2, 5}, {2, 2}, 1, 2), "scale must be a scalar or have shape [2, 3], but has shape [2, 2]");
  EXPECT_EQ(check({2, 5}, {5}, 1, -1), "block must be 0 or more, but is -1");
  EXPECT_NE(check({2, 5}, {5}, 2, 0).find("axis"), std::string::npos);
  EXPECT_NE(check({}, {1}, 0, 0).find("axis"), std::string::npos);
}

} // namespace
