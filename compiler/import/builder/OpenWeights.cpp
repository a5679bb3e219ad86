// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OpenWeights.h.

#include "compiler/import/builder/OpenWeights.h"

#include "compiler/import/builder/VariableNotes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace nacre::importer {

bool OpenWeights::isTrainable(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isF32() && type.getRank() > 0 && type.getNumElements() > 0;
}

Value OpenWeights::open(StringRef name, ElementsAttr value, Location loc) {
  const unsigned number = function.getNumArguments();
  NamedAttrList notes;
  noteVariable(notes, name, value, nn::VariableRole::Weight, Builder(function.getContext()));
  if (failed(function.insertArgument(number, value.getType(), notes.getDictionary(function.getContext()), loc)))
    return {};
  weights[function.getArgument(number)] = value;
  return function.getArgument(number);
}

void OpenWeights::close(SmallVectorImpl<Value> &operands, llvm::StringMap<Value> &known) {
  OpBuilder builder(&function.front(), function.front().begin());
  for (Value value : llvm::to_vector(operands))
    if (auto weight = weights.find(value); weight != weights.end()) {
      Value constant = nn::ConstantOp::create(builder, value.getLoc(), weight->second);
      value.replaceAllUsesWith(constant);
      std::replace(operands.begin(), operands.end(), value, constant);
      for (auto &entry : known)
        if (entry.second == value)
          entry.second = constant;
      weights.erase(weight);
    }
}

FailureOr<SmallVector<Value>> OpenWeights::run(SmallVectorImpl<Value> &operands, llvm::StringMap<Value> &known,
                                               ImportState &shared,
                                               llvm::function_ref<FailureOr<SmallVector<Value>>()> run) {
  if (llvm::none_of(operands, [&](Value operand) { return isOpen(operand); }))
    return run();
  const size_t numErrors = shared.numErrors;
  llvm::SetVector<StringRef> unfixed = shared.unfixedInputs;
  {
    ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
    });
    FailureOr<SmallVector<Value>> results = run();
    if (succeeded(results))
      return results;
  }
  shared.numErrors = numErrors;
  shared.unfixedInputs = unfixed;
  close(operands, known);
  return run();
}

std::optional<unsigned> OpenWeights::numberOf(Value value) const {
  return isOpen(value) ? std::optional(cast<BlockArgument>(value).getArgNumber()) : std::nullopt;
}

bool OpenWeights::isOfInputs(Value x) const {
  func::FuncOp owner = function;
  llvm::SetVector<Value> values;
  values.insert(x);
  for (unsigned next = 0; next < values.size(); ++next) {
    auto argument = dyn_cast<BlockArgument>(values[next]);
    Operation *op = values[next].getDefiningOp();
    // Carried values of loops are treated as inputs, without a look into the loop.
    if (argument ? argument.getOwner() != &owner.front() || !owner.getArgAttr(argument.getArgNumber(), nn::variableAttr)
                 : op->getNumRegions() > 0)
      return true;
    if (op)
      values.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool OpenWeights::isOldBatch(Value x, int64_t size) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  return getNewBatch() > 0 && !shape.empty() && shape.front() == entry.batch && size > 0 && size != entry.batch &&
         (statedBatch == 0 || size == statedBatch) && isOfInputs(x);
}

bool OpenWeights::normalizesByBatch(Value scale) const {
  std::optional<unsigned> number = numberOf(scale);
  func::FuncOp owner = function;
  return number && entry.isTraining && entry.normalizesByBatch &&
         entry.normalizesByBatch(owner.getArgAttrOfType<StringAttr>(*number, nn::variableAttr));
}

void OpenWeights::setStatistic(Value value) {
  if (std::optional<unsigned> number = numberOf(value))
    function.setArgAttr(*number, nn::roleAttr, nn::getRoleAttr(function.getContext(), nn::VariableRole::Statistic));
}

void OpenWeights::assign(Value statistic, Value next) {
  if (next && isOpen(statistic))
    assigned.push_back({statistic, next});
}

Value OpenWeights::getStep() {
  if (step)
    return step;
  Builder builder(function.getContext());
  const unsigned number = function.getNumArguments();
  auto notes = builder.getDictionaryAttr(
      {builder.getNamedAttr(nn::variableAttr, builder.getStringAttr(nn::stepName)),
       builder.getNamedAttr(nn::roleAttr, nn::getRoleAttr(builder.getContext(), nn::VariableRole::Counter))});
  if (failed(
          function.insertArgument(number, RankedTensorType::get({}, builder.getI64Type()), notes, function.getLoc())))
    return {};
  return step = function.getArgument(number);
}

void OpenWeights::giveResults() {
  for (auto [statistic, next] : assigned) {
    const unsigned result = function.getNumResults(), number = *numberOf(statistic);
    Attribute name = function.getArgAttr(number, nn::variableAttr);
    function.front().getTerminator()->insertOperands(result, next);
    if (succeeded(function.insertResult(result, next.getType(), {})))
      function.setResultAttr(result, nn::variableAttr, name);
  }
}

void OpenWeights::eraseUnused() {
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), nn::roleAttr) && argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)function.eraseArguments(unused);
}

} // namespace nacre::importer
