// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/Overwritten.h"
#include "compiler/kernels/entries/InPlace.h"

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace nacre::kernels {

/// True if another launch in the same block computes the input, and only this launch reads it.
static bool isReadHereAlone(plan::LaunchOp launch, unsigned input) {
  Value computed = launch.getInputs()[input];
  while (computed.hasOneUse() && isa_and_present<nn::ReshapeOp>(computed.getDefiningOp()))
    computed = computed.getDefiningOp()->getOperand(0);
  auto writer = computed.getDefiningOp<plan::LaunchOp>();
  return computed.hasOneUse() && writer && writer->getBlock() == launch->getBlock();
}

/// Returns the index of the input whose elements the kernel reads before it may overwrite them with its result. Returns
/// `nullopt` if there is no such input.
static std::optional<unsigned> findReadWhereWritten(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Attention || kernel.getOutputs().size() != 1)
    return std::nullopt;
  // The products loop over [batches..., rows, keys | depth] and [batches..., rows, columns | keys]; sweeps and sums
  // have fewer loops.
  unsigned most = 0;
  for (auto generic : kernel.getBody().getOps<linalg::GenericOp>())
    most = std::max(most, unsigned(generic.getNumLoops()));
  SmallVector<linalg::GenericOp> products;
  for (auto generic : kernel.getBody().getOps<linalg::GenericOp>())
    if (generic.getNumLoops() == most)
      products.push_back(generic);
  if (products.size() != 2)
    return std::nullopt;
  auto queries = dyn_cast<BlockArgument>(products[0].getInputs().front());
  // The queries may also be read before the products, for sums of their codes.
  auto isOfProduct = [&](Operation *user) { return user == products[0] || user->isBeforeInBlock(products[0]); };
  if (!queries || !llvm::all_of(queries.getUsers(), isOfProduct) ||
      queries.getType() != kernel.getOutputs().front().getType())
    return std::nullopt;
  // Columns of the result must lie in memory where the depth of the queries lies.
  const unsigned loops = products[0].getNumLoops();
  MLIRContext *context = kernel.getContext();
  AffineExpr columns = getAffineDimExpr(loops - 2, context), depth = getAffineDimExpr(loops - 1, context);
  AffineMap read = products[0].getIndexingMapsArray().front().replace(depth, columns, loops, 0);
  // If the result has an epilogue, it writes the sums in place.
  const bool isThere = read == products[1].getIndexingMapsArray().back();
  return isThere ? std::optional(queries.getArgNumber()) : std::nullopt;
}

std::optional<unsigned> findOverwritten(plan::LaunchOp launch, plan::KernelOp kernel) {
  if (!plan::isOnCpu(launch) || launch->getNumResults() != 1)
    return std::nullopt;
  std::optional<unsigned> input = findReadWhereWritten(kernel);
  return input && isReadHereAlone(launch, *input) ? input : std::nullopt;
}

Value findOverwrittenState(plan::OutputOp output, const llvm::StringMap<Value> &states) {
  auto writer = output.getValue().getDefiningOp<plan::LaunchOp>();
  if (!output->hasAttr(plan::kBecomesState) || !writer)
    return {};
  Value state = states.lookup(output.getName());
  return state && mayOverwrite(state, output.getValue(), output->getBlock()) ? state : Value();
}

llvm::StringMap<Value> findStates(ArrayRef<Operation *> operations) {
  llvm::StringMap<Value> states;
  for (Operation *op : operations)
    if (auto storage = dyn_cast<plan::StorageOp>(op); storage && storage.getRole() == plan::Role::State)
      states[*storage.getName()] = storage.getResult();
  return states;
}

llvm::StringMap<Value> findOverwritableStates(ArrayRef<Operation *> operations) {
  return llvm::any_of(operations, plan::mayBeEndless) ? llvm::StringMap<Value>() : findStates(operations);
}

} // namespace nacre::kernels
