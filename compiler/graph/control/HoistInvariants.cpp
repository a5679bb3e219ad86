// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves operators that compute the same value in every iteration out of loops, and constants out of all regions. They
// are then computed once. Also, later passes on weights handle only values outside of loops.
//
// Inner bodies are visited first, and each body in order, so that operators that depend on moved ones also move. A
// branch keeps its operators, because a branch that is not taken must cost nothing.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

namespace nacre::graph {
#define GEN_PASS_DEF_HOISTINVARIANTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// True if all operands of `op`, and of operators in its regions, are defined outside of `around` or inside of `op`.
bool isInvariant(Operation *op, Operation *around) {
  WalkResult walk = op->walk([&](Operation *inner) {
    return llvm::all_of(inner->getOperands(),
                        [&](Value value) { return isOutside(value, around) || !isOutside(value, op); })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

struct HoistInvariants : impl::HoistInvariantsPassBase<HoistInvariants> {
  void runOnOperation() override {
    for (Operation *around : findControl(getOperation()))
      for (Region &region : around->getRegions())
        for (Operation &op : llvm::make_early_inc_range(region.front().without_terminator())) {
          const bool isLoop = !isa<nn::IfOp>(around);
          const bool isKnown = op.getNumResults() == 1 && isConstant(op.getResult(0));
          if (!isKnown && !(isLoop && isInvariant(&op, around)))
            continue;
          op.moveBefore(around);
          ++numMoved;
        }
  }
};

} // namespace

} // namespace nacre::graph
