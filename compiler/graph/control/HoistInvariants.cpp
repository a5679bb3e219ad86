// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  moves out of loops what is the same in every iteration, and constants out of everything.
// Why:   it is computed once then; and what later passes do to weights they do to values outside of loops.
// How:   bodies inside of others first, each in order, so that what follows from what was moved is moved, too. A branch keeps what
//        it computes: where it is not taken it must cost nothing.

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

/// Whether all that `op` and what is in it read is computed outside of `around`, or in `op`.
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
