// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/serial/SerialForm.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-form"

using namespace mlir;

namespace nacre::codegen {

namespace {

LogicalResult misfit(Operation *op, const char *reason) {
  LDBG() << op->getName() << ": " << reason;
  return failure();
}

/// Returns the axis of the result with index `result` on which the first loop's counter selects a slice.
std::optional<unsigned> cutAxisOf(scf::ForallOp points, unsigned result) {
  for (Operation *user : points.getRegionIterArgs()[result].getUsers())
    if (auto part = dyn_cast<tensor::ExtractSliceOp>(user))
      for (auto [axis, offset] : llvm::enumerate(part.getMixedOffsets()))
        if (offset == OpFoldResult(points.getInductionVar(0)))
          return axis;
  return std::nullopt;
}

} // namespace

FailureOr<SerialForm> parseSerial(plan::KernelOp kernel) {
  SerialForm form;
  auto loops = kernel.getBody().front().getOps<scf::ForallOp>();
  FailureOr<SmallVector<WrittenValue, 1>> written = findWritten(kernel);
  if (loops.empty() || failed(written))
    return misfit(kernel, "there must be a loop over points that writes static slices");
  form.points = *loops.begin();
  form.cutExtent = kernel.getCutExtent();
  form.grain = kernel.getGrain();
  const unsigned results = form.points.getNumResults();
  form.written.resize(results);
  form.cutAxes.resize(results, 0);
  SmallVector<bool> seen(results);
  for (WrittenValue &target : *written) {
    if (target.value.getDefiningOp() != form.points)
      return misfit(kernel, "a target must be a result of the points");
    const unsigned result = cast<OpResult>(target.value).getResultNumber();
    seen[result] = true;
    form.written[result] = std::move(target.tensor);
    std::optional<unsigned> axis = cutAxisOf(form.points, result);
    if (form.isDivided() && !axis)
      return misfit(form.points, "every result must be divided along the cut axis");
    form.cutAxes[result] = form.isDivided() ? *axis : 0;
  }
  if (llvm::is_contained(seen, false))
    return misfit(form.points, "every result must be written");
  return form;
}

} // namespace nacre::codegen
