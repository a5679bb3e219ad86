// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/entries/InPlace.h"

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::kernels {

/// True if both engines write each sum once. Tiles of a GPU may overlap, but only one tile writes each element. Tiles
/// of a convolution on the CPU may overlap and write an element twice. So if an operand is read in windows, its last
/// axis must have a parallel loop other than the loop over columns. Products of matrices and gradients of filters meet
/// this condition.
static bool isComputedOnce(linalg::GenericOp product) {
  const auto iterators = product.getIteratorTypesArray();
  AffineMap result = product.getIndexingMapsArray().back();
  auto isOfRows = [&](AffineMap map) {
    if (map.isProjectedPermutation())
      return true;
    auto last = dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 1));
    return last && iterators[last.getPosition()] == utils::IteratorType::parallel &&
           last != result.getResult(result.getNumResults() - 1);
  };
  return llvm::all_of(product.getIndexingMapsArray(), isOfRows);
}

/// Returns the map that ends a kernel: a nest that consists of a map, or the epilogue of a reduction or contraction.
/// The sums of the latter must be computed once, or read in parts. They stay in registers or scratch until the map has
/// read all its operands.
static linalg::GenericOp findMap(plan::KernelOp kernel) {
  auto generics = llvm::to_vector(kernel.getBody().getOps<linalg::GenericOp>());
  linalg::GenericOp last = generics.empty() ? linalg::GenericOp() : generics.back();
  if (kernel.getKind() == plan::KernelKind::Nest && generics.size() == 1)
    return last;
  const bool isContraction = kernel.getKind() == plan::KernelKind::Contraction;
  if (generics.size() != 2 || !(isContraction || kernel.getKind() == plan::KernelKind::Nest))
    return {};
  auto isPart = [](Operation *user) { return isa<tensor::ExtractSliceOp>(user); };
  const bool isOnce =
      (isContraction && llvm::all_of(generics.front()->getUsers(), isPart)) || isComputedOnce(generics.front());
  return isOnce ? last : linalg::GenericOp();
}

/// True if only the final map of the kernel reads `input`, and it reads each element where it writes that element.
static bool readsWhereItWrites(plan::KernelOp kernel, unsigned input) {
  BlockArgument read = kernel.getInputs()[input];
  linalg::GenericOp map = findMap(kernel);
  if (!map || map.getNumReductionLoops() != 0)
    return false;
  auto isThere = [&](OpOperand &use) { return use.getOwner() == map && map.getMatchingIndexingMap(&use).isIdentity(); };
  auto isWrittenThere = [&](OpOperand &target) { return map.getMatchingIndexingMap(&target).isIdentity(); };
  auto isLikeIt = [&](BlockArgument output) {
    return cast<ShapedType>(output.getType()).getShape() == cast<ShapedType>(read.getType()).getShape();
  };
  return llvm::all_of(kernel.getOutputs(), isLikeIt) && llvm::all_of(map.getDpsInitsMutable(), isWrittenThere) &&
         llvm::all_of(read.getUses(), isThere);
}

namespace {

class ReadersCheck {
public:
  explicit ReadersCheck(Operation *step) : step(step) {
    if (auto launch = dyn_cast<plan::LaunchOp>(step))
      kernel = SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(launch, launch.getKernelAttr());
  }

  /// True if all readers of `tensor` come before the end of `step`. `isWhole` is true if the elements of the tensor lie
  /// at the same positions as the elements of the old value.
  bool areEarly(Value tensor, bool isWhole) {
    if (!seen.insert(tensor).second)
      return true;
    return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
      Operation *reader = step->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!reader)
        return true; // It is before the branch or in the other branch.
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
  return writer && writer->getBlock() == block && ReadersCheck(writer).areEarly(old, /*isWhole=*/true);
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
