// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/fallback/LinalgLoops.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <climits>

using namespace mlir;

namespace {

/// Returns how many elements `operand` advances in memory in one iteration of `loop`.
int64_t strideOfLoop(OpOperand &operand, AffineMap map, unsigned loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return 0;
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> at(map.getNumDims(), 0);
  SmallVector<int64_t> origin = map.compose(at);
  at[loop] = 1;
  int64_t step = 0;
  for (auto [stride, to, from] : llvm::zip(strides, map.compose(at), origin))
    step += stride * (to - from);
  return step;
}

/// Returns the loop along which vectors should run: most operands are contiguous along it, and written operands count
/// twice. Reductions keep their order, so only the last reducing loop is a candidate.
unsigned chooseInnermost(linalg::GenericOp op, std::optional<unsigned> heldLoop) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned best = kinds.size() - 1;
  int bestScore = INT_MIN;
  bool lastReduction = true;
  for (unsigned loop = kinds.size(); loop-- > 0;) {
    const bool parallel = kinds[loop] == utils::IteratorType::parallel;
    if (loop == heldLoop || sizes[loop] == 1 || (!parallel && !std::exchange(lastReduction, false)))
      continue;
    int score = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      const int64_t stride = strideOfLoop(operand, op.getMatchingIndexingMap(&operand), loop);
      const int weight = op.isDpsInit(&operand) ? 2 : 1;
      score += stride == 1 ? weight : stride == 0 ? 0 : -weight;
    }
    if (score > bestScore) {
      best = loop;
      bestScore = score;
    }
  }
  return best;
}

} // namespace

LogicalResult nacre::codegen::cpu::lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                                                std::optional<unsigned> heldLoop, Value index) {
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      isa<linalg::GenericOp>(op) ? cast<linalg::GenericOp>(op.getOperation()) : linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic))
    return failure();

  if (const unsigned loops = generic->getNumLoops(); loops > 1) {
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, loops));
    const unsigned innermost = chooseInnermost(*generic, heldLoop);
    order.erase(order.begin() + innermost);
    order.push_back(innermost);
    if (!llvm::is_sorted(order)) {
      rewriter.setInsertionPoint(*generic);
      generic = linalg::interchangeGenericOp(rewriter, *generic, order);
      if (failed(generic))
        return failure();
      if (heldLoop)
        heldLoop = llvm::find(order, *heldLoop) - order.begin();
    }
  }
  rewriter.setInsertionPoint(*generic);
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(rewriter, *generic);
  if (failed(loops))
    return failure();
  rewriter.eraseOp(*generic);
  if (heldLoop) {
    auto loop = cast<scf::ForOp>((*loops)[*heldLoop]);
    rewriter.eraseOp(loop.getBody()->getTerminator());
    rewriter.inlineBlockBefore(loop.getBody(), loop, index);
    rewriter.eraseOp(loop);
  }
  return success();
}
