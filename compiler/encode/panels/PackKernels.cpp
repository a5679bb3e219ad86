// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/PackKernels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace nacre::codegen;

namespace nacre::encode {

RightLoops rightLoopsOf(const PlainContraction &plain) {
  RightLoops right;
  for (bool reduces : {false, true})
    for (auto [number, loop] : llvm::enumerate(plain.loops))
      if (loop.movesRhs && number != plain.column && loop.parallel != reduces)
        right.loops.push_back(number);
  right.loops.push_back(plain.column);
  right.read.offset = plain.operands[Contraction::Rhs].offset;
  for (unsigned number : right.loops)
    right.read.loops.push_back({plain.loops[number].size, plain.loops[number].strides[Contraction::Rhs]});
  return right;
}

std::optional<AffineMap> mapOf(MLIRContext *context, const StridedRead &read, ArrayRef<int64_t> shape) {
  std::optional<SmallVector<AxisSteps>> axes = byAxes(read, shape);
  if (!axes)
    return std::nullopt;
  SmallVector<AffineExpr> results;
  for (const AxisSteps &axis : *axes) {
    AffineExpr index = getAffineConstantExpr(axis.start, context);
    for (auto [loop, step] : llvm::enumerate(axis.steps))
      index = index + getAffineDimExpr(loop, context) * step;
    results.push_back(index);
  }
  return AffineMap::get(read.loops.size(), 0, results, context);
}

/// Returns the part of `source` that loops of the given `sizes` read through `map`, and the map within this part.
static std::pair<Value, AffineMap> sliceOf(OpBuilder &builder, Location loc, Value source, AffineMap map,
                                           ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  FailureOr<SmallVector<WalkedAxis>> axes = walkAxes(map);
  assert(succeeded(axes) && "maps of pack kernels are sums");
  SmallVector<OpFoldResult> starts, extents, steps(type.getRank(), builder.getIndexAttr(1));
  SmallVector<AffineExpr> results;
  for (auto [axis, result] : llvm::zip_equal(*axes, map.getResults())) {
    int64_t low = axis.constant, high = axis.constant;
    for (auto [coefficient, size] : llvm::zip_equal(axis.coefficients, sizes))
      (coefficient < 0 ? low : high) += coefficient * (size - 1);
    starts.push_back(builder.getIndexAttr(low));
    extents.push_back(builder.getIndexAttr(high - low + 1));
    results.push_back(result - low);
  }
  auto slice = tensor::ExtractSliceOp::create(builder, loc, source, starts, extents, steps);
  if (slice.getType() != type)
    return {slice, AffineMap::get(map.getNumDims(), 0, results, map.getContext())};
  slice.erase();
  return {source, map};
}

plan::KernelOp makePackKernel(OpBuilder &builder, Location loc, StringRef name, RankedTensorType source, AffineMap map,
                              RankedTensorType packed, plan::EncodingAttr encoding) {
  const int64_t last = packed.getRank() - 1;
  auto kernel = plan::KernelOp::create(builder, loc, builder.getStringAttr(name), plan::KernelKind::Permute,
                                       /*num_inputs=*/1, last, packed.getDimSize(last), /*grain=*/encoding.getWidth(),
                                       builder.getArrayAttr({builder.getUnitAttr(), encoding}));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&kernel.getBody(), {}, {source, packed}, {loc, loc});
  auto [read, within] = sliceOf(builder, loc, block->getArgument(0), map, packed.getShape());
  const SmallVector<utils::IteratorType> iterators(packed.getRank(), utils::IteratorType::parallel);
  auto moved = linalg::GenericOp::create(
      builder, loc, packed, read, block->getArgument(1),
      ArrayRef<AffineMap>{within, builder.getMultiDimIdentityMap(packed.getRank())}, iterators,
      [](OpBuilder &b, Location at, ValueRange scalars) { linalg::YieldOp::create(b, at, scalars[0]); });
  plan::YieldOp::create(builder, loc, moved.getResult(0));
  return kernel;
}

RewiredKernel readFromPacked(plan::KernelOp kernel, const PlainContraction &plain, const RightLoops &right,
                             RankedTensorType packed) {
  const unsigned old = plain.operands[Contraction::Rhs].argument, inputs = kernel.getNumInputs();
  // Find the product's input that is the right operand: it has the operand's argument, offset and strides.
  const Input *input = llvm::find_if(ArrayRef(plain.product->inputs).take_front(2), [&](const Input &candidate) {
    return candidate.source == Input::Source::Storage && candidate.access.argument == old &&
           candidate.access.offset == plain.operands[Contraction::Rhs].offset &&
           llvm::all_of(llvm::enumerate(plain.loops), [&](auto loop) {
             return candidate.access.strides[loop.index()] == loop.value().strides[Contraction::Rhs];
           });
  });
  const unsigned operand = input - plain.product->inputs.begin();

  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  IRMapping copies;
  auto copy = cast<plan::KernelOp>(builder.clone(*kernel, copies));
  copy.removeEncodingsAttr();
  Block &body = copy.getBody().front();
  BlockArgument argument = body.insertArgument(inputs, packed, kernel.getLoc());
  auto product = cast<linalg::GenericOp>(copies.lookup(plain.product->op));
  Value former = product->getOperand(operand);
  product->setOperand(operand, argument);
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  SmallVector<AffineExpr> results;
  for (unsigned loop : right.loops)
    results.push_back(builder.getAffineDimExpr(loop));
  maps[operand] = AffineMap::get(product.getNumLoops(), 0, results, kernel.getContext());
  product.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  while (Operation *slice = former.getDefiningOp()) {
    if (!slice->use_empty() || slice->getNumOperands() == 0)
      break;
    former = slice->getOperand(0);
    slice->erase();
  }
  copy.setNumInputs(inputs + 1);
  const bool isOldRead = !body.getArgument(old).use_empty();
  if (!isOldRead) {
    body.eraseArgument(old);
    copy.setNumInputs(inputs);
  }
  return {copy, isOldRead};
}

} // namespace nacre::encode
