// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds losses and gradients.
// Why: losses and gradients consist of ordinary `nn` operators, so later phases only see a larger network.
// How: 1. add the losses to the entries that train and evaluate, with labels as additional inputs;
//      2. in the entry that trains, add the gradient of the loss for each weight. Each gradient is a result with the
//         name of the weight.

#include "compiler/train/EntryFunction.h"
#include "compiler/train/LossScale.h"
#include "compiler/train/Losses.h"
#include "compiler/train/Passes.h"
#include "compiler/train/rules/GradientRules.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/Labels.h"

#include "llvm/ADT/StringExtras.h"

namespace nacre::train {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

/// Node name of the operators of losses.
constexpr llvm::StringLiteral lossNode = "loss";

std::string quote(StringRef name) { return "'" + toPrintable(name.str()) + "'"; }

/// Formats a type for users, such as `f32[2,3]`.
std::string describe(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream(text)
      << type.getElementType() << "["
      << llvm::join(llvm::map_range(type.getShape(), [](int64_t size) { return std::to_string(size); }), ",") << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// 1. Losses
//===----------------------------------------------------------------------===//

class LossWriter {
public:
  LossWriter(EntryFunction &entry, OpBuilder &builder)
      : entry(entry), write(builder, NameLoc::get(builder.getStringAttr(lossNode))) {}

  /// Returns the sum of the losses, or null after an error.
  Value run(ArrayRef<Loss> losses) {
    Value sum;
    for (const Loss &loss : losses) {
      Value one = add(loss);
      if (!one)
        return {};
      one = write.mul(one, loss.factor);
      sum = sum ? write.add(sum, one) : one;
    }
    return sum;
  }

private:
  InFlightDiagnostic error() { return emitError(entry.getFunction().getLoc()); }

  Value findTensor(StringRef name) {
    for (const EntryFunction::Result &result : entry.results)
      if (auto known = result.notes.getAs<StringAttr>(nn::nameAttr); known && known.getValue() == name)
        return result.value;
    return {};
  }

  Value add(const Loss &loss) {
    Value tensor = findTensor(loss.tensor);
    if (!tensor)
      return error() << "--loss must name a tensor of the model, but there is no " << quote(loss.tensor), Value();
    if (!typeOf(tensor).getElementType().isF32())
      return error() << "--loss must name an f32 tensor, but " << quote(loss.tensor) << " is not", Value();
    if (loss.kind == Loss::Kind::Model && countOf(shapeOf(tensor)) != 1)
      return error() << "--loss=model must name a tensor of one element, but " << quote(loss.tensor) << " has "
                     << countOf(shapeOf(tensor)),
             Value();
    if (loss.kind == Loss::Kind::SoftmaxCrossEntropy && loss.axis.value_or(0) >= rankOf(tensor))
      return error() << "--loss must have classes along an axis of " << quote(loss.tensor) << ", which has "
                     << rankOf(tensor) << " axes",
             Value();
    LossOperand operand = findOperand(loss, tensor);
    if (operand.isPeeled && entry.getFunction().getName() == trainEntry)
      emitRemark(entry.getFunction().getLoc())
          << quote(loss.tensor) << " of --loss is replaced by the logits it is computed from";
    RankedTensorType type = labelTypeOf(loss, operand);
    Value label = type ? entry.input(loss.label, type) : Value();
    if (type && !label)
      return error() << "--loss must have a label of " << describe(type) << ", but " << quote(loss.label)
                     << " is an input of the model, " << describe(typeOf(entry.findInput(loss.label)))
                     << "; name another one with ',label='",
             Value();
    if (label && loss.labelType != Loss::LabelType::F32)
      nn::noteLabels(label, shapeOf(operand.value)[operand.classes], loss.ignore);
    return writeLoss(write, loss, operand, label);
  }

  EntryFunction &entry;
  Writer write;
};

//===----------------------------------------------------------------------===//
// 2. Gradients
//===----------------------------------------------------------------------===//

/// Returns the names of the nodes at which gradients end, between the weights and the loss.
std::string describeCuts(Value loss, const ActiveValues &active, ArrayRef<Operation *> cuts) {
  llvm::SetVector<Operation *> before; // The order does not matter.
  if (Operation *last = loss.getDefiningOp())
    before.insert(last);
  for (unsigned next = 0; next < before.size(); ++next)
    before[next]->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == loss.getParentBlock())
          before.insert(op);
    });
  llvm::SetVector<StringRef> names;
  auto add = [&](Operation *op) {
    if (auto named = dyn_cast<NameLoc>(op->getLoc()))
      names.insert(named.getName());
  };
  for (Operation *op : cuts)
    add(op);
  for (Operation &op : loss.getParentBlock()->without_terminator()) {
    if (auto named = dyn_cast<NameLoc>(op.getLoc()); named && named.getName() == lossNode)
      break; // The network ends before the loss.
    if (before.contains(&op) &&
        llvm::any_of(op.getOperands(), [&](Value operand) { return active.contains(operand); }) &&
        llvm::none_of(op.getResults(), [&](Value result) { return active.contains(result); }))
      add(&op);
  }
  return llvm::join(llvm::map_range(names, quote), ", ");
}

/// Returns the values that depend on inputs, and not only on weights.
llvm::DenseSet<Value> findValuesOfInputs(func::FuncOp function) {
  llvm::DenseSet<Value> values;
  for (BlockArgument argument : function.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), nn::variableAttr))
      values.insert(argument);
  for (Operation &op : function.front())
    if (op.getNumRegions() > 0 ||
        llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); }))
      values.insert(op.result_begin(), op.result_end());
  return values;
}

/// Divides a gradient by the loss scale. The result has the gradient's location, so that one kernel computes both.
Value divide(Value gradient, Value scale, OpBuilder &builder) {
  Writer write(builder, gradient.getLoc());
  return write.mul(gradient, write.reciprocal(scale));
}

/// Adds the gradients as results. The loss is multiplied by `scale` before the backward pass, unless `scale` is null.
LogicalResult addGradients(EntryFunction &entry, OpBuilder &builder, Value loss, Value scale) {
  Block &body = entry.getBody();
  auto weights = entry.variables(nn::VariableRole::Weight);
  ActiveValues active;
  for (const auto &[name, weight] : weights)
    active.insert(weight);
  active.follow(body);
  llvm::SetVector<Operation *> cuts;
  const llvm::DenseSet<Value> ofInputs = findValuesOfInputs(entry.getFunction());
  ReverseWalk walk(builder, active, cuts);
  walk.setOfInputs(&ofInputs);
  Writer write(builder, loss.getLoc());
  walk.give(loss, scale ? scale : write.number(loss, 1));
  if (failed(walk.run(body)))
    return failure();
  bool isReached = false;
  for (const auto &[name, weight] : weights)
    if (Value gradient = walk.lookup(weight)) {
      isReached = true;
      entry.addGradient(name, scale ? divide(gradient, scale, builder) : gradient);
    }
  if (isReached)
    return success();
  std::string cut = describeCuts(loss, active, cuts.getArrayRef());
  return emitError(entry.getFunction().getLoc()) << "the loss must depend on a trained weight, but does not"
                                                 << (cut.empty() ? "" : "; gradients stop at " + cut);
}

struct Differentiate : impl::DifferentiatePassBase<Differentiate> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    SmallVector<Loss> parsed;
    for (const std::string &text : losses) {
      llvm::Expected<Loss> loss = parseLoss(text);
      if (!loss) {
        emitError(getOperation().getLoc()) << llvm::toString(loss.takeError());
        return signalPassFailure();
      }
      parsed.push_back(*loss);
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (llvm::is_contained({trainEntry, evaluateEntry, wholeEntry}, function.getName()) &&
          failed(runOn(function, parsed)))
        return signalPassFailure();
  }

  LogicalResult runOn(func::FuncOp function, ArrayRef<Loss> losses) {
    EntryFunction entry(function);
    OpBuilder builder(entry.getEnd());
    Value loss = LossWriter(entry, builder).run(losses);
    if (!loss)
      return failure();
    const bool isTrain = function.getName() == trainEntry;
    const bool isWhole = function.getName() == wholeEntry; // The whole function also declares the outputs of train.
    SmallVector<EntryFunction::Result> before;
    std::swap(before, entry.results);
    entry.addOutput(nn::lossName, loss);
    for (EntryFunction::Result &result : before) {
      auto name = result.notes.getAs<StringAttr>(nn::nameAttr);
      const bool isOfLoss =
          name && llvm::any_of(losses, [&](const Loss &one) { return one.tensor == name.getValue(); });
      const bool isWatched = result.notes.contains(nn::watchedAttr);
      const bool isVariable = result.notes.contains(nn::variableAttr);
      if (name && name.getValue() == nn::lossName && !isVariable)
        continue; // This is the model's own loss.
      if (isVariable ? isTrain : isTrain ? isOfLoss : isWhole || !isWatched)
        entry.results.push_back(withoutNotes(result));
    }
    if (!isTrain)
      return success();
    return addGradients(entry, builder, loss, scaleLoss ? readLossScale(entry) : Value());
  }

  static EntryFunction::Result withoutNotes(EntryFunction::Result result) {
    NamedAttrList notes(result.notes);
    notes.erase(nn::watchedAttr);
    result.notes = notes.getDictionary(result.value.getContext());
    return result;
  }
};

} // namespace

} // namespace nacre::train
