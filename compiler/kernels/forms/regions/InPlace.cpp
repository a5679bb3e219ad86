// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/forms/regions/InPlace.h"

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::kernels {

/// Whether the kernel is one map that reads `input` at the very element that it writes.
static bool readsWhereItWrites(plan::KernelOp kernel, unsigned input) {
  BlockArgument read = kernel.getInputs()[input];
  auto generics = kernel.getBody().getOps<linalg::GenericOp>();
  if (kernel.getKind() != plan::KernelKind::Nest || kernel.getOutputs().size() != 1 ||
      !llvm::hasSingleElement(generics))
    return false;
  linalg::GenericOp map = *generics.begin();
  auto isThere = [&](OpOperand &use) { return use.getOwner() == map && map.getMatchingIndexingMap(&use).isIdentity(); };
  return map.getNumReductionLoops() == 0 && read.getType() == kernel.getOutputs().front().getType() &&
         map.getMatchingIndexingMap(map.getDpsInitOperand(0)).isIdentity() && llvm::all_of(read.getUses(), isThere);
}

namespace {

class ReadersCheck {
public:
  explicit ReadersCheck(Operation *step) : step(step) {
    if (auto launch = dyn_cast<plan::LaunchOp>(step))
      kernel = SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(launch, launch.getKernelAttr());
  }

  /// Whether all who read `tensor` have done so before `step` is done. `isWhole`: its elements lie as those of the old value.
  bool areEarly(Value tensor, bool isWhole) {
    if (!seen.insert(tensor).second)
      return true;
    return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
      Operation *reader = step->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!reader)
        return true; // in front of the branch, or in the other one
      if (reader == step)
        return !kernel || (isWhole && readsWhereItWrites(kernel, use.getOperandNumber()));
      if (step->isBeforeInBlock(reader))
        return false;
      const bool isView = reader == use.getOwner() && isa<nn::NnDialect>(reader->getDialect());
      return !isView || areEarly(reader->getResult(0), isWhole && isa<nn::ReshapeOp>(reader));
    });
  }

private:
  Operation *step;
  plan::KernelOp kernel;
  llvm::DenseSet<Value> seen;
};

} // namespace

bool isReadBefore(Value old, Operation *step) { return ReadersCheck(step).areEarly(old, /*isWhole=*/true); }

bool mayOverwrite(Value old, Value next, Block *block) {
  while (auto reshape = next.getDefiningOp<nn::ReshapeOp>()) {
    if (reshape->getBlock() != block)
      return false;
    next = reshape.getOperand();
  }
  auto writer = next.getDefiningOp<plan::LaunchOp>();
  return writer && writer->getBlock() == block && isReadBefore(old, writer);
}

bool mayLieIn(Value value, const llvm::DenseSet<Value> &sources) {
  llvm::SetVector<Value> parts;
  parts.insert(value);
  for (size_t next = 0; next < parts.size(); ++next) {
    if (sources.contains(parts[next]))
      return true;
    if (Operation *op = parts[next].getDefiningOp(); op && isa<nn::NnDialect>(op->getDialect()))
      parts.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace nacre::kernels
