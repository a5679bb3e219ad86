// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases that lit cannot show: constants at odd addresses, and results large enough to become resources.

#include "dialects/nn/ConstantData.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "gtest/gtest.h"
#include <cstring>
#include <memory>
#include <vector>

using namespace mlir;
using namespace nacre::nn;

namespace {

struct ConstantData : testing::Test {
  MLIRContext context;
  Builder builder{&context};
};

TEST_F(ConstantData, ReadsAResourceAtAnOddAddress) {
  const float values[] = {1.5f, -2.0f, 3.25f};
  auto bytes = std::make_shared<std::vector<char>>(1 + sizeof(values));
  char *odd = bytes->data() + 1;
  std::memcpy(odd, values, sizeof(values));
  auto type = RankedTensorType::get({3}, builder.getF32Type());
  AsmResourceBlob blob(
      ArrayRef<char>(odd, sizeof(values)), /*dataAlignment=*/1, [bytes](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  FailureOr<ConstantView> view = ConstantView::get(DenseResourceElementsAttr::get(type, "odd", std::move(blob)));
  ASSERT_TRUE(succeeded(view));
  double read[2];
  view->read(2, -2, 2, read);
  EXPECT_EQ(read[0], 3.25);
  EXPECT_EQ(read[1], 1.5);
}

TEST_F(ConstantData, RefusesAResourceOfTheWrongSize) {
  auto type = RankedTensorType::get({3}, builder.getF32Type());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(8, 4);
  EXPECT_TRUE(failed(ConstantView::get(DenseResourceElementsAttr::get(type, "short", std::move(blob)))));
}

TEST_F(ConstantData, UnpacksBooleans) {
  auto type = RankedTensorType::get({9}, builder.getI1Type());
  bool values[] = {true, false, true, true, false, false, false, false, true};
  FailureOr<ConstantView> view = ConstantView::get(DenseElementsAttr::get(type, ArrayRef<bool>(values)));
  ASSERT_TRUE(succeeded(view));
  EXPECT_EQ(view->readIntegers(), (SmallVector<int64_t>{1, 0, 1, 1, 0, 0, 0, 0, 1}));
}

TEST_F(ConstantData, AllIndicesOfASplatAreOneElement) {
  auto type = RankedTensorType::get({4}, builder.getIntegerType(16));
  FailureOr<ConstantView> view = ConstantView::get(DenseElementsAttr::get(type, int16_t(-7)));
  ASSERT_TRUE(succeeded(view));
  EXPECT_TRUE(view->isSplat());
  EXPECT_EQ(view->readIntegers(), (SmallVector<int64_t>{-7, -7, -7, -7}));
}

TEST_F(ConstantData, SmallResultsAreDenseAndLargeOnesResources) {
  auto small = RankedTensorType::get({2}, builder.getF64Type());
  ConstantBuilder smallBuilder(small);
  smallBuilder.write(0, ArrayRef<double>({1.0, 2.0}));
  EXPECT_EQ(std::move(smallBuilder).take(), ElementsAttr(DenseElementsAttr::get(small, ArrayRef<double>({1.0, 2.0}))));

  auto large = RankedTensorType::get({64 * 1024 + 1}, builder.getIntegerType(8));
  ConstantBuilder largeBuilder(large);
  largeBuilder.write(64 * 1024, ArrayRef<int64_t>(5));
  auto resource = dyn_cast<DenseResourceElementsAttr>(std::move(largeBuilder).take());
  ASSERT_TRUE(resource);
  EXPECT_EQ(resource.getData().back(), 5);
}

/// Every f16 must come back from double as itself, and half way between two neighbours goes to the even one.
TEST_F(ConstantData, RecognizesABeginning) {
  auto make = [&](int64_t rows, double factor) {
    auto type = RankedTensorType::get({rows, 64}, builder.getF32Type());
    ConstantBuilder numbers(type);
    for (int64_t i = 0; i < rows * 64; ++i)
      numbers.write(i, ArrayRef<double>(factor * double(i)));
    return std::move(numbers).take();
  };
  // A dense attribute, and resources of two sizes.
  ElementsAttr small = make(32, 1), large = make(512, 1), largest = make(1024, 1);
  EXPECT_TRUE(beginsWith(large, small));
  EXPECT_TRUE(beginsWith(largest, large));
  EXPECT_FALSE(beginsWith(small, large));
  EXPECT_FALSE(beginsWith(large, make(32, 2)));
  EXPECT_FALSE(beginsWith(large, make(1, 1))) << "hashes of shorter constants differ";
  EXPECT_EQ(hashBeginning(large), hashBeginning(small));
  EXPECT_TRUE(haveSameData(large, make(512, 1)));
  EXPECT_EQ(hashBeginning(large), hashBeginning(make(512, 1)));
  EXPECT_FALSE(haveSameData(large, make(512, 2)));
  EXPECT_FALSE(haveSameData(large, largest));
}

TEST_F(ConstantData, RoundsHalfFloats) {
  auto type = RankedTensorType::get({1}, builder.getF16Type());
  auto toHalf = [&](double value) {
    ConstantBuilder one(type);
    one.write(0, ArrayRef<double>(value));
    uint16_t bits;
    std::memcpy(&bits, one.at(0), sizeof(bits));
    return bits;
  };
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
    DenseElementsAttr attribute =
        DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(reinterpret_cast<const char *>(&bits), 2));
    FailureOr<ConstantView> view = ConstantView::get(attribute);
    ASSERT_TRUE(succeeded(view));
    double value;
    view->read(0, 1, 1, &value);
    ASSERT_EQ(value, attribute.getSplatValue<APFloat>().convertToFloat());
    ASSERT_EQ(toHalf(value), bits);
    ASSERT_EQ(toHalf(-value), bits | 0x8000);
  }
  EXPECT_EQ(toHalf(65519.99), 0x7bff);
  EXPECT_EQ(toHalf(65520.0), 0x7c00);
  EXPECT_EQ(toHalf(1.0 + 1.0 / 2048), 0x3c00);
  EXPECT_EQ(toHalf(1.0 + 3.0 / 2048), 0x3c02);
}

} // namespace
