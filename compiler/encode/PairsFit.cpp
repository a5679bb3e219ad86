// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/PairsFit.h"

#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/Notes.h"

using namespace mlir;
using namespace nacre;

/// Returns the index of the right operand of a contraction of signed bytes. Returns `nullopt` for other kernels.
static std::optional<unsigned> columnsOfBytes(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Contraction && kernel.getKind() != plan::KernelKind::Separable)
    return std::nullopt;
  FailureOr<codegen::PlainContraction> product = encode::readProduct(kernel);
  if (failed(product) || !product->isOfIntegers() || product->isUnsignedLhs || product->isUnsignedRhs)
    return std::nullopt;
  const codegen::ContractionOperand &columns = product->operands[codegen::Contraction::Rhs];
  return columns.elementType.isInteger(8) ? std::optional(columns.argument) : std::nullopt;
}

static bool hasLeastByte(plan::WeightOp weight) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(weight.getValue());
  if (failed(view))
    return true;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  for (int64_t i = 0; i < count; ++i)
    if (int8_t(*view->at(i)) == INT8_MIN)
      return true;
  return false;
}

void encode::notePairsFit(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<plan::KernelOp, unsigned> fitting; ///< Index of the right operand, by kernel.
  for (auto kernel : module.getOps<plan::KernelOp>())
    if (std::optional<unsigned> columns = columnsOfBytes(kernel))
      fitting[kernel] = *columns;
  llvm::DenseMap<Operation *, bool> least; ///< Results of `hasLeastByte`, by weight.
  module.walk([&](plan::LaunchOp launch) {
    auto found = fitting.find(symbols.lookup<plan::KernelOp>(launch.getKernel()));
    if (found == fitting.end())
      return;
    auto use = found->second < launch.getInputs().size()
                   ? launch.getInputs()[found->second].getDefiningOp<plan::UseOp>()
                   : plan::UseOp();
    auto weight = use ? symbols.lookup<plan::WeightOp>(use.getWeight()) : plan::WeightOp();
    if (weight) {
      auto [known, isNew] = least.try_emplace(weight, false);
      if (isNew)
        known->second = hasLeastByte(weight);
      if (!known->second)
        return;
    }
    fitting.erase(found);
  });
  for (auto [kernel, columns] : fitting)
    plan::setPairsFit(kernel);
}
