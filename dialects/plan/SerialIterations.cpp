// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/SerialIterations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::plan {

/// The assumed number of iterations of a data-dependent loop inside a kernel. Such loops are short: the steps of a
/// search, or of a heap, for one point. ControlFlow.h has another estimate, for loops around launches.
static constexpr double kUnknownIterationsInside = 8;

double countPoints(scf::ForallOp points) {
  double count = 1;
  for (auto [end, step] : llvm::zip_equal(points.getStaticUpperBound(), points.getStaticStep()))
    count *= double(llvm::divideCeil(end, step));
  return count;
}

double countIterations(scf::ForallOp points, Operation *op) {
  double iterations = 1;
  for (Operation *around = op->getParentOp(); around != points; around = around->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(around)) {
      std::optional<APInt> known = loop.getStaticTripCount();
      iterations *= known ? double(known->getZExtValue()) : kUnknownIterationsInside;
    } else if (isa<scf::WhileOp>(around)) {
      iterations *= kUnknownIterationsInside;
    }
  }
  return iterations;
}

} // namespace nacre::plan
