// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the weights that are not trained into constants.
// Why: a frozen weight can then be folded and packed as in inference.
// How: it collects the names from all entries, so that each pattern is checked once. Weights that are frozen, or that
//      no pattern matches, are replaced by their initial values. A pattern that matches no name is an error that lists
//      the nearest names.

#include "compiler/train/EntryFunction.h"
#include "compiler/train/Passes.h"
#include "compiler/train/rules/Writer.h"
#include "dialects/NearestNames.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::train {
#define GEN_PASS_DEF_SELECTTRAINABLEPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

/// Returns a constant with the initial value of a weight.
Value writeInitial(OpBuilder &builder, func::FuncOp function, BlockArgument argument) {
  Writer write(builder, argument.getLoc());
  auto initial = function.getArgAttrOfType<ElementsAttr>(argument.getArgNumber(), nn::initialAttr);
  return initial ? nn::ConstantOp::create(builder, argument.getLoc(), initial)
                 : write.zeros(cast<RankedTensorType>(argument.getType()));
}

struct SelectTrainable : impl::SelectTrainablePassBase<SelectTrainable> {
  using SelectTrainablePassBase::SelectTrainablePassBase;

  void runOnOperation() override {
    llvm::SetVector<StringRef> all;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (const auto &[name, argument] : EntryFunction(function).variables(nn::VariableRole::Weight))
        all.insert(name);
    if (failed(checkPatterns("--trainable", trainable, all.getArrayRef())) ||
        failed(checkPatterns("--frozen", frozen, all.getArrayRef())))
      return signalPassFailure();
    TrainingOptions options;
    options.trainable.assign(trainable.begin(), trainable.end());
    options.frozen.assign(frozen.begin(), frozen.end());
    auto isTrained = [&](StringRef name) { return train::isTrained(options, name); };
    if (llvm::none_of(all, isTrained)) {
      emitError(getOperation().getLoc()) << "the model must have a trained weight, but "
                                         << (all.empty() ? "has no f32 weight; train a float model, then quantize it"
                                                         : "--frozen excludes all weights of --trainable");
      return signalPassFailure();
    }
    noteMadeNames(all.getArrayRef(), isTrained);
    // Statistics that no run changes become constants, too.
    llvm::StringSet<> assigned;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned result = 0; result < function.getNumResults(); ++result)
        if (auto name = function.getResultAttrOfType<StringAttr>(result, nn::variableAttr))
          assigned.insert(name.getValue());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      freeze(function, nn::VariableRole::Weight, isTrained);
      freeze(function, nn::VariableRole::Statistic, [&](StringRef name) { return assigned.contains(name); });
    }
  }

  /// Warns about trained weights with names that PyTorch's exporter generated. The next export may generate other
  /// names.
  void noteMadeNames(ArrayRef<StringRef> names, llvm::function_ref<bool(StringRef)> isTrained) {
    for (StringRef name : names)
      if (name.starts_with("onnx::") && isTrained(name)) {
        emitRemark(getOperation().getLoc())
            << "'" << toPrintable(name.str())
            << "' is a trained weight, but the exporter made up its name and may change it next time; export with "
               "training=TrainingMode.PRESERVE and do_constant_folding=False to keep the model's own name";
        return;
      }
  }

  LogicalResult checkPatterns(StringRef option, ArrayRef<std::string> patterns, ArrayRef<StringRef> names) {
    for (const std::string &pattern : patterns)
      if (!names.empty() && llvm::none_of(names, [&](StringRef name) { return matchesAny(ArrayRef(pattern), name); }))
        return emitError(getOperation().getLoc())
               << option << " must match a weight, but '" << pattern << "' does not; the nearest names are "
               << nearestNames(pattern, names);
    return success();
  }

  static void freeze(func::FuncOp function, nn::VariableRole role, llvm::function_ref<bool(StringRef)> stays) {
    llvm::BitVector unused(function.getNumArguments());
    OpBuilder builder(&function.front(), function.front().begin());
    for (auto [name, argument] : EntryFunction(function).variables(role))
      if (!stays(name)) {
        argument.replaceAllUsesWith(writeInitial(builder, function, argument));
        unused.set(argument.getArgNumber());
      }
    (void)function.eraseArguments(unused);
  }
};

} // namespace

} // namespace nacre::train
