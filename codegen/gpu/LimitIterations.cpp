// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/LimitIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

/// Assumed limit for the iterations of a loop with a data-dependent end. A search, a path in a heap or a long division
/// has one iteration for each bit of an index.
constexpr int64_t kMostOfUnknown = 32;
/// Limit of the operations of an unrolled body. More operations would make shaders large and slow.
constexpr int64_t kMostOperations = 4096;

/// Returns the number of iterations after which `counter < end` is false. Returns `nullopt` if `counter` does not begin
/// with a constant, or does not grow by a constant.
std::optional<int64_t> iterationsUntil(scf::WhileOp loop, Value counter, Value end) {
  auto before = dyn_cast<BlockArgument>(counter);
  const std::optional<int64_t> last = getConstantIntValue(end);
  if (!last || !before || before.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  const std::optional<int64_t> first = getConstantIntValue(loop.getInits()[before.getArgNumber()]);
  auto next = loop.getYieldedValues()[before.getArgNumber()].getDefiningOp<arith::AddIOp>();
  // In an unsigned comparison, a negative end or beginning is a large value.
  if (!first || *first < 0 || *last < 0 || !next)
    return std::nullopt;
  auto after = dyn_cast<BlockArgument>(next.getLhs());
  const std::optional<int64_t> step = getConstantIntValue(next.getRhs());
  if (!step || *step <= 0 || !after || after.getOwner() != loop.getAfterBody() ||
      loop.getConditionOp().getArgs()[after.getArgNumber()] != counter)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*last - *first, *step));
}

/// Returns the largest number of iterations of `loop` while `condition` holds. Returns `nullopt` if no counter limits
/// it.
std::optional<int64_t> iterationsWhile(scf::WhileOp loop, Value condition) {
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    const std::optional<int64_t> left = iterationsWhile(loop, both.getLhs());
    return left ? left : iterationsWhile(loop, both.getRhs());
  }
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!comparison ||
      !llvm::is_contained({arith::CmpIPredicate::slt, arith::CmpIPredicate::ult}, comparison.getPredicate()))
    return std::nullopt;
  return iterationsUntil(loop, comparison.getLhs(), comparison.getRhs());
}

/// Returns the largest number of iterations of `op`; 1 if it is not a loop.
double mostIterations(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return double(iterationsWhile(loop, loop.getConditionOp().getCondition()).value_or(kMostOfUnknown));
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return 1;
  if (std::optional<APInt> known = loop.getStaticTripCount())
    return double(known->getZExtValue());
  // Invocations that share a loop begin with their own index, which may be 0.
  const std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound()),
                               step = getConstantIntValue(loop.getStep());
  return end && step && *step > 0 ? double(llvm::divideCeil(*end, *step)) : kMostOfUnknown;
}

/// Returns the total number of iterations of `op` in an invocation.
double totalIterations(Operation *op, Operation *function) {
  double total = 1;
  for (Operation *around = op; around != function; around = around->getParentOp())
    total *= mostIterations(around);
  return total;
}

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// Returns the number of operations in `loop`; `nullopt` if there are loops among them.
std::optional<int64_t> operationsOf(scf::ForOp loop) {
  int64_t count = 0;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    ++count;
    return isLoop(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() ? std::nullopt : std::optional(count);
}

/// Returns the innermost loop with the largest number of iterations that can be unrolled. Null if there is no such
/// loop.
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

/// Unrolls loops until the function is within the limit. Returns false if that is impossible.
bool unrollToLimit(mlir::gpu::GPUFuncOp function) {
  while (!isWithinLimit(function)) {
    scf::ForOp loop = longestLoop(function);
    if (!loop || failed(loopUnrollByFactor(loop, 2)))
      return false;
  }
  return true;
}

} // namespace

bool limitIterations(mlir::gpu::GPUFuncOp function) {
  if (isWithinLimit(function))
    return true;
  // First, test on a copy whether unrolling suffices. If it does not, other GPUs may still use the shader, which must
  // not become larger. Then unroll the function itself, because other objects refer to its values.
  const OwningOpRef<mlir::gpu::GPUFuncOp> copy(function.clone());
  return unrollToLimit(*copy) && unrollToLimit(function);
}

} // namespace nacre::codegen::gpu
