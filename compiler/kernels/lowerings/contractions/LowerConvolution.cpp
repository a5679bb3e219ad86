// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convolutions, gradients of filters, and separable convolutions that are one kernel.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"
#include "dialects/TensorTypes.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

namespace {

/// Operands, maps and loops of a convolution.
struct ConvolutionText {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};

} // namespace

static ConvolutionText describe(KernelBody &body, nn::ConvOp op) {
  assert(llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; }) && "has pads of its own");
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  size_t spatial = filter.size() - 2;
  int64_t groups = op.getGroups(), inputs = filter[spatial], outputs = filter[spatial + 1] / groups;
  bool depthwise = groups > 1 && inputs == 1 && outputs == 1;
  bool grouped = groups > 1 && !depthwise;

  Loops loops{body.getContext(), {}};
  AffineExpr n = loops.add(parallel);
  SmallVector<AffineExpr> o = loops.add(parallel, spatial);
  AffineExpr g = grouped ? loops.add(parallel) : AffineExpr();
  AffineExpr oc = loops.add(parallel);
  SmallVector<AffineExpr> f = loops.add(reduction, spatial);
  AffineExpr ic = depthwise ? oc : loops.add(reduction);

  SmallVector<AffineExpr> x = {n}, w(f), y = {n};
  for (size_t axis = 0; axis < spatial; ++axis)
    x.push_back(o[axis] * op.getStrides()[axis] + f[axis] * op.getDilations()[axis]);
  llvm::append_range(y, o);
  x.push_back(grouped ? g * inputs + ic : ic);
  y.push_back(grouped ? g * outputs + oc : oc);
  if (!depthwise)
    w.push_back(ic);
  w.push_back(grouped ? g * outputs + oc : oc);

  SmallVector<int64_t> filterShape(filter);
  if (depthwise)
    filterShape.erase(filterShape.begin() + spatial);
  SmallVector<Value> operands = {body.read(op.getInput()), body.read(op.getFilter(), ArrayRef<int64_t>(filterShape))};
  SmallVector<AffineMap> maps = {loops.map(x), loops.map(w)};
  if (grouped) {
    operands.push_back(body.empty({groups, outputs}, getComputeType(elementTypeOf(op.getResult()))));
    maps.push_back(loops.map({g, oc}));
    body.setUncuttable({int64_t(spatial) + 1}); // Two loops divide the channels.
  }
  maps.push_back(loops.map(y));
  return {operands, maps, loops.iterators};
}

/// Describes a 1x1 convolution with stride 1. It needs no window loops: each output pixel reads only its own input
/// pixel.
static ConvolutionText describePointwise(KernelBody &body, nn::ConvOp op, Value input) {
  const size_t spatial = cast<RankedTensorType>(op.getFilter().getType()).getRank() - 2;
  Loops loops{body.getContext(), {}};
  SmallVector<AffineExpr> pixel = loops.add(parallel, spatial + 1);
  AffineExpr oc = loops.add(parallel), ic = loops.add(reduction);
  SmallVector<AffineExpr> x = pixel, y = pixel, w(spatial, getAffineConstantExpr(0, body.getContext()));
  x.push_back(ic);
  w.append({ic, oc});
  y.push_back(oc);
  return {{input, body.read(op.getFilter())}, {loops.map(x), loops.map(w), loops.map(y)}, loops.iterators};
}

/// Lowers the gradient to a product. Its rows are taps and channels. Its depth is all positions, or the positions of
/// one part.
LogicalResult lowerFilterGradient(KernelBody &body, nn::FilterGradientOp op) {
  const size_t spatial = op.getKernel().size();
  Loops loops{body.getContext(), {}};
  SmallVector<AffineExpr> parts = loops.add(parallel, op.getParts() ? 2 : 0);
  // Channels are the innermost rows: they are contiguous in the operand and in the result.
  SmallVector<AffineExpr> taps = loops.add(parallel, spatial);
  AffineExpr ic = loops.add(parallel), oc = loops.add(parallel), n = loops.add(reduction);
  SmallVector<AffineExpr> positions = loops.add(reduction, spatial);
  SmallVector<Value> operands = {body.read(op.getInput()), body.read(op.getGradient())};
  SmallVector<AffineMap> ofPart;
  if (op.getParts()) {
    ArrayRef<int64_t> all = cast<RankedTensorType>(op.getGradient().getType()).getShape();
    const int64_t images = all[0] / (*op.getParts())[0], rows = all[1] / (*op.getParts())[1];
    // If an axis is divided into two loops, no operand determines the extents of these loops, so add one that does.
    operands.push_back(body.empty({images, rows}, getComputeType(elementTypeOf(op.getResult()))));
    ofPart.push_back(loops.map({n, positions[0]}));
    n = parts[0] * images + n;
    positions[0] = parts[1] * rows + positions[0];
  }
  SmallVector<AffineExpr> x = {n}, dy = {n}, result = parts;
  for (size_t axis = 0; axis < spatial; ++axis)
    x.push_back(positions[axis] * op.getStrides()[axis] + taps[axis] * op.getDilations()[axis]);
  x.push_back(ic);
  llvm::append_range(dy, positions);
  dy.push_back(oc);
  llvm::append_range(result, taps);
  result.append({ic, oc});
  SmallVector<AffineMap> maps = {loops.map(x), loops.map(dy)};
  llvm::append_range(maps, ofPart);
  maps.push_back(loops.map(result));
  return finishContraction(body, op.getResult(), {op.getInput(), op.getGradient()}, operands, maps, loops.iterators);
}

LogicalResult lowerConv(KernelBody &body, nn::ConvOp op) {
  const ConvolutionText text =
      body.makes(op.getInput()) ? describePointwise(body, op, readLeft(body, op.getInput())) : describe(body, op);
  return finishContraction(body, op.getResult(), {op.getInput(), op.getFilter()}, text.operands, text.maps,
                           text.iterators);
}

LogicalResult lowerSeparable(KernelBody &body, nn::ConvOp depthwise, nn::ConvOp pointwise) {
  const ConvolutionText windows = describe(body, depthwise);
  Type sumType = getComputeType(elementTypeOf(depthwise.getResult()));
  Value pixels =
      addProducts(body, body.empty(body.getShape(depthwise.getResult()), sumType),
                  {depthwise.getInput(), depthwise.getFilter()}, windows.operands, windows.maps, windows.iterators);
  body.defineAs(depthwise.getResult(), pixels);
  // Add the epilogue of the depthwise half, up to the operand of the product, in its storage type.
  Value read = pointwise.getInput();
  Type elementType = elementTypeOf(read);
  if (read != depthwise.getResult() || getStorageType(elementType) != sumType) {
    Sweep epilogue;
    epilogue.shape = body.getShape(read);
    epilogue.values = {read};
    epilogue.destination = body.empty(epilogue.shape, getStorageType(elementType));
    epilogue.body = [&](OpBuilder &b, ValueRange values, ValueRange, Value) {
      return toStorage(b, body.getLoc(), values[0], elementType);
    };
    pixels = body.emitSweep(epilogue);
  }
  const ConvolutionText product = describePointwise(body, pointwise, pixels);
  return finishContraction(body, pointwise.getResult(), {pointwise.getInput(), pointwise.getFilter()}, product.operands,
                           product.maps, product.iterators);
}

} // namespace nacre::kernels
