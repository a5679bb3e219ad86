// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/KernelStorages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Static offsets, sizes and strides, as operands of operations on slices.
struct SliceOperands {
  SliceOperands(MLIRContext *context, MemoryBox box)
      : offsets(getAsIndexOpFoldResult(context, box.offsets)), sizes(getAsIndexOpFoldResult(context, box.sizes)),
        strides(getAsIndexOpFoldResult(context, box.steps)) {}
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

bool isWhole(MemoryBox box) { return box.memory == box.sizes; }

Value extract(OpBuilder &builder, Location loc, Value source, MemoryBox box) {
  SliceOperands slice(builder.getContext(), box);
  auto type = cast<RankedTensorType>(source.getType()).clone(box.sizes);
  return tensor::ExtractSliceOp::create(builder, loc, type, source, slice.offsets, slice.sizes, slice.strides);
}

Value insert(OpBuilder &builder, Location loc, Value part, Value into, MemoryBox box) {
  SliceOperands slice(builder.getContext(), box);
  return tensor::InsertSliceOp::create(builder, loc, part, into, slice.offsets, slice.sizes, slice.strides);
}

} // namespace

void readFromBox(plan::KernelOp kernel, unsigned index, MemoryBox box) {
  BlockArgument argument = kernel.getInputs()[index];
  auto type = cast<RankedTensorType>(argument.getType());
  argument.setType(type.clone(box.memory));
  if (isWhole(box))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value slice = extract(builder, kernel.getLoc(), argument, box);
  argument.replaceAllUsesExcept(slice, slice.getDefiningOp());
}

void writeIntoBox(plan::KernelOp kernel, unsigned index, MemoryBox box, MemoryBox region, TypedAttr fill) {
  BlockArgument argument = kernel.getOutputs()[index];
  auto type = cast<RankedTensorType>(argument.getType());
  Location loc = kernel.getLoc();
  OpOperand &written = kernel.getBody().front().getTerminator()->getOpOperand(index);
  // Insert the target's slice after the slices of the inputs.
  OpBuilder builder(kernel.getBody());
  for (Operation &op : kernel.getBody().front())
    if (!isa<tensor::ExtractSliceOp>(op)) {
      builder.setInsertionPoint(&op);
      break;
    }

  Value placeholder = argument;
  argument.setType(type.clone(box.memory));
  if (!fill) {
    if (isWhole(box))
      return;
    Value target = extract(builder, loc, argument, box);
    placeholder.replaceAllUsesExcept(target, target.getDefiningOp());
    builder.setInsertionPoint(written.getOwner());
    written.set(insert(builder, loc, written.get(), argument, box));
    return;
  }

  SmallVector<Operation *> own;
  Value around = argument;
  if (!isWhole(region)) {
    around = extract(builder, loc, argument, region);
    own.push_back(around.getDefiningOp());
  }
  Value constant = arith::ConstantOp::create(builder, loc, fill);
  Value filled = linalg::FillOp::create(builder, loc, constant, around).getResult(0);
  own.push_back(filled.getDefiningOp());
  SmallVector<int64_t> inner;
  for (auto [offset, outer] : llvm::zip_equal(box.offsets, region.offsets))
    inner.push_back(offset - outer);
  const MemoryBox interior = {region.sizes, inner, box.sizes, box.steps};
  Value target = extract(builder, loc, filled, interior);
  placeholder.replaceUsesWithIf(target, [&](OpOperand &use) { return !llvm::is_contained(own, use.getOwner()); });
  builder.setInsertionPoint(written.getOwner());
  Value result = insert(builder, loc, written.get(), filled, interior);
  if (!isWhole(region))
    result = insert(builder, loc, result, argument, region);
  written.set(result);
}

plan::KernelOp makeCopyKernel(OpBuilder &builder, Location loc, StringRef name, RankedTensorType type) {
  int64_t axis = 0;
  while (axis + 1 < type.getRank() && type.getDimSize(axis) == 1)
    ++axis;
  int64_t extent = type.getRank() == 0 ? 1 : type.getDimSize(axis);
  auto kernel = plan::KernelOp::create(builder, loc, builder.getStringAttr(name), plan::KernelKind::Nest,
                                       /*num_inputs=*/1, axis, extent, /*grain=*/1, /*encodings=*/ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&kernel.getBody(), {}, {type, type}, {loc, loc});
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, loc, type, block->getArgument(0), block->getArgument(1), ArrayRef<AffineMap>{identity, identity},
      iterators, [](OpBuilder &b, Location at, ValueRange scalars) { linalg::YieldOp::create(b, at, scalars[0]); });
  plan::YieldOp::create(builder, loc, copy.getResult(0));
  return kernel;
}

} // namespace nacre::kernels
