// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits serial kernels. One invocation executes the program of a point.
// Why:   the order within a program must be kept, but points are independent of each other.
// How:   1. count the points of a row of workgroups, the last loop fastest, so that adjacent invocations read adjacent
//           elements;
//        2. emit the program (SerialProgram.h), whose scratch is in variables of the invocation;
//        3. write the halos.

#include "codegen/form/serial/SerialProgram.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/points/PointBuilder.h"
#include "codegen/gpu/points/PointGrid.h"
#include "codegen/gpu/points/ShaderEngine.h"
#include "dialects/NumberText.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"
#include "dialects/plan/SerialIterations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

/// Limit of the scratch of an invocation in bytes. A larger one would be in memory, once for each invocation.
constexpr int64_t kMostScratchBytes = 1024;

/// Limit of the sequential steps of an invocation. With more steps, a device's watchdog may assume that it hangs.
constexpr double kMostIterations = 1 << 20;

class SerialEmitter {
public:
  SerialEmitter(const SerialForm &form, KernelFunction &function)
      : form(form), points(form.points), function(function), build(function) {}

  LogicalResult run() {
    if (!isTaken())
      return failure();
    chooseGrid();
    ShaderEngine engine(build, function);
    Value thread = build.add(build.multiply(function.group, function.workgroupSize), function.invocation);
    build.loop(grid.iterations, [&](Value iteration) {
      Value counter = build.add(thread, build.multiply(iteration, grid.threads)), inside;
      SmallVector<Value> indices = indicesOf(counter, inside);
      build.onlyIf(inside, [&] { SerialProgram(build.ops, build.loc, form, engine).emit(indices); });
    });
    for (auto [written, axis] : llvm::zip_equal(form.written, form.cutAxes))
      if (written.haloValue)
        emitHalo(function, written, axis, begin, form.isDivided() ? end : build.index(written.slice.shape[axis]));
    return success();
  }

private:
  /// True if the kernel can be emitted; otherwise, sets `function.declined`.
  bool isTaken() {
    int64_t scratch = 0;
    double most = 0;
    points.getBody()->walk([&](Operation *op) {
      if (!ShaderEngine::knows(op))
        function.declined = op->getName().getStringRef().str() + " has no form in SPIR-V";
      if (auto own = dyn_cast<tensor::EmptyOp>(op))
        scratch += storedBytes(own.getType());
      most = std::max(most, plan::countIterations(points, op));
      function.flops += plan::countPoints(points) * plan::countIterations(points, op) *
                        isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op);
    });
    if (most > kMostIterations)
      function.declined = "an invocation may take " + std::to_string(int64_t(kMostIterations)) +
                          " steps, but a point needs " + describeNumber(most);
    if (scratch > kMostScratchBytes)
      function.declined = "an invocation may have " + std::to_string(kMostScratchBytes) +
                          " bytes for itself, but a point needs " + std::to_string(scratch);
    return function.declined.empty();
  }

  void chooseGrid() {
    int64_t perIndex = 1;
    for (unsigned loop = 1; loop < form.loops(); ++loop)
      perIndex *= form.extentOf(loop);
    pointsPerIndex = perIndex;
    const int64_t extent = int64_t(llvm::divideCeil(form.cutExtent, form.grain));
    constexpr int64_t kSmall = 64, kLarge = 128, kManyPoints = 65536;
    function.workgroupSize = extent * perIndex >= kManyPoints ? kLarge : kSmall;
    grid = choosePointGrid(extent, 1, perIndex, function.workgroupSize);
    function.unitExtent = grid.unitExtent * form.grain;
    function.groups = grid.groups;
    begin = build.index(0);
    end = build.index(form.cutExtent);
    if (form.isDivided()) {
      begin = build.add(function.shareBegin, build.multiply(function.row, function.unitExtent));
      end = arith::MinUIOp::create(build.ops, build.loc, build.add(begin, build.index(function.unitExtent)),
                                   function.shareEnd);
    }
  }

  /// Returns the point with index `counter`. Sets `inside` to a condition that is false if there is no such point.
  SmallVector<Value> indicesOf(Value counter, Value &inside) {
    SmallVector<Value> indices(form.loops());
    if ((grid.unitExtent * pointsPerIndex) % grid.threads != 0)
      inside = build.below(counter, build.index(grid.unitExtent * pointsPerIndex));
    for (unsigned loop = form.loops() - 1; loop > 0; --loop) {
      Value size = build.index(form.extentOf(loop));
      indices[loop] = arith::RemUIOp::create(build.ops, build.loc, counter, size);
      counter = arith::DivUIOp::create(build.ops, build.loc, counter, size);
    }
    indices[0] = build.add(begin, build.multiply(counter, form.grain));
    if (form.isDivided())
      inside = build.both(inside, build.below(indices[0], end));
    return indices;
  }

  const SerialForm &form;
  scf::ForallOp points;
  KernelFunction &function;
  PointBuilder build;
  PointGrid grid;
  int64_t pointsPerIndex = 1;
  Value begin, end; ///< Range of the cut axis that a row of workgroups computes.
};

} // namespace

LogicalResult emitSerial(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<SerialForm> form = parseSerial(kernel);
  if (failed(form)) {
    function.declined = "not the form of docs/phases/kernels.md";
    return failure();
  }
  return SerialEmitter(*form, function).run();
}

} // namespace nacre::codegen::gpu
