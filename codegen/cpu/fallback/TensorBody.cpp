// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/fallback/TensorBody.h"

#include "dialects/plan/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

SmallVector<OpFoldResult> asIndices(Builder &builder, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

/// Returns the operand that decides where `result` is computed: follows the destinations of linalg operations back to
/// the first one.
OpOperand *firstDestination(OpResult result) {
  OpOperand *destination = cast<linalg::LinalgOp>(result.getOwner()).getDpsInitOperand(result.getResultNumber());
  auto former = dyn_cast<OpResult>(destination->get());
  return former && isa<linalg::LinalgOp>(former.getOwner()) ? firstDestination(former) : destination;
}

class BodyCopier {
  template <typename Op, typename... Args> auto create(Args &&...args) {
    return Op::create(rewriter, function.loc, std::forward<Args>(args)...);
  }

public:
  BodyCopier(plan::KernelOp kernel, const KernelFunction &function, IRRewriter &rewriter)
      : kernel(kernel), function(function), rewriter(rewriter),
        func(cast<func::FuncOp>(Value(function.begin).getParentRegion()->getParentOp())) {}

  void copy() {
    IRMapping mapping;
    SmallVector<Value> memories;
    for (auto [argument, buffer] : llvm::zip(kernel.getBody().getArguments(), function.buffers)) {
      auto type = cast<RankedTensorType>(argument.getType());
      auto memory = create<memref::ReinterpretCastOp>(MemRefType::get(type.getShape(), type.getElementType()), buffer,
                                                      /*offset=*/0, type.getShape(), computeStrides(type.getShape()));
      const bool written = static_cast<int64_t>(argument.getArgNumber()) >= kernel.getNumInputs();
      mapping.map(argument, create<bufferization::ToTensorOp>(type, memory, /*restrict=*/true, written));
      if (written)
        memories.push_back(memory);
    }
    for (Operation &op : kernel.getBody().front().without_terminator())
      plan::expandScalars(rewriter.clone(op, mapping));

    // Give every operation a separate destination, so that each can be in a different place.
    SmallVector<linalg::FillOp> fills(func.getOps<linalg::FillOp>());
    for (linalg::FillOp fill : fills)
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(fill.getResult(0).getUses())))
        if (isa<linalg::LinalgOp>(use.getOwner())) {
          rewriter.setInsertionPoint(fill);
          use.set(rewriter.clone(*fill)->getResult(0));
        }

    auto yield = cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
    for (auto [memory, argument, yielded] : llvm::zip(memories, kernel.getOutputs(), yield.getValues())) {
      Value contents = mapping.lookup(argument);
      for (OutputSlice &output : readOutputSlices(contents, mapping.lookupOrDefault(yielded))) {
        output.memory = memory;
        contents = writeInPlace(output, contents);
        outputs.push_back(std::move(output));
      }
      create<bufferization::MaterializeInDestinationOp>(TypeRange(), contents, memory, /*restrict=*/false,
                                                        /*writable=*/true);
    }

    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  }

  SmallVector<OutputSlice, 1> outputs;

private:
  /// Lets `output` be computed in its slice. `contents` are the contents of its storage before. Returns the contents
  /// after the computation.
  Value writeInPlace(OutputSlice &output, Value contents) {
    const auto type = cast<RankedTensorType>(output.work.getType());
    SmallVector<OpFoldResult> offsets = asIndices(rewriter, output.slice.offsets);
    SmallVector<OpFoldResult> sizes = asIndices(rewriter, output.slice.sizes);
    SmallVector<OpFoldResult> steps = asIndices(rewriter, output.steps);
    const bool whole = type == output.storage.getType();

    Operation *end = func.front().getTerminator();
    rewriter.setInsertionPointAfterValue(output.storage);
    Value slice = output.storage;
    if (!whole)
      slice = create<tensor::ExtractSliceOp>(type, slice, offsets, sizes, steps);

    // Copy values that are not computed by a linalg operation, or that are also written elsewhere.
    const bool again = llvm::any_of(outputs, [&](OutputSlice &other) { return other.work == output.work; });
    if (again || !output.work.getDefiningOp<linalg::LinalgOp>()) {
      rewriter.setInsertionPoint(end);
      output.work = create<linalg::CopyOp>(output.work, slice).getResult(0);
    }
    OpOperand *destination = firstDestination(cast<OpResult>(output.work));
    auto former = destination->get().getDefiningOp<tensor::ExtractSliceOp>();
    if (former && former.getSource().getDefiningOp<linalg::FillOp>() &&
        cast<linalg::LinalgOp>(destination->getOwner()).payloadUsesValueFromOperand(destination)) {
      rewriter.setInsertionPoint(destination->getOwner());
      slice = create<linalg::FillOp>(create<arith::ConstantOp>(output.haloValue).getResult(), slice).getResult(0);
    }
    destination->set(slice);

    rewriter.setInsertionPoint(end);
    if (whole)
      return output.work;
    return create<tensor::InsertSliceOp>(output.work, contents, offsets, sizes, steps);
  }

  plan::KernelOp kernel;
  const KernelFunction &function;
  IRRewriter &rewriter;
  func::FuncOp func;
};

} // namespace

SmallVector<OutputSlice, 1> copyBody(plan::KernelOp kernel, const KernelFunction &function, IRRewriter &rewriter) {
  BodyCopier copier(kernel, function, rewriter);
  copier.copy();
  return std::move(copier.outputs);
}

void decomposePads(func::FuncOp func, IRRewriter &rewriter) {
  for (auto pad : llvm::make_early_inc_range(func.getOps<tensor::PadOp>())) {
    rewriter.setInsertionPoint(pad);
    const Location loc = pad.getLoc();
    RankedTensorType type = pad.getResultType();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    Value filled = linalg::FillOp::create(rewriter, loc, pad.getConstantPaddingValue(), empty).getResult(0);
    SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(pad, pad.getSource(), filled, pad.getMixedLowPad(),
                                                       asIndices(rewriter, pad.getSourceType().getShape()), ones);
  }
}

} // namespace nacre::codegen::cpu
