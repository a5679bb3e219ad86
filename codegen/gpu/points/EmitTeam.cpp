// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits serial kernels that contain parallel loops. One workgroup executes the program of a point.
// Why:   a recurrence's iterations are sequential, but in each of them, a row of the batch is work for hundreds of
//        invocations.
// How:   all invocations execute the program. They share the iterations of parallel loops, with a barrier after each
//        loop. The point's scratch is in shared memory, and only parallel loops write it.
//
// In the variant with many invocations, each computes one sum. In the variant with few invocations, which runs on any
// device, each computes several sums. The program defines the order of each sum, so both variants return the same bits.

#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/GpuMachines.h"
#include "codegen/gpu/points/ShaderEngine.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"
#include "dialects/plan/SerialIterations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

/// Numbers of invocations of a workgroup: on any device, and on devices that have registers for weights. The latter is
/// a multiple of kTogether.
constexpr int64_t kFew = 128, kMany = 512, kTogether = 32;
/// Number of registers that keep weights, of 128 per invocation on NVIDIA's GPUs. With 96, an iteration of an LSTM with
/// 128 units takes 1.8 us on an H200. It takes 2.7 us with 64 registers, and 4.8 us with half as many registers and
/// twice the invocations.
constexpr int64_t kKept = 96;
constexpr uint32_t kFamiliesThatKeep = maskOf(NACRE_GPU_NVIDIA) | maskOf(NACRE_GPU_AMD);
constexpr int64_t kMostShared = 16 << 10; ///< Size in bytes of the shared memory that every device has.
/// Limit of the sequential steps of an invocation, as in other serial kernels.
constexpr double kMostSteps = 1 << 20;

int64_t iterationsOf(scf::ForOp loop) { return loop.getStaticTripCount()->getSExtValue(); }

bool isParallel(Operation *op) { return op->hasAttr(plan::kParallel); }

/// Loads inputs before a loop if an invocation reads the same address in all iterations, as long as registers are free.
/// In a recurrence, this keeps a part of the weights in registers.
class TeamEngine final : public ShaderEngine {
public:
  TeamEngine(PointBuilder &build, KernelFunction &function, unsigned inputs, int64_t kept)
      : ShaderEngine(build, function), inputs(inputs), free(kept), keepsWeights(kept > 0) {}

  Value load(Value value, const Place &place, Value address) override {
    Operation *around = outermostLoop();
    if (free == 0 || !isAlone || !around || !place.argument || *place.argument >= inputs ||
        !isInvariant(address, around))
      return ShaderEngine::load(value, place, address);
    --free;
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPoint(around);
    IRMapping copies;
    copyTo(address, around, copies);
    return ShaderEngine::load(value, place, copies.lookupOrDefault(address));
  }

  Value allocate(RankedTensorType type) override {
    return function.shared(type.getNumElements(), storedType(type.getElementType()));
  }

  bool parallel(ArrayRef<scf::ForOp> loops, Iteration iteration) override {
    int64_t count = 1;
    for (scf::ForOp loop : loops)
      count *= iterationsOf(loop);
    const int64_t size = function.workgroupSize;
    isInIteration = true;
    isAlone = count == size;
    build.loop(llvm::divideCeil(count, size), [&](Value number) {
      Value at = build.add(build.multiply(number, size), function.invocation);
      build.onlyIf(count % size == 0 ? Value() : build.below(at, build.index(count)), [&] {
        SmallVector<Value> counters(loops.size());
        for (size_t loop = loops.size(); loop-- > 1;) {
          Value iterations = build.index(iterationsOf(loops[loop]));
          counters[loop] = arith::RemUIOp::create(build.ops, build.loc, at, iterations);
          at = arith::DivUIOp::create(build.ops, build.loc, at, iterations);
        }
        counters[0] = at;
        iteration(counters);
      });
    });
    isInIteration = isAlone = false;
    build.barrier();
    return true;
  }

  /// Unrolls loops, so that the loads of several steps are in flight simultaneously. Kept weights need constant
  /// addresses, so their loop is unrolled completely.
  int64_t iterationsAtOnce(scf::ForOp loop) const override {
    std::optional<APInt> iterations = loop.getStaticTripCount();
    const std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!isInIteration || !iterations || step != 1)
      return 1;
    if (isAlone && keepsWeights && iterations->getSExtValue() <= kMostWritten)
      return iterations->getSExtValue();
    int64_t count = kAtOnce;
    while (iterations->getSExtValue() % count != 0)
      count /= 2;
    return count;
  }

private:
  static constexpr int64_t kAtOnce = 16, kMostWritten = 256;

  /// Returns the outermost sequential loop around the current operation.
  Operation *outermostLoop() {
    Operation *outermost = nullptr;
    for (Operation *op = build.ops.getInsertionBlock()->getParentOp(); isa<scf::ForOp, scf::IfOp>(op);
         op = op->getParentOp())
      outermost = isa<scf::ForOp>(op) ? op : nullptr;
    return outermost;
  }

  static bool isInvariant(Value value, Operation *loop) {
    if (!loop->isAncestor(value.getParentBlock()->getParentOp()))
      return true;
    Operation *op = value.getDefiningOp();
    return op && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, loop); });
  }

  /// Copies the operations in `loop` that compute `value` to a place before the loop.
  void copyTo(Value value, Operation *loop, IRMapping &copies) {
    if (copies.contains(value) || !loop->isAncestor(value.getParentBlock()->getParentOp()))
      return;
    for (Value operand : value.getDefiningOp()->getOperands())
      copyTo(operand, loop, copies);
    build.ops.clone(*value.getDefiningOp(), copies);
  }

  const unsigned inputs;
  int64_t free; ///< Number of free registers for values that are loaded before loops.
  const bool keepsWeights;
  /// `isAlone` is true if each invocation has exactly one iteration of the parallel loop.
  bool isInIteration = false, isAlone = false;
};

class TeamEmitter {
public:
  TeamEmitter(plan::KernelOp kernel, const SerialForm &form, KernelFunction &function)
      : kernel(kernel), form(form), function(function), build(function) {}

  LogicalResult run() {
    if (!isTaken())
      return failure();
    function.variants = mostIterations > kFew ? 2 : 1;
    const bool isLast = function.variant + 1 == function.variants;
    function.workgroupSize = isLast ? kFew : std::min<int64_t>(kMany, llvm::alignTo(mostIterations, kTogether));
    function.families = isLast ? 0 : kFamiliesThatKeep;
    function.unitExtent = 1;
    function.groups = 1;
    TeamEngine engine(build, function, kernel.getNumInputs(), isLast ? 0 : kKept);
    Value point = build.add(function.shareBegin, function.row);
    SerialProgram(build.ops, build.loc, form, engine).emit(point);
    for (auto [written, axis] : llvm::zip_equal(form.written, form.cutAxes))
      if (written.haloValue)
        emitHalo(function, written, axis, point, build.add(point, build.index(1)));
    return success();
  }

private:
  bool isTaken() {
    scf::ForallOp points = form.points;
    int64_t shared = 0;
    double steps = 0;
    points.getBody()->walk([&](Operation *op) {
      if (!ShaderEngine::knows(op))
        function.declined = op->getName().getStringRef().str() + " has no form in SPIR-V";
      if (auto own = dyn_cast<tensor::EmptyOp>(op))
        shared += storedBytes(own.getType());
      const double iterations = plan::countIterations(points, op);
      steps = std::max(steps, iterations);
      function.flops +=
          plan::countPoints(points) * iterations * isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op);
      if (isParallel(op))
        noteIterations(cast<scf::ForOp>(op));
    });
    if (mostIterations == 0)
      function.declined = "no iterations may run in parallel";
    else if (form.loops() != 1 || form.grain != 1)
      function.declined = "a workgroup must have a point of one loop";
    else if (shared > kMostShared)
      function.declined = "the values of a point must fit into " + std::to_string(kMostShared) +
                          " bytes of shared memory, but take " + std::to_string(shared);
    else if (steps / double(std::min(kFew, mostIterations)) > kMostSteps)
      function.declined = "an invocation may take " + std::to_string(int64_t(kMostSteps)) + " steps, but needs more";
    return function.declined.empty();
  }

  void noteIterations(scf::ForOp loop) {
    int64_t iterations = iterationsOf(loop);
    for (Operation *around = loop->getParentOp(); isParallel(around); around = around->getParentOp())
      iterations *= iterationsOf(cast<scf::ForOp>(around));
    mostIterations = std::max(mostIterations, iterations);
  }

  plan::KernelOp kernel;
  const SerialForm &form;
  KernelFunction &function;
  PointBuilder build;
  int64_t mostIterations = 0; ///< Largest number of iterations that may run in parallel.
};

} // namespace

LogicalResult emitTeam(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<SerialForm> form = parseSerial(kernel);
  if (failed(form)) {
    function.declined = "not the form of docs/phases/kernels.md";
    return failure();
  }
  return TeamEmitter(kernel, *form, function).run();
}

} // namespace nacre::codegen::gpu
