// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has three parts: 1. conditions; 2. weights; 3. the contraction and its corrections.

#include "compiler/graph/quantized/IntegerContractions.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/quantized/Flips.h"
#include "compiler/graph/quantized/Numbers.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/ConstantData.h"

#include <algorithm>

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

bool isConv(Operation *op) { return isa<nn::ConvOp>(op); }

/// Returns the number of products that are added up for one element of the result.
int64_t countDepth(Operation *contraction) {
  ArrayRef<int64_t> shape = typeOf(contraction->getOperand(1)).getShape();
  return isConv(contraction) ? llvm::product_of(shape.drop_back()) : shape[shape.size() - 2];
}

//===----------------------------------------------------------------------===//
// 1. Conditions
//===----------------------------------------------------------------------===//

/// Returns the largest magnitude of `codes` minus their zero point.
int64_t boundSteps(nn::DequantizeOp codes) {
  const auto [low, high] = getCodeBounds(codes.getOperand().getType().getElementType());
  const SmallVector<double> zeros = *readNumbers(codes.getZero());
  double largest = 0;
  for (double zero : zeros)
    largest = std::max({largest, zero - low, high - zero});
  return static_cast<int64_t>(largest);
}

/// True if `parameter` is constant, with one element, or one element per column (the last axis) of `codes`.
bool isPerColumn(nn::DequantizeOp codes, Value parameter) {
  const RankedTensorType type = typeOf(parameter);
  const bool isColumn =
      type.getRank() == 1 && codes.getBlock() == 0 && int64_t(codes.getAxis()) == codes.getType().getRank() - 1;
  return getConstant(parameter) && (type.getRank() == 0 || isColumn);
}

std::string whyNotRight(nn::DequantizeOp right) {
  if (!isByte(right.getOperand().getType()))
    return "its weights have a type other than 8-bit integers";
  if (!right.getType().getElementType().isF32())
    return "its weights are dequantized to another type than f32";
  if (!isPerColumn(right, right.getScale()) || !isPerColumn(right, right.getZero()))
    return "its weights have a scale or zero point that is not constant, or is not one per output channel";
  return {};
}

} // namespace

std::variant<QuantizedOperands, std::string> findQuantizedOperands(Operation *contraction) {
  auto right = contraction->getOperand(1).getDefiningOp<nn::DequantizeOp>();
  if (!right)
    right = findCodes(contraction->getOperand(1));
  nn::DequantizeOp left = findCodes(contraction->getOperand(0));
  if (!left && !right)
    return "the model does not quantize its operands";
  if (!left)
    return contraction->getOperand(0).getDefiningOp<nn::DequantizeOp>()
               ? "its input has more than one scale, or one that is not constant"
               : "only its weights are quantized";
  if (!right)
    return "only its input is quantized";
  if (!isByte(left.getOperand().getType()))
    return "its input has a type other than 8-bit integers";
  if (std::string reason = whyNotRight(right); !reason.empty())
    return reason;
  const int64_t largestSum = countDepth(contraction) * boundSteps(left) * boundSteps(right);
  if (largestSum > std::numeric_limits<int32_t>::max())
    return "its sums can exceed 32 bits";
  return QuantizedOperands{left, right, largestSum};
}

namespace {

//===----------------------------------------------------------------------===//
// 2. Weights
//===----------------------------------------------------------------------===//

/// Right operand as signed bytes: `values` - `zero`. There is one zero point for all columns, or one per column.
struct RightOperand {
  Value values;
  SmallVector<double> zero;
  std::optional<SmallVector<double>> columnSums; ///< Sums of the columns of `values`, if constant.

  bool isCentred() const {
    return llvm::all_of(zero, [](double number) { return number == 0; });
  }
};

/// Sums and bounds of the columns of constant weights.
struct Columns {
  SmallVector<int64_t> sums, least, most;
};

Columns readColumns(const nn::ConstantView &weights) {
  const int64_t count = weights.getShape().back(), elements = weights.getType().getNumElements();
  Columns columns{SmallVector<int64_t>(count, 0), SmallVector<int64_t>(count, std::numeric_limits<int64_t>::max()),
                  SmallVector<int64_t>(count, std::numeric_limits<int64_t>::min())};
  SmallVector<int64_t> row(count);
  for (int64_t index = 0; index < elements; index += count) {
    weights.read(index, 1, count, row.data());
    for (auto [column, number] : llvm::enumerate(row)) {
      columns.sums[column] += number;
      columns.least[column] = std::min(columns.least[column], number);
      columns.most[column] = std::max(columns.most[column], number);
    }
  }
  return columns;
}

double at(ArrayRef<double> numbers, size_t index) { return numbers.size() == 1 ? numbers.front() : numbers[index]; }

/// Returns `values` - `zero` as a constant of signed bytes.
Value createCentred(OpBuilder &builder, Location loc, Value values, ArrayRef<double> zero) {
  constexpr double halfRange = 128;
  Type code = typeOf(values).getElementType();
  if (code.isUnsignedInteger() && llvm::all_of(zero, [=](double number) { return number == halfRange; }))
    return createFlip(builder, loc, values);
  auto cast = [&](Value value, unsigned bits) {
    Type to = IntegerType::get(builder.getContext(), bits);
    return nn::CastOp::create(builder, loc, typeOf(value).clone(to), value, false, nn::ScaleRounding::Up).getResult();
  };
  Value zeros = createNumbers(builder, loc, IntegerType::get(builder.getContext(), 16), zero);
  return cast(nn::BinaryOp::create(builder, loc, BinaryKind::Sub, cast(values, 16), zeros), 8);
}

RightOperand readRight(RewriterBase &rewriter, Operation *contraction, Value values, nn::DequantizeOp codes) {
  Location loc = contraction->getLoc();
  RightOperand right{values, *readNumbers(codes.getZero()), std::nullopt};
  const bool isUnsigned = typeOf(values).getElementType().isUnsignedInteger();
  auto flip = [&] {
    right.values = createFlip(rewriter, loc, values);
    for (double &number : right.zero)
      number += static_cast<double>(getFlipOffset(values.getType()));
  };
  ElementsAttr constant = getConstant(values);
  FailureOr<nn::ConstantView> view =
      constant ? nn::ConstantView::get(constant) : FailureOr<nn::ConstantView>(failure());
  // If the matrices of a batch differ, columns have no common constants.
  if (failed(view) || (!isConv(contraction) && typeOf(values).getRank() > 2)) {
    if (isUnsigned)
      flip();
    return right;
  }
  Columns columns = readColumns(*view);
  const int64_t steps = view->getType().getNumElements() / view->getShape().back();
  const auto depth = static_cast<double>(steps);
  bool fits = true;
  for (auto [column, least, most] : llvm::enumerate(columns.least, columns.most)) {
    const double zero = at(right.zero, column);
    fits &= static_cast<double>(least) - zero >= -128 && static_cast<double>(most) - zero <= 127;
  }
  SmallVector<double> sums(columns.sums.begin(), columns.sums.end());
  if (fits && (isUnsigned || !right.isCentred())) {
    for (auto [column, sum] : llvm::enumerate(sums))
      sum -= depth * at(right.zero, column);
    right.values = createCentred(rewriter, loc, values, right.zero);
    right.zero = {0};
  } else if (isUnsigned) {
    for (double &sum : sums)
      sum += depth * static_cast<double>(getFlipOffset(values.getType()));
    flip();
  }
  right.columnSums = std::move(sums);
  return right;
}

//===----------------------------------------------------------------------===//
// 3. Sums
//===----------------------------------------------------------------------===//

class Writer {
public:
  Writer(RewriterBase &rewriter, Operation *contraction)
      : rewriter(rewriter), contraction(contraction), loc(contraction->getLoc()), i32(rewriter.getI32Type()) {}

  Value binary(BinaryKind kind, Value a, Value b) { return rewriter.createOrFold<nn::BinaryOp>(loc, kind, a, b); }
  Value cast(Value value, Type element) {
    return nn::CastOp::create(rewriter, loc, typeOf(value).clone(element), value, false, nn::ScaleRounding::Up);
  }
  Value integers(ArrayRef<double> numbers) { return createNumbers(rewriter, loc, i32, numbers); }
  Value add(Value integers32, double number) {
    return number == 0 ? integers32 : binary(BinaryKind::Add, integers32, integers(number));
  }
  /// Sums `value` along `axes`, which remain as axes of size 1. If `value` is a transpose, the sums are transposed
  /// instead, because they are smaller.
  Value sumAlong(Value value, ArrayRef<int64_t> axes) {
    if (auto transpose = value.getDefiningOp<nn::TransposeOp>()) {
      ArrayRef<int64_t> permutation = transpose.getPermutation();
      SmallVector<int64_t> turned = llvm::map_to_vector(axes, [=](int64_t axis) { return permutation[axis]; });
      llvm::sort(turned);
      return nn::TransposeOp::create(rewriter, loc, sumAlong(transpose.getOperand(), turned), permutation);
    }
    return nn::ReduceOp::create(rewriter, loc, nn::ReduceKind::Sum, cast(value, i32), axes, /*keep_dims=*/true);
  }

  /// Returns the integer sum of each column of the right operand. For a convolution, these are the sums of the filters.
  Value sumColumns(Value right) {
    const int64_t rank = typeOf(right).getRank();
    const auto axes =
        isConv(contraction) ? llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)) : SmallVector<int64_t>{rank - 2};
    return sumAlong(right, axes);
  }

  /// Returns the contraction of the bytes `left` and `right`. The padding is `zero`.
  Value contract(Value left, Value right, double zero) {
    auto conv = dyn_cast<nn::ConvOp>(contraction);
    if (!conv)
      return nn::MatMulOp::create(rewriter, loc, left, right);
    const bool isPadded = llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
    return nn::ConvOp::create(rewriter, loc, left, right, conv.getStrides(), conv.getPads(), conv.getDilations(),
                              conv.getGroups(), isPadded ? static_cast<int64_t>(zero) : 0);
  }

  /// Returns the integer sum of each row of the left operand. For a convolution, these are the sums of the windows.
  Value sumRows(Value left, Value right, double zero) {
    auto conv = dyn_cast<nn::ConvOp>(contraction);
    if (!conv)
      return sumAlong(left, typeOf(left).getRank() - 1);
    SmallVector<int64_t> shape(typeOf(right).getShape());
    if (conv.getGroups() == 1)
      shape.back() = 1;
    auto ones = DenseElementsAttr::get(typeOf(right).clone(shape), APInt(8, 1));
    return contract(left, nn::ConstantOp::create(rewriter, loc, ones), zero);
  }

private:
  RewriterBase &rewriter;
  Operation *contraction;
  Location loc;
  Type i32;
};

} // namespace

Value scaleSums(OpBuilder &builder, Location loc, Value sums, QuantizedOperands operands) {
  Type real = builder.getF32Type();
  Value reals =
      nn::CastOp::create(builder, loc, typeOf(sums).clone(real), sums, /*overflows=*/false, nn::ScaleRounding::Up);
  // The product of the two scales is rounded to f32, as in ONNX Runtime.
  const auto leftScale = static_cast<float>(readNumbers(operands.left.getScale())->front());
  SmallVector<double> scales = *readNumbers(operands.right.getScale());
  for (double &scale : scales)
    scale = static_cast<double>(leftScale * static_cast<float>(scale));
  return nn::BinaryOp::create(builder, loc, BinaryKind::Mul, reals, createNumbers(builder, loc, real, scales));
}

Operation *computeInIntegers(RewriterBase &rewriter, Operation *contraction, QuantizedOperands operands,
                             bool unsignedLeft) {
  Location loc = contraction->getLoc();
  Value codes = moveCodes(rewriter, contraction->getOperand(0)), left = codes;
  Value rightCodes = moveCodes(rewriter, contraction->getOperand(1));
  rewriter.setInsertionPoint(contraction);
  const double zero = readNumbers(operands.left.getZero())->front();
  double leftZero = zero;
  RightOperand right = readRight(rewriter, contraction, rightCodes, operands.right);
  // If the signs were changed later, nacre-choose-signs would have to compute the sums of columns again.
  if (!right.columnSums && typeOf(codes).getElementType().isUnsignedInteger() != unsignedLeft) {
    leftZero += static_cast<double>(getFlipOffset(codes.getType()));
    left = createFlip(rewriter, loc, codes);
  }

  Writer write(rewriter, contraction);
  const auto depth = static_cast<double>(countDepth(contraction));
  Value sums = write.contract(left, right.values, leftZero);
  Operation *integers = sums.getDefiningOp();
  // Sums of rows and columns read the original codes, so that no kernel has to compute converted codes first.
  if (!right.isCentred()) {
    Value rows = write.add(write.sumRows(codes, right.values, zero), -zero * depth);
    sums = write.binary(BinaryKind::Sub, sums, write.binary(BinaryKind::Mul, rows, write.integers(right.zero)));
  }
  if (leftZero != 0 && right.columnSums) {
    SmallVector<double> addends = llvm::map_to_vector(*right.columnSums, [=](double sum) { return -leftZero * sum; });
    sums = write.binary(BinaryKind::Add, sums, write.integers(addends));
  } else if (leftZero != 0) {
    const double offset = right.values == rightCodes ? 0 : static_cast<double>(getFlipOffset(rightCodes.getType()));
    Value columns = write.add(write.sumColumns(rightCodes), offset * depth);
    sums = write.binary(BinaryKind::Sub, sums, write.binary(BinaryKind::Mul, columns, write.integers(leftZero)));
  }

  rewriter.replaceOp(contraction, scaleSums(rewriter, loc, sums, operands));
  return integers;
}

} // namespace nacre::graph
