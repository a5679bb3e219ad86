// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a transposed convolution by ordinary ones. These have tiles, panels, epilogues and GPU code.
//
// 1. By phases (TransposedPhases.h): one convolution per phase, whose results are interleaved. Elementwise operators
//    that follow move to the phases, so that they are fused with the convolutions.
// 2. By columns, if there are many phases or few channels: one convolution with a column per phase and channel, whose
//    result is reordered.
// Operators on the original filter express the new filters. nacre-fold-constants computes them.

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/TransposedPhases.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Permutation.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace nacre::graph {
#define GEN_PASS_DEF_EXPANDCONVTRANSPOSEPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using Ints = SmallVector<int64_t>;

/// Creates operators at one place, except those that would change nothing.
class Writer {
public:
  Writer(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return nn::ReshapeOp::create(builder, loc, typeOf(value).clone(shape), value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    if (nn::movesOnlyUnits(shapeOf(value), permutation))
      return reshape(value, applyPermutation(shapeOf(value), permutation));
    return nn::TransposeOp::create(builder, loc, value, permutation);
  }
  Value slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
    return nn::SliceOp::create(builder, loc, value, starts, sizes, steps);
  }
  /// Pads with zeros. Negative amounts crop.
  Value pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    auto isZero = [](int64_t amount) { return amount == 0; };
    if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
      return value;
    auto zero = cast<TypedAttr>(builder.getZeroAttr(typeOf(value).getElementType()));
    return nn::PadOp::create(builder, loc, nn::PadMode::Constant, value, low, high, zero);
  }
  Value conv(Value input, Value filter, ArrayRef<int64_t> dilations, int64_t groups) {
    const size_t spatial = dilations.size();
    return nn::ConvOp::create(builder, loc, input, filter, Ints(spatial, 1), Ints(2 * spatial, 0), dilations, groups);
  }
  Value interleave(ValueRange parts, ArrayRef<int64_t> strides) {
    return nn::InterleaveOp::create(builder, loc, parts, strides);
  }

private:
  OpBuilder &builder;
  Location loc;
};

SmallVector<TransposedAxis> axesOf(nn::ConvTransposeOp op) {
  SmallVector<TransposedAxis> axes;
  for (auto [axis, stride] : llvm::enumerate(op.getStrides())) {
    TransposedAxis &described = axes.emplace_back();
    described.input = shapeOf(op.getInput())[axis + 1];
    described.output = op.getType().getDimSize(axis + 1);
    described.kernel = shapeOf(op.getFilter())[axis];
    // If the input has a single element, all strides are equivalent.
    described.stride = described.input == 1 ? 1 : stride;
    described.dilation = op.getDilations()[axis];
    described.low = op.getPads()[axis];
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// 1. By phases
//===----------------------------------------------------------------------===//

/// Returns the convolution for one phase of each axis.
Value expandPhase(Writer &write, nn::ConvTransposeOp op, ArrayRef<Phase> phases) {
  const size_t spatial = phases.size();
  Ints starts(spatial + 2, 0), sizes(shapeOf(op.getFilter())), steps(spatial + 2, 1), dilations;
  Ints low(spatial + 2, 0), high(spatial + 2, 0);
  for (auto [axis, phase] : llvm::enumerate(phases)) {
    starts[axis] = phase.lastTap;
    sizes[axis] = phase.taps;
    steps[axis] = -phase.tapStep;
    dilations.push_back(phase.dilation);
    low[axis + 1] = phase.low;
    high[axis + 1] = phase.high;
  }
  Value filter = write.slice(op.getFilter(), starts, sizes, steps);
  return write.conv(write.pad(op.getInput(), low, high), filter, dilations, op.getGroups());
}

Value expandByPhases(Writer &write, nn::ConvTransposeOp op, ArrayRef<TransposedAxis> axes) {
  SmallVector<SmallVector<Phase>> phases(llvm::map_range(axes, phasesOf));
  Ints strides = {1};
  int64_t count = 1;
  for (const TransposedAxis &axis : axes) {
    strides.push_back(axis.stride);
    count *= axis.stride;
  }
  strides.push_back(1);
  SmallVector<Value> parts;
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<Phase> own(axes.size());
    int64_t left = number;
    for (size_t axis = axes.size(); axis-- > 0; left /= axes[axis].stride)
      own[axis] = phases[axis][left % axes[axis].stride];
    parts.push_back(expandPhase(write, op, own));
  }
  return count == 1 ? parts.front() : write.interleave(parts, strides);
}

//===----------------------------------------------------------------------===//
// 2. By columns
//===----------------------------------------------------------------------===//

/// Returns the filter with zeros between its taps, so that it needs no dilation. Updates `axes`.
Value spreadTaps(Writer &write, Value filter, MutableArrayRef<TransposedAxis> axes) {
  for (auto [axis, described] : llvm::enumerate(axes)) {
    if (described.dilation == 1)
      continue;
    Ints shape(shapeOf(filter)), apart(shape), low(shape.size() + 1, 0), high(low);
    apart.insert(apart.begin() + axis + 1, 1);
    high[axis + 1] = described.dilation - 1;
    filter = write.pad(write.reshape(filter, apart), low, high);
    shape[axis] *= described.dilation;
    filter = write.reshape(filter, shape);
    const int64_t kernel = (described.kernel - 1) * described.dilation + 1;
    high.assign(shape.size(), 0);
    high[axis] = kernel - shape[axis];
    low.pop_back();
    filter = write.pad(filter, low, high);
    described.kernel = kernel;
    described.dilation = 1;
  }
  return filter;
}

/// Reorders `[taps..., strides...]` in groups of outputs to `[taps reversed..., C / groups, groups, strides..., OC /
/// groups]`. Its last axes, from `groups` on, become one axis of columns.
Value toColumns(Writer &write, Value filter, ArrayRef<TransposedAxis> axes, ArrayRef<Columns> columns, int64_t groups) {
  const size_t spatial = axes.size();
  const int64_t inputs = shapeOf(filter)[spatial], outputs = shapeOf(filter)[spatial + 1];
  Ints low(spatial + 2, 0), high(low), apart, permutation, starts(spatial + 2, 0), sizes, steps(spatial + 2, 1);
  for (size_t axis = 0; axis < spatial; ++axis) {
    high[axis] = columns[axis].taps * axes[axis].stride - axes[axis].kernel;
    apart.append({columns[axis].taps, axes[axis].stride});
    permutation.push_back(2 * axis);
    starts[axis] = columns[axis].taps - 1;
    steps[axis] = -1;
    sizes.push_back(columns[axis].taps);
  }
  apart.append({inputs, groups, outputs / groups});
  permutation.append({int64_t(2 * spatial), int64_t(2 * spatial) + 1});
  int64_t all = outputs;
  for (size_t axis = 0; axis < spatial; ++axis) {
    permutation.push_back(2 * axis + 1);
    all *= axes[axis].stride;
  }
  permutation.push_back(2 * spatial + 2);
  sizes.append({inputs, all});
  filter = write.transpose(write.reshape(write.pad(filter, low, high), apart), permutation);
  return write.slice(write.reshape(filter, sizes), starts, sizes, steps);
}

Value expandByColumns(Writer &write, nn::ConvTransposeOp op, SmallVector<TransposedAxis> axes) {
  const size_t spatial = axes.size();
  const int64_t groups = op.getGroups(), batch = shapeOf(op.getInput()).front(),
                outputs = op.getType().getShape().back();
  Value filter = spreadTaps(write, op.getFilter(), axes);
  SmallVector<Columns> columns(llvm::map_range(axes, columnsOf));
  filter = toColumns(write, filter, axes, columns, groups);

  Ints low(spatial + 2, 0), high(low), apart = {batch}, order = {0}, whole = {batch}, starts(spatial + 2, 0);
  for (auto [axis, part] : llvm::enumerate(columns)) {
    low[axis + 1] = part.low;
    high[axis + 1] = part.high;
    starts[axis + 1] = part.skipped;
    apart.push_back(part.size);
    whole.push_back(part.size * axes[axis].stride);
  }
  apart.push_back(groups);
  for (size_t axis = 0; axis < spatial; ++axis) {
    apart.push_back(axes[axis].stride);
    order.append({int64_t(axis) + 1, int64_t(spatial + axis) + 2});
  }
  apart.push_back(outputs / groups);
  order.append({int64_t(spatial) + 1, int64_t(2 * spatial) + 2});
  whole.push_back(outputs);
  Value y = write.conv(write.pad(op.getInput(), low, high), filter, Ints(spatial, 1), groups);
  y = write.reshape(write.transpose(write.reshape(y, apart), order), whole);
  return shapeOf(y) == op.getType().getShape() ? y
                                               : write.slice(y, starts, op.getType().getShape(), Ints(spatial + 2, 1));
}

//===----------------------------------------------------------------------===//
// Elementwise operators after it
//===----------------------------------------------------------------------===//

/// True if `value`, another operand of an operator on `interleaved`, is equal for all interleaved parts.
bool repeatsInParts(Value value, nn::InterleaveOp interleaved) {
  ArrayRef<int64_t> shape = shapeOf(value), strides = interleaved.getStrides();
  if (shape.size() > strides.size())
    return false;
  return llvm::all_of(llvm::zip_equal(shape, strides.take_back(shape.size())),
                      [](auto pair) { return std::get<0>(pair) == 1 || std::get<1>(pair) == 1; });
}

/// True if all operands of `user` are interleaved in the same way as `interleaved`, or are equal for all parts.
bool worksOnParts(Operation *user, nn::InterleaveOp interleaved) {
  auto known = dyn_cast<nn::OperatorInterface>(user);
  if (!known || known.getWorkKind() != nn::WorkKind::Elementwise || isa<nn::BroadcastOp>(user) ||
      shapeOf(user->getResult(0)) != interleaved.getType().getShape())
    return false;
  return llvm::all_of(user->getOperands(), [&](Value operand) {
    auto other = operand.getDefiningOp<nn::InterleaveOp>();
    return (other && other.getType().getShape() == interleaved.getType().getShape() &&
            other.getStrides() == interleaved.getStrides()) ||
           repeatsInParts(operand, interleaved);
  });
}

/// Applies the elementwise operator `user` to each part, and interleaves the results.
nn::InterleaveOp moveToParts(Operation *user, nn::InterleaveOp interleaved) {
  OpBuilder builder(user);
  SmallVector<Value> parts;
  for (auto [number, part] : llvm::enumerate(interleaved.getOperands())) {
    Operation *own = builder.clone(*user);
    for (OpOperand &operand : own->getOpOperands())
      if (auto other = operand.get().getDefiningOp<nn::InterleaveOp>();
          other && shapeOf(operand.get()) == interleaved.getType().getShape())
        operand.set(other.getOperands()[number]);
    own->getResult(0).setType(typeOf(user->getResult(0)).clone(shapeOf(part)));
    parts.push_back(own->getResult(0));
  }
  return nn::InterleaveOp::create(builder, user->getLoc(), parts, interleaved.getStrides());
}

/// True if both operands of `op` are dequantized.
bool isQuantized(nn::ConvTransposeOp op) {
  return findCodes(op.getInput()) && op.getFilter().getDefiningOp<nn::DequantizeOp>();
}

struct ExpandConvTranspose : impl::ExpandConvTransposePassBase<ExpandConvTranspose> {
  using ExpandConvTransposePassBase::ExpandConvTransposePassBase;

  void runOnOperation() override {
    SmallVector<nn::ConvTransposeOp> found;
    getOperation().walk([&](nn::ConvTransposeOp op) {
      if (!onlyQuantized || (isQuantized(op) && havePhases(axesOf(op))))
        found.push_back(op);
    });
    for (nn::ConvTransposeOp op : found) {
      OpBuilder builder(op);
      Writer write(builder, op.getLoc());
      SmallVector<TransposedAxis> axes = axesOf(op);
      const int64_t inputs = shapeOf(op.getFilter()).drop_back().back(),
                    outputs = op.getType().getShape().back() / int64_t(op.getGroups());
      Value result = onlyQuantized || prefersPhases(axes, inputs, outputs) ? expandByPhases(write, op, axes)
                                                                           : expandByColumns(write, op, axes);
      op.replaceAllUsesWith(result);
      op.erase();
    }
    if (!found.empty())
      moveElementwise();
  }

  /// Moves elementwise operators to the parts. They are visited in the order of the block, so that readers of moved
  /// operators can follow.
  void moveElementwise() {
    getOperation()->walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        nn::InterleaveOp interleaved;
        for (Value operand : op.getOperands())
          if (auto candidate = operand.getDefiningOp<nn::InterleaveOp>(); candidate && worksOnParts(&op, candidate))
            interleaved = candidate;
        if (!interleaved)
          continue;
        op.replaceAllUsesWith(moveToParts(&op, interleaved));
        dead.push_back(&op);
      }
    });
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    SmallVector<nn::InterleaveOp> unused;
    getOperation().walk([&](nn::InterleaveOp op) {
      if (op.use_empty())
        unused.push_back(op);
    });
    for (nn::InterleaveOp op : unused)
      op.erase();
    dead.clear();
  }

  SmallVector<Operation *> dead;
};

} // namespace

} // namespace nacre::graph
