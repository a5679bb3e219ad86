// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MovedCodes.h.

#include "compiler/graph/MovedCodes.h"

#include "compiler/graph/Matching.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/codes/MovedElements.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;

namespace nacre::graph {

bool isSameNumber(Value a, Value b) {
  return a == b || (a.getType() == b.getType() && getConstant(a) && getConstant(a) == getConstant(b));
}

namespace {

using nn::DequantizeOp;
using nn::Dims;

//===----------------------------------------------------------------------===//
// 1. Constants
//===----------------------------------------------------------------------===//

/// Scales and zero points after the codes were moved, and the axis of these parameters.
struct MovedParameters {
  Value scale, zero;
  int64_t axis = 0;
};

/// Returns `parameter`, which has one element for each index of `axis`, without the indices that `slice` skips.
Value sliceParameter(RewriterBase &rewriter, nn::SliceOp slice, Value parameter, int64_t axis) {
  if (shapeOf(parameter).empty())
    return parameter;
  return rewriter.createOrFold<nn::SliceOp>(slice.getLoc(), parameter, slice.getStarts().slice(axis, 1),
                                            slice.getSizes().slice(axis, 1), slice.getSteps().slice(axis, 1));
}

/// Returns the parameters after `op` has moved the codes. Their axis must stay one axis.
std::optional<MovedParameters> moveParameters(RewriterBase &rewriter, Operation *op, DequantizeOp codes) {
  const auto axis = int64_t(codes.getAxis());
  MovedParameters moved{codes.getScale(), codes.getZero(), axis};
  if (codes.isPerTensor())
    return moved;
  // Parameters of blocks have the axes of the codes.
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  if (codes.getBlock() > 0 && !transpose)
    return std::nullopt;
  if (std::optional<int64_t> result = nn::axisOfResult(op, axis)) {
    moved.axis = *result;
    for (Value *parameter : {&moved.scale, &moved.zero})
      if (codes.getBlock() > 0 && !shapeOf(*parameter).empty())
        *parameter = rewriter.createOrFold<nn::TransposeOp>(op->getLoc(), *parameter, transpose.getPermutation());
    return moved;
  }
  auto slice = dyn_cast<nn::SliceOp>(op);
  if (!slice)
    return std::nullopt;
  moved.scale = sliceParameter(rewriter, slice, moved.scale, axis);
  moved.zero = sliceParameter(rewriter, slice, moved.zero, axis);
  return moved;
}

/// Moves codes of constants: transposes weights, and picks rows of tables.
template <typename OpT> struct MovementOfConstant : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    auto codes = op.getOperand().template getDefiningOp<DequantizeOp>();
    if (!codes || !isConstant(codes.getResult()))
      return rewriter.notifyMatchFailure(op, "expected dequantized constants");
    std::optional<MovedParameters> moved = moveParameters(rewriter, op, codes);
    if (!moved)
      return rewriter.notifyMatchFailure(op, "expected an axis of scales that stays one");
    IRMapping mapping;
    mapping.map(op.getOperand(), codes.getOperand());
    Operation *movement = rewriter.clone(*op, mapping);
    movement->getResult(0).setType(op.getType().clone(codes.getOperand().getType().getElementType()));
    rewriter.replaceOpWithNewOp<DequantizeOp>(op, movement->getResult(0), moved->scale, moved->zero, moved->axis,
                                              codes.getBlock());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 2. Values
//===----------------------------------------------------------------------===//

/// Limits of scales. With other scales, a real may overflow, or may have too few digits to restore its code.
constexpr double leastScale = 0x1p-100, greatestScale = 0x1p100;

/// True for codes of at most 16 bits with a single f32 scale, if the codes can be restored from their reals.
bool isPlain(DequantizeOp codes) {
  Type code = codes.getOperand().getType().getElementType();
  std::optional<double> scale = getSplat(codes.getScale());
  return codes.isPerTensor() && scale && *scale >= leastScale && *scale <= greatestScale &&
         codes.getType().getElementType().isF32() && isa<IntegerType>(code) && code.getIntOrFloatBitWidth() <= 16 &&
         codes.getZero().getType().getElementType() == code && getConstant(codes.getZero());
}

bool isOfSameScale(DequantizeOp a, DequantizeOp b) {
  return isSameNumber(a.getScale(), b.getScale()) && isSameNumber(a.getZero(), b.getZero());
}

/// Returns the code whose real is exactly `real`. Returns `nullopt` if there is no such code.
std::optional<llvm::APSInt> findCode(DequantizeOp codes, double real) {
  auto type = cast<IntegerType>(codes.getOperand().getType().getElementType());
  const double scale = *getSplat(codes.getScale()), zero = *getSplat(codes.getZero());
  const double code = std::nearbyint(real / scale) + zero;
  const llvm::APSInt low = llvm::APSInt::getMinValue(type.getWidth(), type.isUnsigned()),
                     high = llvm::APSInt::getMaxValue(type.getWidth(), type.isUnsigned());
  if (!(code >= double(low.getExtValue())) || !(code <= double(high.getExtValue())) ||
      float((code - zero) * scale) != float(real))
    return std::nullopt;
  return llvm::APSInt(APInt(type.getWidth(), uint64_t(int64_t(code)), !type.isUnsigned()), type.isUnsigned());
}

/// Returns the code of the value with which a pad fills. Returns `nullopt` if there is no such code.
std::optional<llvm::APSInt> findPadding(nn::PadOp op, DequantizeOp codes) {
  if (op.getMode() != nn::PadMode::Constant)
    return findCode(codes, 0); // This value is not used.
  return findCode(codes, cast<FloatAttr>(op.getValue()).getValueAsDouble());
}

/// True if `op`, which moves floats, could also move elements of type `type`.
bool takesCodes(Operation *op, Type type) {
  return !nn::isNarrow(type) || !isa<nn::InterleaveOp, nn::PoolOp, nn::ResampleOp>(op);
}

/// Recursion of findCodes(). `depth` limits the length of the chains that it follows.
DequantizeOp findCodesWithin(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return {};
  if (auto codes = dyn_cast<DequantizeOp>(op))
    return isPlain(codes) ? codes : DequantizeOp();
  OperandRange moved = nn::movedOperands(op);
  if (moved.empty() || !op->hasOneUse())
    return {};
  DequantizeOp first = findCodesWithin(moved.front(), depth - 1);
  if (!first || !takesCodes(op, first.getOperand().getType().getElementType()))
    return {};
  if (auto pad = dyn_cast<nn::PadOp>(op); pad && !findPadding(pad, first))
    return {};
  for (Value other : moved.drop_front()) {
    DequantizeOp codes = findCodesWithin(other, depth - 1);
    if (!codes || !isOfSameScale(codes, first))
      return {};
  }
  return first;
}

/// Replaces a quantization of moved, dequantized codes by the movement of the codes.
struct QuantizeOfCodes : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp op, PatternRewriter &rewriter) const override {
    DequantizeOp codes = findCodes(op.getOperand());
    if (!codes || !isSameNumber(op.getScale(), codes.getScale()) || !isSameNumber(op.getZero(), codes.getZero()))
      return rewriter.notifyMatchFailure(op, "expected moved reals of codes with the same scale and zero point");
    rewriter.replaceOp(op, moveCodes(rewriter, op.getOperand()));
    return success();
  }
};

} // namespace

DequantizeOp findCodes(Value value) {
  constexpr int maxDepth = 16;
  return findCodesWithin(value, maxDepth);
}

Value moveCodes(RewriterBase &rewriter, Value value) {
  if (auto codes = value.getDefiningOp<DequantizeOp>())
    return codes.getOperand();
  Operation *op = value.getDefiningOp();
  DequantizeOp codes = findCodes(value);
  IRMapping mapping;
  for (Value moved : nn::movedOperands(op))
    mapping.map(moved, moveCodes(rewriter, moved));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Operation *movement = rewriter.clone(*op, mapping);
  Type code = codes.getOperand().getType().getElementType();
  movement->getResult(0).setType(cast<RankedTensorType>(value.getType()).clone(code));
  if (auto pad = dyn_cast<nn::PadOp>(movement))
    pad.setValueAttr(IntegerAttr::get(code, *findPadding(cast<nn::PadOp>(op), codes)));
  return movement->getResult(0);
}

void addMovedConstants(RewritePatternSet &patterns) {
  patterns.add<MovementOfConstant<nn::TransposeOp>, MovementOfConstant<nn::ReshapeOp>, MovementOfConstant<nn::SliceOp>,
               MovementOfConstant<nn::GatherOp>>(patterns.getContext());
}

void addMovedCodes(RewritePatternSet &patterns) {
  addMovedConstants(patterns);
  patterns.add<QuantizeOfCodes>(patterns.getContext());
}

} // namespace nacre::graph
