// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Lowers each group of operators (OperatorGroups.h) to a kernel, and launches it at the position of its last
//    operator.
// 2. Keeps reshapes, slices, concatenations and zero pads, which nacre-assign-storages turns into views. Lowers
//    operators with regions (Regions.h).

#include "compiler/kernels/entries/FormOperators.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/entries/OperatorGroups.h"
#include "compiler/kernels/entries/Regions.h"
#include "compiler/kernels/fusion/MaximumPools.h"
#include "compiler/kernels/fusion/ProductPrologues.h"
#include "compiler/kernels/lowerings/Lowering.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

nn::WorkKind getWorkKind(Operation *op) { return cast<nn::OperatorInterface>(op).getWorkKind(); }

//===----------------------------------------------------------------------===//
// 1. Groups to kernels
//===----------------------------------------------------------------------===//

plan::KernelKind getKernelKind(nn::WorkKind work) {
  switch (work) {
  case nn::WorkKind::Contraction:
    return plan::KernelKind::Contraction;
  case nn::WorkKind::Attention:
    return plan::KernelKind::Attention;
  case nn::WorkKind::Row:
    return plan::KernelKind::Row;
  case nn::WorkKind::Permute:
    return plan::KernelKind::Permute;
  case nn::WorkKind::Indexed:
    return plan::KernelKind::Indexed;
  case nn::WorkKind::Scan:
    return plan::KernelKind::Scan;
  case nn::WorkKind::Serial:
    return plan::KernelKind::Serial;
  case nn::WorkKind::Nest:
  case nn::WorkKind::Elementwise:
    return plan::KernelKind::Nest;
  case nn::WorkKind::Boundary:
    break;
  }
  llvm_unreachable("a boundary is in no kernel");
}

/// Returns the prefix of a kernel's name for its heaviest operator.
StringRef getStem(Operation *op) {
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    return stringifyUnaryKind(unary.getKind());
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return stringifyBinaryKind(binary.getKind());
  return op->getName().stripDialect();
}

LogicalResult formKernel(EntryBuilder &entry, const OperatorGroup &group) {
  SmallVector<Location> locations;
  Operation *first = group.anchor ? group.anchor : group.members.front();
  if (Operation *written = getWritten(first)) {
    locations.push_back(written->getLoc());
    first = written;
  }
  for (Operation *member : group.members)
    locations.push_back(member->getLoc());
  Location loc = FusedLoc::get(entry.getBuilder().getContext(), locations);
  ModulePlan &plan = entry.getPlan();
  const plan::KernelKind kind = group.depthwise ? plan::KernelKind::Separable
                                : group.isRows  ? plan::KernelKind::Row
                                : !group.anchor ? plan::KernelKind::Nest
                                                : getKernelKind(getWorkKind(first));
  KernelBody body(plan.getModule(), kind, plan.makeKernelName(group.depthwise ? "separable" : getStem(first)), group,
                  loc, canCollapseRows(group));
  if (group.depthwise) {
    if (failed(lowerSeparable(body, cast<nn::ConvOp>(group.depthwise), cast<nn::ConvOp>(group.anchor))))
      return failure();
    return entry.launch(body);
  }
  if (group.isRows) {
    if (failed(lowerRows(body)))
      return failure();
    return entry.launch(body);
  }
  if (group.anchor && getUnpooled(group.anchor)) {
    if (failed(lowerImage(body, cast<nn::UnpoolOp>(first), cast<nn::ReshapeOp>(group.anchor))))
      return failure();
    return entry.launch(body);
  }
  const Lowering *lowering = group.anchor ? findLowering(group.anchor) : nullptr;
  if (group.anchor && !lowering)
    return group.anchor->emitOpError("must have a lowering, because it anchors a kernel");
  if (failed(lowering ? lowering->lower(body, group.anchor) : body.finish()))
    return failure();
  return entry.launch(body);
}

//===----------------------------------------------------------------------===//
// 2. Operators without kernels
//===----------------------------------------------------------------------===//

LogicalResult keepBoundary(EntryBuilder &entry, Operation *op) {
  if (hasRegions(op))
    return lowerRegions(entry, op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(entry.lookup(operand));
    if (!operands.back())
      return failure();
  }
  OperationState state(op->getLoc(), op->getName(), operands,
                       getStorageTensorType(cast<RankedTensorType>(op->getResult(0).getType())), op->getAttrs());
  Operation *kept = entry.getBuilder().create(state);
  if (auto pad = dyn_cast<nn::PadOp>(kept))
    pad.setValueAttr(toStorage(pad.getValue()));
  entry.map(op->getResult(0), kept->getResult(0));
  return success();
}

} // namespace

LogicalResult formOperators(EntryBuilder &entry, Block &block) {
  prepareLefts(block);
  prepareCodes(block);
  DenseMap<Operation *, OperatorGroup> groups;
  llvm::DenseSet<Operation *> taken;
  for (OperatorGroup &group : listGroups(block)) {
    taken.insert_range(group.members);
    groups[group.result.getDefiningOp()] = std::move(group);
  }
  for (Operation &op : block.without_terminator()) {
    if (auto group = groups.find(&op); group != groups.end()) {
      if (failed(formKernel(entry, group->second)))
        return failure();
    } else if (getWorkKind(&op) == nn::WorkKind::Boundary && !isa<nn::ConstantOp>(op) && !taken.contains(&op)) {
      if (failed(keepBoundary(entry, &op)))
        return failure();
    }
  }
  return success();
}

} // namespace nacre::kernels
