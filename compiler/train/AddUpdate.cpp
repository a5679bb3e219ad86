// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the updates of weights at the end of a training step.
// Why: an update is elementwise in a weight, its gradient and its moments, so it consists of ordinary operators.
// How: 1. on request, adds an entry that returns the gradients;
//      2. on request, adds an entry that only sums up gradients. The step then uses their mean;
//      3. adds clipping, the optimizer's formula, and results that assign variables unless a gradient has overflowed.

#include "compiler/train/EntryFunction.h"
#include "compiler/train/LossScale.h"
#include "compiler/train/Optimizers.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/Permutation.h"

namespace nacre::train {
#define GEN_PASS_DEF_ADDUPDATEPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

struct Gradient {
  std::string weight;
  Value value;
};

/// Removes the gradients from an entry's results and returns them.
SmallVector<Gradient> takeGradients(EntryFunction &entry) {
  SmallVector<Gradient> gradients;
  llvm::erase_if(entry.results, [&](const EntryFunction::Result &result) {
    auto weight = result.notes.getAs<StringAttr>(gradientAttr);
    if (weight)
      gradients.push_back({weight.str(), result.value});
    return bool(weight);
  });
  return gradients;
}

SmallVector<Value> valuesOf(ArrayRef<Gradient> gradients) {
  return llvm::map_to_vector(gradients, [](const Gradient &gradient) { return gradient.value; });
}

void dropAssignments(EntryFunction &entry) {
  llvm::erase_if(entry.results,
                 [](const EntryFunction::Result &result) { return result.notes.contains(nn::variableAttr); });
}

/// Returns the location under which profiles and reports list work that belongs to no node of the model.
Location nameOf(OpBuilder &builder, StringRef name) { return NameLoc::get(builder.getStringAttr(name)); }

func::FuncOp cloneAs(func::FuncOp function, StringRef name) {
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  auto clone = cast<func::FuncOp>(builder.clone(*function));
  clone.setName(name);
  return clone;
}

//===----------------------------------------------------------------------===//
// 1. Gradients as outputs
//===----------------------------------------------------------------------===//

void giveGradients(func::FuncOp function) {
  EntryFunction entry(function);
  SmallVector<Gradient> gradients = takeGradients(entry);
  dropAssignments(entry);
  OpBuilder builder(entry.getEnd());
  Writer write(builder, function.getLoc());
  for (const Gradient &gradient : gradients) {
    DenseI64ArrayAttr order = entry.orderOf(gradient.weight);
    entry.addOutput(gradient.weight + "#gradient",
                    order ? write.transpose(gradient.value, nn::inverse(order.asArrayRef())) : gradient.value);
  }
}

//===----------------------------------------------------------------------===//
// 2. Accumulation
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral sumName = "#sum", batchesName = "#batches";

Value countBatches(EntryFunction &entry, Writer &write) {
  auto type = RankedTensorType::get({}, write.getBuilder().getF32Type());
  Value before = entry.variable(batchesName, type, nn::VariableRole::Counter);
  // Only an app can have written a negative value or NaN. It counts as 0, because gradients are divided by the result.
  return write.add(write.where(write.binary(nn::BinaryKind::GreaterEqual, before, 0), before), 1);
}

void addUp(func::FuncOp function, bool scalesLoss) {
  EntryFunction entry(function);
  OpBuilder builder(entry.getEnd());
  Writer write(builder, nameOf(builder, "mean update"));
  SmallVector<Gradient> gradients = takeGradients(entry);
  // Infinity and NaN remain in the sums, so one overflow makes the step skip all parts of its batch.
  if (scalesLoss)
    keepUnless(areFinite(write, valuesOf(gradients)), entry, /*always=*/{});
  for (const Gradient &gradient : gradients) {
    Value sum = entry.variableBeside(gradient.weight, gradient.weight + sumName.str(), nn::VariableRole::Moment);
    entry.assign(gradient.weight + sumName.str(), write.add(sum, gradient.value));
  }
  entry.assign(batchesName, countBatches(entry, write));
}

/// Replaces each gradient by the mean of its values since the last step.
void takeMeans(EntryFunction &entry, Writer &write, MutableArrayRef<Gradient> gradients) {
  Value number = countBatches(entry, write);
  for (Gradient &gradient : gradients) {
    std::string name = gradient.weight + sumName.str();
    Value sum = entry.variableBeside(gradient.weight, name, nn::VariableRole::Moment);
    gradient.value = write.div(write.add(sum, gradient.value), number);
    entry.assign(name, write.zeros(typeOf(sum)));
  }
  entry.assign(batchesName, write.zeros(typeOf(number)));
}

/// Returns the names of the variables that a step clears, even if the step is skipped.
SmallVector<std::string> sumsOf(ArrayRef<Gradient> gradients) {
  SmallVector<std::string> names{batchesName.str()};
  for (const Gradient &gradient : gradients)
    names.push_back(gradient.weight + sumName.str());
  return names;
}

//===----------------------------------------------------------------------===//
// 3. The update
//===----------------------------------------------------------------------===//

/// Returns the location of an update. It has the name of the first node that reads the weight.
Location nameOfUpdate(Value weight) {
  Operation *first = nullptr;
  for (Operation *user : weight.getUsers())
    if (user->getBlock() == weight.getParentBlock() && (!first || user->isBeforeInBlock(first)))
      first = user;
  auto node = first ? dyn_cast<NameLoc>(first->getLoc()) : NameLoc();
  if (!node)
    return weight.getLoc();
  return NameLoc::get(StringAttr::get(weight.getContext(), node.getName().getValue() + " update"));
}

void clipGradients(EntryFunction &entry, Writer &write, const Clip &clip, MutableArrayRef<Gradient> gradients) {
  if (clip.kind == Clip::Kind::None)
    return;
  Value squares;
  for (const Gradient &gradient : gradients) {
    Value one = write.sumOfAll(write.square(gradient.value));
    squares = squares ? write.add(squares, one) : one;
  }
  Value norm = write.sqrt(squares);
  entry.addOutput("gradient_norm", norm);
  Value factor;
  if (clip.kind == Clip::Kind::Norm)
    factor = write.binary(nn::BinaryKind::Min, write.div(write.number(norm, clip.limit), write.add(norm, 1e-6)), 1);
  for (Gradient &gradient : gradients)
    gradient.value = factor ? write.mul(gradient.value, factor)
                            : write.binary(nn::BinaryKind::Max,
                                           write.binary(nn::BinaryKind::Min, gradient.value, clip.limit), -clip.limit);
}

void update(EntryFunction &entry, Writer &write, const Optimizer &optimizer, ArrayRef<Gradient> gradients) {
  Type f32 = write.getBuilder().getF32Type();
  StepNumbers numbers;
  numbers.rate = entry.input("learning_rate", RankedTensorType::get({}, f32));
  // The steps are counted for every optimizer, because an app that resumes training must know the next step.
  auto type = RankedTensorType::get({}, write.getBuilder().getI64Type());
  Value step = write.add(entry.variable(nn::stepName, type, nn::VariableRole::Counter), 1);
  if (correctsBySteps(optimizer))
    writeCorrections(write, optimizer, step, f32, numbers);
  entry.assign(nn::stepName, step);
  for (const Gradient &gradient : gradients) {
    Value weight = entry.variable(gradient.weight, typeOf(gradient.value), nn::VariableRole::Weight);
    SmallVector<Value> moments;
    SmallVector<std::string> names;
    for (StringRef end : momentsOf(optimizer)) {
      names.push_back(gradient.weight + end.str());
      moments.push_back(entry.variableBeside(gradient.weight, names.back(), nn::VariableRole::Moment));
    }
    Writer named(write.getBuilder(), nameOfUpdate(weight));
    entry.assign(gradient.weight, writeUpdate(named, optimizer, numbers, weight, gradient.value, moments));
    for (auto [name, moment] : llvm::zip(names, moments))
      entry.assign(name, moment);
  }
}

struct AddUpdate : impl::AddUpdatePassBase<AddUpdate> {
  using AddUpdatePassBase::AddUpdatePassBase;

  void runOnOperation() override {
    llvm::Expected<Optimizer> parsed = parseOptimizer(optimizer);
    llvm::Expected<Clip> parsedClip = parseClip(clip);
    if (!parsed || !parsedClip) {
      emitError(getOperation().getLoc()) << llvm::toString(parsed.takeError())
                                         << llvm::toString(parsedClip.takeError());
      return signalPassFailure();
    }
    auto function = getOperation().lookupSymbol<func::FuncOp>(trainEntry);
    if (llvm::is_contained(entries, gradientsEntry))
      giveGradients(cloneAs(function, gradientsEntry));
    if (accumulate)
      addUp(cloneAs(function, accumulateEntry), scaleLoss);
    if (parsed->kind != Optimizer::Kind::None)
      updateAll(function, *parsed, *parsedClip);
    for (auto other : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!llvm::is_contained(entries, other.getName()) && !(accumulate && other.getName() == accumulateEntry))
        other.erase();
  }

  void updateAll(func::FuncOp function, const Optimizer &by, const Clip &limit) {
    EntryFunction entry(function);
    OpBuilder builder(entry.getEnd());
    Writer mean(builder, nameOf(builder, "mean update")), clipping(builder, nameOf(builder, clipName)),
        step(builder, nameOf(builder, "step update"));
    SmallVector<Gradient> gradients = takeGradients(entry);
    SmallVector<std::string> always;
    if (accumulate) {
      takeMeans(entry, mean, gradients);
      always = sumsOf(gradients);
    }
    Value isGood = scaleLoss ? areFinite(step, valuesOf(gradients)) : Value();
    clipGradients(entry, clipping, limit, gradients);
    update(entry, step, by, gradients);
    if (!isGood)
      return;
    keepUnless(isGood, entry, always);
    updateLossScale(entry, step, isGood);
  }
};

} // namespace

} // namespace nacre::train
