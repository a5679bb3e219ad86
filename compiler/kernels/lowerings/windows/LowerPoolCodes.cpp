// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers codes of maxima, and the gradient of a pool from these codes. A code is a byte that names the cell of a window
// that has the maximum. The gradient then reads a byte per element, so the input of the pool need not stay in memory
// until then.
//
// 1. A code is the smallest index of a cell that equals the maximum. It is computed in a separate kernel, or in the
//    kernel of the maxima.
// 2. Each cell of the gradient adds up the gradients of the windows that contain it and selected it. These windows are
//    a stride apart. The position of the cell within its stride determines its index in each of these windows, so the
//    indices are a small table.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/windows/WindowLoops.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

/// Entry of a table for a window that does not contain the cell. No code has this value.
static constexpr uint8_t kNever = nn::mostCodedCells;

static TypedAttr getCode(OpBuilder &builder, uint8_t code) {
  return builder.getIntegerAttr(builder.getI8Type(), APInt(8, code));
}

//===----------------------------------------------------------------------===//
// 1. Codes
//===----------------------------------------------------------------------===//

/// Emits the codes of the maxima that the kernel reads. If `computed` is not null, it is the maxima that the kernel has
/// computed, in their compute type.
static Value emitCodes(KernelBody &body, nn::PoolCodeOp op, Value computed) {
  Type elementType = typeOf(op.getInput()).getElementType();
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  SmallVector<uint8_t> numbers(ShapedType::getNumElements(op.getKernel()));
  std::iota(numbers.begin(), numbers.end(), 0);
  Value table = body.readTable(
      DenseElementsAttr::get(RankedTensorType::get(op.getKernel(), builder.getI8Type()), ArrayRef<uint8_t>(numbers)));

  const WindowLoops windows(op);
  Sweep sweep = windows.sweep();
  // Padding must not match: NaN equals no maximum.
  const TypedAttr none = toStorage(FloatAttr::get(elementType, std::nan("")));
  Value cells = windows.pad(body, op.getInput(), none);
  sweep.tensors = {cells, computed ? computed : body.read(op.getMaxima()), table};
  sweep.maps = {windows.cells, windows.places, windows.window};
  Value destination = computed ? body.empty(body.getShape(op.getResult()), builder.getI8Type())
                               : body.getAccumulator(op.getResult(), builder.getI8Type());
  sweep.destination = body.fill(getCode(builder, nn::codeOfNoCell), destination);
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) -> Value {
    Value x = fromStorage(b, loc, scalars[0], elementType);
    Value y = computed ? scalars[1] : fromStorage(b, loc, scalars[1], elementType);
    Value isMost = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
    Value none = emitConstant(b, loc, b.getI8Type(), int8_t(nn::codeOfNoCell));
    Value number = arith::SelectOp::create(b, loc, isMost, scalars[2], none);
    return arith::MinUIOp::create(b, loc, old, number);
  };
  Value codes = body.emitSweep(sweep);
  body.defineAs(op.getResult(), codes);
  return codes;
}

LogicalResult lowerPoolCode(KernelBody &body, nn::PoolCodeOp op) {
  return body.finish(emitCodes(body, op, /*computed=*/{}));
}

void defineCodes(KernelBody &body, nn::PoolCodeOp op, Value maxima) { emitCodes(body, op, maxima); }

//===----------------------------------------------------------------------===//
// 2. The gradient
//===----------------------------------------------------------------------===//

namespace {

/// Windows that contain a cell, along one axis. The first one is at most reach() windows before the last one.
struct AxisOfWindows {
  int64_t kernel, stride, dilation;

  int64_t reach() const { return (kernel - 1) * dilation / stride; }
  /// Returns the index of a cell in the window that is `back` windows before the last one; -1 if it is not in this
  /// window. `inStep` is the position of the cell within a stride.
  int64_t cellOf(int64_t inStep, int64_t back) const {
    const int64_t distance = inStep + back * stride;
    return distance % dilation == 0 && distance / dilation < kernel ? distance / dilation : -1;
  }
};

} // namespace

/// Returns a table with the code of an input cell, for each position within a stride and each window that contains the
/// cell. The shape is `[strides..., windows...]`.
static DenseElementsAttr makeTable(MLIRContext *context, ArrayRef<AxisOfWindows> axes) {
  SmallVector<int64_t> shape;
  for (const AxisOfWindows &axis : axes)
    shape.push_back(axis.stride);
  for (const AxisOfWindows &axis : axes)
    shape.push_back(axis.reach() + 1);
  SmallVector<uint8_t> table;
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t entry = 0, count = ShapedType::getNumElements(shape); entry < count; ++entry) {
    int64_t rest = entry;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      at[dim] = rest % shape[dim];
    int64_t code = 0;
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      const int64_t cell = axis.cellOf(at[dim], axis.reach() - at[axes.size() + dim]);
      code = code < 0 || cell < 0 ? -1 : code * axis.kernel + cell;
    }
    table.push_back(code < 0 ? kNever : uint8_t(code));
  }
  return DenseElementsAttr::get(RankedTensorType::get(shape, IntegerType::get(context, 8)), ArrayRef<uint8_t>(table));
}

/// Lowers an unpool. If `image` is null, strides and positions within strides are axes of the result.
static LogicalResult lowerUnpool(KernelBody &body, nn::UnpoolOp op, nn::ReshapeOp image) {
  const auto type = typeOf(op.getOperand());
  Type elementType = type.getElementType(), accumulatorType = getComputeType(elementType);
  OpBuilder &builder = body.getBuilder();
  Location loc = body.getLoc();
  const size_t spatial = op.getKernel().size(), rank = 2 * spatial + 2;
  SmallVector<AxisOfWindows> axes;
  for (size_t axis = 0; axis < spatial; ++axis)
    axes.push_back({op.getKernel()[axis], op.getStrides()[axis], op.getDilations()[axis]});

  // Loops: n, (stride, position within it)..., c | windows...
  Sweep sweep;
  sweep.shape = SmallVector<int64_t>(typeOf(op.getResult()).getShape());
  sweep.iterators.assign(rank, utils::IteratorType::parallel);
  sweep.iterators.append(spatial, utils::IteratorType::reduction);
  SmallVector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0), counts;
  SmallVector<AffineExpr> places = {builder.getAffineDimExpr(0)}, cells = places, steps, inSteps, windows;
  for (size_t axis = 0; axis < spatial; ++axis) {
    const int64_t reach = axes[axis].reach();
    counts.push_back(sweep.shape[2 * axis + 1]);
    sweep.shape.push_back(reach + 1);
    low[axis + 1] = reach;
    high[axis + 1] = counts.back() - type.getDimSize(axis + 1);
    windows.push_back(builder.getAffineDimExpr(rank + axis));
    inSteps.push_back(builder.getAffineDimExpr(2 * axis + 2));
    steps.push_back(builder.getAffineDimExpr(2 * axis + 1));
    places.push_back(steps.back() + windows.back());
    cells.push_back(steps.back() * axes[axis].stride + inSteps.back());
  }
  places.push_back(builder.getAffineDimExpr(rank - 1));
  cells.push_back(places.back());
  AffineMap place = AffineMap::get(rank + spatial, 0, places, body.getContext());
  llvm::append_range(inSteps, windows);
  auto zero = cast<TypedAttr>(builder.getZeroAttr(getStorageType(elementType)));
  sweep.tensors = {padWith(body, body.read(op.getOperand()), low, high, zero),
                   padWith(body, body.read(op.getCode()), low, high, getCode(builder, nn::codeOfNoCell)),
                   body.readTable(makeTable(body.getContext(), axes))};
  sweep.maps = {place, place, AffineMap::get(rank + spatial, 0, inSteps, body.getContext())};
  // Sums of f16 values are wider than the result, so they need a map after them, which writes the image.
  const bool isMapped = image && getStorageType(elementType) != accumulatorType && body.getGroup().members.size() == 1;
  const bool isDirect = image && !isMapped;
  if (image) // Two loops divide each axis of the image.
    body.setUncuttable(llvm::to_vector(llvm::seq<int64_t>(1, int64_t(spatial) + 1)));
  if (isDirect) { // Only the sums have the loops over strides, so an unread tensor defines the extents of these loops.
    sweep.tensors.push_back(body.empty(counts, accumulatorType));
    sweep.maps.push_back(AffineMap::get(rank + spatial, 0, steps, body.getContext()));
  }
  Value result = isDirect ? image.getResult() : op.getResult();
  sweep.destinationMap = isDirect ? AffineMap::get(rank + spatial, 0, cells, body.getContext())
                                  : builder.getMultiDimIdentityMap(rank + spatial).getMajorSubMap(rank);
  Value accumulator = isMapped ? body.empty(ArrayRef(sweep.shape).take_front(rank), accumulatorType)
                               : body.getAccumulator(result, accumulatorType);
  sweep.destination = body.fill(getIdentity(nn::ReduceKind::Sum, accumulatorType, false), accumulator);
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) -> Value {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, scalars[1], scalars[2]);
    Value value = fromStorage(b, loc, scalars[0], elementType);
    Value part = arith::SelectOp::create(b, loc, isHere, value, emitConstant(b, loc, accumulatorType, 0));
    return combine(b, loc, nn::ReduceKind::Sum, old, part, elementType.isUnsignedInteger());
  };
  Value sum = body.emitSweep(sweep);
  if (isMapped) {
    Sweep written;
    written.shape.assign(sweep.shape.begin(), sweep.shape.begin() + rank);
    written.tensors = {sum};
    written.maps = {builder.getMultiDimIdentityMap(rank)};
    written.destination = body.getTarget();
    written.destinationMap = AffineMap::get(rank, 0, cells, body.getContext());
    written.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value) {
      return toStorage(b, loc, scalars[0], elementType);
    };
    return body.finishWith(body.emitSweep(written));
  }
  body.defineAs(result, sum);
  return body.finish(sum);
}

LogicalResult lowerUnpool(KernelBody &body, nn::UnpoolOp op) { return lowerUnpool(body, op, /*image=*/{}); }

LogicalResult lowerImage(KernelBody &body, nn::UnpoolOp op, nn::ReshapeOp image) {
  return lowerUnpool(body, op, image);
}

} // namespace nacre::kernels
