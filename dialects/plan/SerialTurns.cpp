// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/SerialTurns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::plan {

/// Of a loop whose turns data decide.
static constexpr double kUnknownTurns = 8;

double countPoints(scf::ForallOp points) {
  double count = 1;
  for (auto [end, step] : llvm::zip_equal(points.getStaticUpperBound(), points.getStaticStep()))
    count *= double((end + step - 1) / step);
  return count;
}

double countTurns(scf::ForallOp points, Operation *op) {
  double turns = 1;
  for (Operation *around = op->getParentOp(); around != points; around = around->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(around)) {
      std::optional<APInt> known = loop.getStaticTripCount();
      turns *= known ? double(known->getZExtValue()) : kUnknownTurns;
    } else if (isa<scf::WhileOp>(around)) {
      turns *= kUnknownTurns;
    }
  }
  return turns;
}

} // namespace nacre::plan
