// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChangeBatch.h. The parts of this file are:
// 1. Chooses the rule of each operator. Most have the same one.
// 2. Gives rows to variables to which an entry assigns values with rows.
// 3. Changes inputs, operators, and outputs, which must have rows.
// 4. Finds the rows of one output, in a copy of the function.

#include "compiler/import/batch/ChangeBatch.h"

#include "compiler/import/batch/Rules.h"
#include "compiler/import/builder/EraseUnused.h"
#include "dialects/nn/Variables.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::importer {

/// Largest number of elements of a tensor, as in nn::countElements.
static constexpr int64_t maxElements = int64_t(1) << 48;

//===----------------------------------------------------------------------===//
// 1. Operators
//===----------------------------------------------------------------------===//

static LogicalResult applyRule(Operation *op, BatchRewriter &rewriter) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<nn::SliceOp, nn::ReshapeOp, nn::IfOp, nn::ForOp, nn::WhileOp>(
          [&](auto known) { return batch::apply(known, rewriter); })
      .Default([&](Operation *) { return batch::applyAlongAxes(op, rewriter); });
}

bool dependsOn(Operation *op, llvm::function_ref<bool(Value)> isKnown) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isKnown) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if MLIR accepts the result of a rule. Drops MLIR's messages, because they name operators of `nn`, which users
/// do not know.
static bool isValid(Operation *op) {
  ScopedDiagnosticHandler silence(op->getContext(), [](Diagnostic &) { return success(); });
  return succeeded(verify(op));
}

/// True if the results fit into memory for the wanted batch. For the stated batch, they do.
static bool fits(Operation *op, const BatchRewriter &rewriter) {
  return llvm::all_of(op->getResults(), [&](Value result) {
    const std::optional<int64_t> elements = nn::countElements(rewriter.getStatedShape(result));
    return !rewriter.hasRows(result) ||
           (elements && *elements / rewriter.getStated() <= maxElements / rewriter.getWanted());
  });
}

LogicalResult rewriteBlock(Block &block, BatchRewriter &rewriter) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>() || !dependsOn(&op, [&](Value value) { return rewriter.hasRows(value); }))
      continue;
    if (failed(applyRule(&op, rewriter)))
      return failure();
    if (!fits(&op, rewriter))
      return emitError(op.getLoc()) << "must have results that fit into memory, but does not for a batch of "
                                    << rewriter.getWanted() << "; choose a smaller one with --shape";
    if (!isValid(&op))
      return rewriter.refuse(&op, "has operands whose shapes do not match for that batch");
  }
  return success();
}

namespace {

class FunctionChange {
public:
  FunctionChange(func::FuncOp function, const BatchChange &change)
      : function(function), change(change), rewriter(change.stated, change.wanted, change.isTrained) {}

  LogicalResult run() {
    for (const BatchChange::Input &input : change.inputs)
      rewriter.set(function.getArgument(input.argument), BatchAxis({input.axis}));
    if (failed(giveVariablesRows()) || failed(rewriteBlock(function.front(), rewriter)) || failed(checkResults()))
      return failure();
    function.setFunctionType(FunctionType::get(function.getContext(), function.front().getArgumentTypes(),
                                               function.front().getTerminator()->getOperandTypes()));
    return success();
  }

private:
  LogicalResult giveVariablesRows();
  LogicalResult giveRows(BlockArgument argument);
  LogicalResult checkResults();

  func::FuncOp function;
  const BatchChange &change;
  BatchRewriter rewriter;
};

//===----------------------------------------------------------------------===//
// 2. Variables
//===----------------------------------------------------------------------===//

LogicalResult FunctionChange::giveRows(BlockArgument argument) {
  const unsigned number = argument.getArgNumber();
  const auto name = function.getArgAttrOfType<StringAttr>(number, nn::variableAttr);
  std::optional<BatchAxis> place = rewriter.guess(argument);
  if (!place)
    return rewriter.refuse(argument.getLoc(), "variable '" + name.getValue() + "' has no axis of the batch's size");
  if (auto initial = function.getArgAttrOfType<ElementsAttr>(number, nn::initialAttr)) {
    ElementsAttr repeated = rewriter.repeat(initial, *place);
    if (!repeated)
      return rewriter.refuse(argument.getLoc(), "variable '" + name.getValue() + "' starts with rows that differ");
    function.setArgAttr(number, nn::initialAttr, repeated);
  }
  rewriter.set(argument, *place);
  return success();
}

/// Gives rows to variables. If the value of a variable after a run depends on rows, the variable has rows before the
/// next run.
LogicalResult FunctionChange::giveVariablesRows() {
  llvm::DenseMap<Attribute, BlockArgument> variables;
  for (BlockArgument argument : function.getArguments())
    if (Attribute name = function.getArgAttr(argument.getArgNumber(), nn::variableAttr);
        name && !rewriter.hasRows(argument))
      variables[name] = argument;
  DenseSet<Value> known;
  auto isKnown = [&](Value value) { return known.contains(value) || rewriter.hasRows(value); };
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (Operation &op : function.front())
      if (dependsOn(&op, isKnown))
        known.insert(op.result_begin(), op.result_end());
    for (OpOperand &result : function.front().getTerminator()->getOpOperands()) {
      const Attribute name = function.getResultAttr(result.getOperandNumber(), nn::variableAttr);
      auto variable = variables.find(name);
      if (!name || variable == variables.end() || !isKnown(result.get()))
        continue;
      if (failed(giveRows(variable->second)))
        return failure();
      variables.erase(variable);
      isNew = true;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Results
//===----------------------------------------------------------------------===//

LogicalResult FunctionChange::checkResults() {
  llvm::DenseMap<Attribute, BlockArgument> variables;
  for (BlockArgument argument : function.getArguments())
    if (Attribute name = function.getArgAttr(argument.getArgNumber(), nn::variableAttr))
      variables[name] = argument;
  bool hasRows = false;
  for (OpOperand &result : function.front().getTerminator()->getOpOperands()) {
    const unsigned number = result.getOperandNumber();
    const auto name = function.getResultAttrOfType<StringAttr>(number, nn::nameAttr);
    const BatchAxis *place = rewriter.find(result.get());
    if (Attribute variable = function.getResultAttr(number, nn::variableAttr)) {
      const BatchAxis *own = rewriter.find(variables.lookup(variable));
      if (own && failed(rewriter.conform(result, *own)))
        return rewriter.refuse(result.get().getLoc(), "the next value of variable '" +
                                                          cast<StringAttr>(variable).getValue() +
                                                          "' has the batch at another axis");
      continue;
    }
    if (!place)
      continue;
    // A result without a name is the number of elements of an output.
    if (!name)
      return rewriter.refuse(result.get().getLoc(), "the size of an output depends on the row");
    hasRows = true;
    if (!place->isAxisOfItsOwn())
      emitRemark(result.get().getLoc()) << "the rows of the batch are a part of axis " << place->axis << " of output '"
                                        << name.getValue() << "', of " << place->outer << " x " << change.wanted
                                        << " x " << place->inner
                                        << " elements, because the model merges the batch with other axes";
  }
  if (!hasRows)
    return rewriter.refuse(function.getLoc(), "no output depends on these inputs");
  return success();
}

} // namespace

LogicalResult changeBatch(func::FuncOp function, const BatchChange &change) {
  return FunctionChange(function, change).run();
}

//===----------------------------------------------------------------------===//
// 4. One result
//===----------------------------------------------------------------------===//

FailureOr<std::optional<BatchPlace>> findRows(func::FuncOp function, unsigned result, int64_t batch,
                                              ArrayRef<BatchChange::Input> inputs) {
  OwningOpRef<func::FuncOp> copy(function.clone());
  Operation *end = copy->front().getTerminator();
  end->setOperands(end->getOperand(result));
  // Operators that only other results depend on may combine rows.
  eraseUnused(copy->front());
  ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) { return success(); });
  BatchRewriter rewriter(batch, batch, /*isTrained=*/true);
  for (const BatchChange::Input &input : inputs)
    rewriter.set(copy->getArgument(input.argument), BatchAxis({input.axis}));
  if (failed(rewriteBlock(copy->front(), rewriter)))
    return failure();
  const BatchAxis *place = rewriter.find(end->getOperand(0));
  return place ? std::optional<BatchPlace>(*place) : std::nullopt;
}

} // namespace nacre::importer
