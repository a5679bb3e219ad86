// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/quantized/Numbers.h"

#include "compiler/graph/Matching.h"
#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace nacre::graph {

Value createNumbers(OpBuilder &builder, Location loc, Type element, ArrayRef<double> numbers) {
  const bool splat = llvm::all_equal(numbers);
  SmallVector<int64_t, 1> shape;
  if (!splat)
    shape.push_back(static_cast<int64_t>(numbers.size()));
  nn::ConstantBuilder constant(RankedTensorType::get(shape, element));
  // Integers are written as integers, because doubles would wrap differently beyond 32 bits.
  if (isa<IntegerType>(element))
    constant.write(0, llvm::map_to_vector(numbers.take_front(splat ? 1 : numbers.size()),
                                          [](double number) { return static_cast<int64_t>(number); }));
  else
    constant.write(0, numbers.take_front(splat ? 1 : numbers.size()));
  return nn::ConstantOp::create(builder, loc, std::move(constant).take());
}

Value createNumber(OpBuilder &builder, Location loc, Type element, double number) {
  return createNumbers(builder, loc, element, number);
}

CodeBounds getCodeBounds(Type code) {
  const unsigned width = code.getIntOrFloatBitWidth();
  const bool isUnsigned = code.isUnsignedInteger();
  return {double(llvm::APSInt::getMinValue(width, isUnsigned).getExtValue()),
          double(llvm::APSInt::getMaxValue(width, isUnsigned).getExtValue())};
}

std::optional<SmallVector<double>> readNumbers(Value value) {
  ElementsAttr constant = getConstant(value);
  if (!constant || constant.getNumElements() == 0)
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return std::nullopt;
  SmallVector<double> numbers(view->isSplat() ? 1 : constant.getNumElements());
  view->read(0, 1, static_cast<int64_t>(numbers.size()), numbers.data());
  return numbers;
}

} // namespace nacre::graph
