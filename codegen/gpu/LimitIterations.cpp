// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/LimitIterations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

/// The most iterations of a loop that data end: a search, a heap's path or a long division has one for each bit of an index.
constexpr int64_t kMostOfUnknown = 32;
/// Operations of an unrolled body. More would make shaders large, and they would run slower for it.
constexpr int64_t kMostOperations = 4096;

/// The most iterations of `op`; 1 if it is no loop.
double mostIterations(Operation *op) {
  if (isa<scf::WhileOp>(op))
    return kMostOfUnknown;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return 1;
  if (std::optional<APInt> known = loop.getStaticTripCount())
    return double(known->getZExtValue());
  // Invocations that share a loop begin at their own number.
  const std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound()),
                               step = getConstantIntValue(loop.getStep());
  return end && step && *step > 0 ? double(llvm::divideCeil(*end, *step)) : kMostOfUnknown;
}

/// The iterations of `op` in a whole invocation.
double totalIterations(Operation *op, Operation *function) {
  double total = 1;
  for (Operation *around = op; around != function; around = around->getParentOp())
    total *= mostIterations(around);
  return total;
}

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// The number of operations in `loop`, or nothing if there are loops among them.
std::optional<int64_t> operationsOf(scf::ForOp loop) {
  int64_t count = 0;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    ++count;
    return isLoop(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() ? std::nullopt : std::optional(count);
}

/// The innermost loop with the most iterations that can be unrolled, or null.
scf::ForOp longestLoop(mlir::gpu::GPUFuncOp function) {
  scf::ForOp longest;
  double most = 0;
  function.walk([&](scf::ForOp loop) {
    const double total = totalIterations(loop, function);
    if (total <= most || !loop.getStaticTripCount() || loop.getStaticTripCount()->ult(2))
      return;
    const std::optional<int64_t> operations = operationsOf(loop);
    if (!operations || 2 * *operations > kMostOperations)
      return;
    longest = loop;
    most = total;
  });
  return longest;
}

bool isWithinLimit(mlir::gpu::GPUFuncOp function) {
  double total = 0;
  function.walk([&](Operation *op) {
    if (isLoop(op))
      total += totalIterations(op, function);
  });
  return total <= double(kMostIterations);
}

} // namespace

bool limitIterations(mlir::gpu::GPUFuncOp function) {
  while (!isWithinLimit(function)) {
    scf::ForOp loop = longestLoop(function);
    if (!loop || failed(loopUnrollByFactor(loop, 2)))
      return false;
  }
  return true;
}

} // namespace nacre::codegen::gpu
