// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/attention/AttentionOfCodes.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/quantized/Flips.h"
#include "dialects/TensorTypes.h"

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// 1. Products and their addends
//===----------------------------------------------------------------------===//

/// Returns the axis of `from` for each axis of `to`. Returns `nullopt` unless the reshape only moves axes of size 1, so
/// that the other axes keep their order.
std::optional<SmallVector<int64_t>> matchMovedUnits(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<int64_t> units, others;
  for (auto [axis, size] : llvm::enumerate(from))
    (size == 1 ? units : others).push_back(int64_t(axis));
  if (from.size() != to.size() || llvm::count(to, 1) != int64_t(units.size()))
    return std::nullopt;
  SmallVector<int64_t> axes;
  auto unit = units.begin(), other = others.begin();
  for (int64_t size : to) {
    if (size != 1 && from[*other] != size)
      return std::nullopt;
    axes.push_back(size == 1 ? *unit++ : *other++);
  }
  return axes;
}

/// Codes before transposes and flips. `source` is seen under `shape`. Axis i of the result is axis axes[i] of this
/// shape. Each value of the result is larger by `offset` than in `source`.
struct Codes {
  Value source;
  SmallVector<int64_t> axes, shape;
  int64_t offset = 0;

  explicit Codes(Value value)
      : source(value), axes(llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()))),
        shape(typeOf(value).getShape()) {}

  void moveTo(Value value) {
    source = value;
    shape.assign(typeOf(value).getShape().begin(), typeOf(value).getShape().end());
  }

  /// True if the operator that computes `source` only moves axes. Then replaces `source` by its operand.
  bool stripMove() {
    SmallVector<int64_t> from;
    if (auto transpose = source.getDefiningOp<nn::TransposeOp>()) {
      llvm::append_range(from, transpose.getPermutation());
    } else if (auto reshape = source.getDefiningOp<nn::ReshapeOp>()) {
      auto moved = matchMovedUnits(typeOf(reshape.getOperand()).getShape(), reshape.getType().getShape());
      if (!moved)
        return false;
      from = *moved;
    } else {
      return false;
    }
    for (int64_t &axis : axes)
      axis = from[axis];
    moveTo(source.getDefiningOp()->getOperand(0));
    return true;
  }

  void strip() {
    while (true) {
      if (stripMove())
        continue;
      Value flipped = matchFlip(source);
      if (!flipped)
        break;
      offset += getFlipOffset(flipped.getType());
      moveTo(flipped);
    }
    if (auto reshape = source.getDefiningOp<nn::ReshapeOp>())
      source = reshape.getOperand();
  }

  /// Returns the extents of the axes of `source` with more than one element, and the order of these axes in the result.
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> order() const {
    SmallVector<int64_t> extents, order;
    for (int64_t size : shape)
      if (size != 1)
        extents.push_back(size);
    for (int64_t axis : axes)
      if (shape[axis] != 1)
        order.push_back(llvm::count_if(ArrayRef(shape).take_front(axis), [](int64_t size) { return size != 1; }));
    return {extents, order};
  }

  bool isAlike(const Codes &other) const { return source == other.source && order() == other.order(); }
};

std::optional<int64_t> matchInteger(Value value) {
  std::optional<double> number = getSplat(value);
  return number ? std::optional<int64_t>(int64_t(*number)) : std::nullopt;
}

/// Sum of the product, `rows` * sums of rows of the left codes, `columns` * sums of columns of the right codes, and
/// `constant`.
class LinearForm {
public:
  explicit LinearForm(nn::MatMulOp product) : product(product), left(product.getLhs()), right(product.getRhs()) {
    left.strip();
    right.strip();
  }

  /// Adds `factor` * `value`. Returns false if the result has no linear form.
  bool add(Value value, int64_t factor) {
    if (value == product.getResult()) {
      hasProduct = factor == 1 && !hasProduct;
      return hasProduct;
    }
    if (std::optional<int64_t> number = matchInteger(value)) {
      constant += factor * *number;
      return true;
    }
    auto op = value.getDefiningOp<nn::BinaryOp>();
    if (!op)
      return addSum(Codes(value), factor);
    switch (op.getKind()) {
    case BinaryKind::Add:
      return add(op.getLhs(), factor) && add(op.getRhs(), factor);
    case BinaryKind::Sub:
      return add(op.getLhs(), factor) && add(op.getRhs(), -factor);
    case BinaryKind::Mul:
      for (auto [number, other] : {std::pair(op.getRhs(), op.getLhs()), std::pair(op.getLhs(), op.getRhs())})
        if (std::optional<int64_t> by = matchInteger(number))
          return add(other, factor * *by);
      return false;
    default:
      return false;
    }
  }

  /// Returns the zero points for which this form is a product of centred codes. Returns `nullopt` for other forms.
  std::optional<CentredProduct> centred(Value sums) {
    const int64_t depth = typeOf(product.getLhs()).getShape().back();
    if (!hasProduct || constant != depth * rows * columns)
      return std::nullopt;
    return CentredProduct{product, sums, -columns, -rows};
  }

private:
  bool addSum(Codes sum, int64_t factor) {
    while (sum.stripMove()) {
    }
    auto reduce = sum.source.getDefiningOp<nn::ReduceOp>();
    if (!reduce || reduce.getKind() != nn::ReduceKind::Sum || !reduce.getKeepDims() || reduce.getAxes().size() != 1)
      return false;
    const int64_t axis = reduce.getAxes().front(), rank = int64_t(sum.axes.size()),
                  count = typeOf(reduce.getOperand()).getShape()[axis];
    const int64_t place = llvm::find(sum.axes, axis) - sum.axes.begin();
    sum.source = reduce.getOperand();
    // A constant may be added to each widened code.
    if (auto shifted = getBinary(sum.source, BinaryKind::Add))
      if (std::optional<int64_t> number = matchInteger(shifted.getRhs())) {
        constant += factor * *number * count;
        sum.source = shifted.getLhs();
      }
    auto widened = sum.source.getDefiningOp<nn::CastOp>();
    if (!widened || !isByte(widened.getOperand().getType()))
      return false;
    sum.moveTo(widened.getOperand());
    sum.strip();
    const bool isOfRows = place == rank - 1;
    const Codes &codes = isOfRows ? left : right;
    if ((!isOfRows && place != rank - 2) || !sum.isAlike(codes))
      return false;
    (isOfRows ? rows : columns) += factor;
    constant += factor * count * (sum.offset - codes.offset);
    return true;
  }

  nn::MatMulOp product;
  Codes left, right; ///< Codes of the operands of the product.
  bool hasProduct = false;
  int64_t rows = 0, columns = 0, constant = 0;
};

bool isOfCodes(nn::MatMulOp product) {
  return isByte(product.getLhs().getType()) && isByte(product.getRhs().getType()) &&
         typeOf(product.getLhs()).getRank() == typeOf(product.getResult()).getRank() &&
         typeOf(product.getRhs()).getRank() == typeOf(product.getResult()).getRank();
}

/// Returns the product among the terms of `sums`, or null if the search finds no product.
nn::MatMulOp findProduct(Value sums) {
  while (auto op = sums.getDefiningOp<nn::BinaryOp>()) {
    if (op.getKind() != BinaryKind::Add && op.getKind() != BinaryKind::Sub)
      return {};
    // The product has the full shape. Other terms are broadcast to it, or are found further up.
    sums = op.getLhs().getType() == op.getType() ? op.getLhs() : op.getRhs();
  }
  return sums.getDefiningOp<nn::MatMulOp>();
}

} // namespace

std::optional<CentredProduct> matchCentredSums(Value sums) {
  nn::MatMulOp product = findProduct(sums);
  if (!product || !product->hasOneUse() || !isOfCodes(product))
    return std::nullopt;
  LinearForm form(product);
  return form.add(sums, 1) ? form.centred(sums) : std::nullopt;
}

std::optional<CentredProduct> matchCentredProduct(nn::MatMulOp product) {
  if (!isOfCodes(product))
    return std::nullopt;
  std::optional<CentredProduct> found;
  for (Value sums = product.getResult();;) {
    LinearForm form(product);
    if (form.add(sums, 1))
      if (std::optional<CentredProduct> centred = form.centred(sums))
        found = centred;
    auto next = sums.hasOneUse() ? dyn_cast<nn::BinaryOp>(*sums.user_begin()) : nn::BinaryOp();
    if (!next || next.getType() != product.getType() ||
        (next.getKind() != BinaryKind::Add && next.getKind() != BinaryKind::Sub))
      return found;
    sums = next.getResult();
  }
}

//===----------------------------------------------------------------------===//
// 2. Codes of the weights
//===----------------------------------------------------------------------===//

std::optional<CodedWeights> matchCodedWeights(Value codes) {
  auto cast = codes.getDefiningOp<nn::CastOp>();
  if (!cast || !isByte(codes.getType()) || !typeOf(cast.getOperand()).getElementType().isF32())
    return std::nullopt;
  const double least = typeOf(codes).getElementType().isUnsignedInteger() ? 0 : -128, most = least + 255;
  Value value = cast.getOperand();
  bool hasLeast = false, hasMost = false;
  for (bool isBound = true; isBound && value.hasOneUse();) {
    isBound = false;
    if (auto relu = getUnary(value, nn::UnaryKind::Relu); relu && least == 0) {
      hasLeast = isBound = true;
      value = relu.getOperand();
    } else if (auto max = getBinary(value, BinaryKind::Max); max && isSplatOf(max.getRhs(), least)) {
      hasLeast = isBound = true;
      value = max.getLhs();
    } else if (auto min = getBinary(value, BinaryKind::Min); min && isSplatOf(min.getRhs(), most)) {
      hasMost = isBound = true;
      value = min.getLhs();
    }
  }
  CodedWeights weights;
  if (auto sum = getBinary(value, BinaryKind::Add); sum && sum->hasOneUse())
    if (std::optional<int64_t> zero = matchInteger(sum.getRhs())) {
      weights.zero = *zero;
      value = sum.getLhs();
    }
  auto round = getUnary(value, nn::UnaryKind::Round);
  auto ratio = round && round->hasOneUse() ? getBinary(round.getOperand(), BinaryKind::Div) : nn::BinaryOp();
  std::optional<double> scale = ratio && ratio->hasOneUse() ? getSplat(ratio.getRhs()) : std::nullopt;
  weights.softmax = scale ? ratio.getLhs().getDefiningOp<nn::SoftmaxOp>() : nn::SoftmaxOp();
  if (!hasLeast || !hasMost || !weights.softmax || weights.softmax.getType() != ratio.getType())
    return std::nullopt;
  weights.scale = *scale;
  return weights;
}

} // namespace nacre::graph
