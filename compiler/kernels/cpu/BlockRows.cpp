// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs consecutive kernels by blocks of rows if the tensors between them are much wider than both ends. The inner
// tensor in the feed-forward block of a transformer is four times as wide as its ends, so it determines the memory of
// the model. Rows are independent, so each block can reuse the memory of the previous one. In quantized models, both
// ends are bytes, and the f32 rows before a normalization are four times as large.
//
// RowChains.h finds the groups of operators, and RowBlocks.h chooses the number of blocks. Here the operators are
// cloned for each block. Each clone reads views of its rows of all operands. The results are written side by side.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/cpu/RowChains.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_BLOCKROWSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

class ChainBlocks {
public:
  ChainBlocks(IRRewriter &rewriter, const kernels::RowOperators &chain)
      : rewriter(rewriter), chain(chain), rows(chain.sizes.rows), loc(chain.result.getLoc()) {}

  Value emit(ArrayRef<kernels::RowBlock> blocks) {
    SmallVector<Value> results;
    for (const kernels::RowBlock &block : blocks)
      results.push_back(emitBlock(block));
    Value all = nn::ConcatOp::create(rewriter, loc, results, /*axis=*/0);
    return seenAs(all, typeOf(chain.result));
  }

private:
  Value emitBlock(const kernels::RowBlock &block) {
    IRMapping inside;
    for (Operation *op : chain.operators) {
      IRMapping operands = inside;
      for (OpOperand &operand : op->getOpOperands())
        if (kernels::readsRows(operand) && !operands.contains(operand.get()))
          operands.map(operand.get(), takeRows(operand.get(), isa<nn::GatherOp>(op), block));
      Operation *cloned = rewriter.clone(*op, operands);
      RankedTensorType type = typeOf(op->getResult(0));
      cloned->getResult(0).setType(type.clone({block.count, type.getShape().back()}));
      if (auto normalize = dyn_cast<nn::NormalizeOp>(cloned))
        normalize.setAxes(ArrayRef<int64_t>{1});
      inside.map(op->getResult(0), cloned->getResult(0));
    }
    return inside.lookup(chain.result);
  }

  /// Returns the block's rows of `value`. Rows of indices are single elements.
  Value takeRows(Value value, bool isIndices, const kernels::RowBlock &block) {
    RankedTensorType type = typeOf(value);
    if (!isIndices && type.getRank() < 2)
      return value;
    SmallVector<int64_t> shape = {type.getNumElements()};
    if (!isIndices)
      shape = {kernels::countRows(value), type.getShape().back()};
    Value all = seenAs(value, type.clone(shape));
    if (shape.front() != rows)
      return all;
    SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
    starts.front() = block.first;
    shape.front() = block.count;
    return rewriter.createOrFold<nn::SliceOp>(loc, all, starts, shape, steps);
  }

  Value seenAs(Value value, RankedTensorType type) {
    return typeOf(value) == type ? value : rewriter.createOrFold<nn::ReshapeOp>(loc, type, value);
  }

  IRRewriter &rewriter;
  const kernels::RowOperators &chain;
  const int64_t rows;
  Location loc;
};

struct BlockRows : kernels::impl::BlockRowsPassBase<BlockRows> {
  void runOnOperation() override {
    SmallVector<kernels::RowOperators> chains;
    getOperation().walk([&](Block *block) { llvm::append_range(chains, kernels::findRowChains(*block, isGiven)); });
    llvm::for_each(chains, [&](const kernels::RowOperators &chain) { divide(chain); });
  }

  void divide(const kernels::RowOperators &chain) {
    SmallVector<kernels::RowBlock> blocks = kernels::divideRows(chain.sizes);
    if (blocks.size() < 2)
      return;
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPointAfterValue(chain.result);
    rewriter.replaceAllUsesWith(chain.result, ChainBlocks(rewriter, chain).emit(blocks));
    for (Operation *op : llvm::reverse(chain.operators))
      rewriter.eraseOp(op);
    ++numChains;
  }
};

} // namespace
