// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces nn.quantize and nn.dequantize by casts, arithmetic and rounding. Elementwise operators become parts of
// kernels, whereas later passes and kernels don't support the original operators.
//
// 1. Scales and zero points are aligned with their elements. During the computation, each block is a separate axis, so
//    no parameter is repeated in memory.
// 2. The two directions. dialects/nn/NnQuantizationOps.td defines the rounding of each step.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/quantized/Numbers.h"
#include "dialects/TensorTypes.h"

namespace nacre::graph {
#define GEN_PASS_DEF_EXPANDQUANTIZATIONPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// Creates operators, and folds them if their operands are small constants.
class Writer {
public:
  Writer(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value binary(nn::BinaryKind kind, Value a, Value b) { return builder.createOrFold<nn::BinaryOp>(loc, kind, a, b); }
  Value binary(nn::BinaryKind kind, Value a, double b) {
    Type element = typeOf(a).getElementType();
    auto scalar =
        DenseElementsAttr::get(RankedTensorType::get({}, element), Attribute(builder.getFloatAttr(element, b)));
    return binary(kind, a, nn::ConstantOp::create(builder, loc, scalar));
  }
  Value round(Value x) { return builder.createOrFold<nn::UnaryOp>(loc, nn::UnaryKind::Round, x, APFloat(0.0)); }
  Value cast(Value x, Type element, bool overflows = false) {
    return builder.createOrFold<nn::CastOp>(loc, typeOf(x).clone(element), x, overflows, nn::ScaleRounding::Up);
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return builder.createOrFold<nn::ReshapeOp>(loc, typeOf(x).clone(shape), x);
  }
  Value broadcast(Value x, ArrayRef<int64_t> shape) {
    return builder.createOrFold<nn::BroadcastOp>(loc, typeOf(x).clone(shape), x);
  }
  /// Returns the first `sizes[i]` elements of `x` along each axis i.
  Value begin(Value x, ArrayRef<int64_t> sizes) {
    const SmallVector<int64_t> starts(sizes.size(), 0), steps(sizes.size(), 1);
    return builder.createOrFold<nn::SliceOp>(loc, x, starts, sizes, steps);
  }

private:
  OpBuilder &builder;
  Location loc;
};

//===----------------------------------------------------------------------===//
// 1. Scales and zero points
//===----------------------------------------------------------------------===//

/// Returns `shape` with axis `axis` replaced by two axes, of `size` and `block` elements.
SmallVector<int64_t> withBlocks(ArrayRef<int64_t> shape, int64_t axis, int64_t size, int64_t block) {
  SmallVector<int64_t> result(shape);
  result[axis] = size;
  result.insert(result.begin() + axis + 1, block);
  return result;
}

/// Repeats a parameter to one element per element of `shape`, for blocks whose size does not divide the axis.
Value repeat(Writer &write, Value parameter, ArrayRef<int64_t> shape, int64_t axis, int64_t block) {
  ArrayRef<int64_t> own = typeOf(parameter).getShape();
  const int64_t blocks = own[axis];
  SmallVector<int64_t> whole(shape);
  whole[axis] = blocks * block;
  Value repeated =
      write.broadcast(write.reshape(parameter, withBlocks(own, axis, blocks, 1)), withBlocks(own, axis, blocks, block));
  return write.begin(write.reshape(repeated, whole), shape);
}

/// Calls compute(operand, scale, zero) with parameters that broadcast to the operand. Returns the result in the shape
/// of `op`.
template <typename OpT, typename Compute> Value overElements(Writer &write, OpT op, Compute compute) {
  const auto axis = int64_t(op.getAxis()), block = int64_t(op.getBlock());
  ArrayRef<int64_t> shape = op.getOperand().getType().getShape();
  const auto rank = int64_t(shape.size());
  auto isScalar = [](Value parameter) { return typeOf(parameter).getRank() == 0; };
  auto align = [&](Value parameter) {
    SmallVector<int64_t> aligned(rank - axis, 1);
    aligned.front() = typeOf(parameter).getNumElements();
    return isScalar(parameter) ? parameter : write.reshape(parameter, aligned);
  };
  // If a single block covers the whole axis, its parameter broadcasts along the axis.
  if (op.isPerTensor() || block >= shape[axis])
    return compute(op.getOperand(), op.getScale(), op.getZero());
  if (block == 0)
    return compute(op.getOperand(), align(op.getScale()), align(op.getZero()));
  if (shape[axis] % block != 0) {
    auto fill = [&](Value parameter) {
      return isScalar(parameter) ? parameter : repeat(write, parameter, shape, axis, block);
    };
    return compute(op.getOperand(), fill(op.getScale()), fill(op.getZero()));
  }
  const int64_t blocks = shape[axis] / block;
  auto split = [&](Value parameter) {
    return isScalar(parameter) ? parameter : write.reshape(parameter, withBlocks(shape, axis, blocks, 1));
  };
  Value operand = write.reshape(op.getOperand(), withBlocks(shape, axis, blocks, block));
  return write.reshape(compute(operand, split(op.getScale()), split(op.getZero())), shape);
}

//===----------------------------------------------------------------------===//
// 2. The two directions
//===----------------------------------------------------------------------===//

/// Returns the type in which to compute. This is f32 for f16 values, because zero points have more digits than f16.
Type getWideType(Type real) { return real.isF64() ? real : Float32Type::get(real.getContext()); }

Value expand(Writer &write, nn::QuantizeOp op) {
  const Type code = op.getType().getElementType();
  const Type wide = getWideType(op.getScale().getType().getElementType());
  const auto integer = dyn_cast<IntegerType>(code);
  return overElements(write, op, [&](Value reals, Value scale, Value zero) {
    Value steps = write.binary(nn::BinaryKind::Div, reals, scale);
    if (integer)
      steps = write.round(steps);
    steps = write.binary(nn::BinaryKind::Add, write.cast(steps, wide), write.cast(zero, wide));
    if (!integer)
      return write.cast(steps, code, op.getOverflows());
    const CodeBounds bounds = getCodeBounds(integer);
    steps = write.binary(nn::BinaryKind::Max, steps, bounds.low);
    return write.cast(write.binary(nn::BinaryKind::Min, steps, bounds.high), code);
  });
}

Value expand(Writer &write, nn::DequantizeOp op) {
  const Type real = op.getType().getElementType(), wide = getWideType(real);
  return overElements(write, op, [&](Value codes, Value scale, Value zero) {
    Value centred = write.binary(nn::BinaryKind::Sub, write.cast(codes, wide), write.cast(zero, wide));
    return write.cast(write.binary(nn::BinaryKind::Mul, centred, write.cast(scale, wide)), real);
  });
}

struct ExpandQuantization : impl::ExpandQuantizationPassBase<ExpandQuantization> {
  void runOnOperation() override {
    SmallVector<Operation *> coding;
    getOperation().walk([&](Operation *op) {
      if (isa<nn::QuantizeOp, nn::DequantizeOp>(op))
        coding.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : coding) {
      builder.setInsertionPoint(op);
      Writer write(builder, op->getLoc());
      auto quantize = dyn_cast<nn::QuantizeOp>(op);
      Value spelled = quantize ? expand(write, quantize) : expand(write, cast<nn::DequantizeOp>(op));
      op->replaceAllUsesWith(ValueRange(spelled));
      op->erase();
      ++numExpanded;
    }
  }
};

} // namespace

} // namespace nacre::graph
