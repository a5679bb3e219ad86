// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for branches and loops. All rows take the same branch, and are in the same iteration.
//
// A carried value of a loop has rows if it starts with rows, or if the body computes it from values with rows. Then its
// initial value is repeated, and the yielded value is moved to the same axis.

#include "compiler/import/batch/Rules.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nacre::importer::batch {

static constexpr StringLiteral movesBatch =
    "yields a tensor with the batch at another axis in the next iteration or the other branch";

/// Adds the results of all operators of a block that depend on a value in `known`.
static void addDependents(Block &block, const BatchRewriter &rewriter, DenseSet<Value> &known) {
  auto isKnown = [&](Value value) { return known.contains(value) || rewriter.hasRows(value); };
  for (Operation &op : block)
    if (dependsOn(&op, isKnown))
      known.insert(op.result_begin(), op.result_end());
}

/// Returns the carried values of a loop that have rows.
static llvm::BitVector findCarriedRows(OperandRange initial, Block &body, ArrayRef<Value> scanned, OperandRange yielded,
                                       const BatchRewriter &rewriter) {
  llvm::BitVector rows(initial.size());
  for (auto [index, value] : llvm::enumerate(initial))
    rows[index] = rewriter.hasRows(value);
  while (true) {
    DenseSet<Value> known(scanned.begin(), scanned.end());
    for (unsigned index : rows.set_bits())
      known.insert(body.getArgument(1 + index));
    addDependents(body, rewriter, known);
    llvm::BitVector next = rows;
    for (auto [index, value] : llvm::enumerate(yielded))
      if (known.contains(value) || rewriter.hasRows(value))
        next.set(index);
    if (next == rows)
      return rows;
    rows = next;
  }
}

/// Gives rows to the carried values in `rows` before the loop, in its blocks and after it.
static LogicalResult carryRows(Operation *loop, const MutableOperandRange &initial, ArrayRef<Block *> blocks,
                               ResultRange finals, const llvm::BitVector &rows, ArrayRef<Value> scanned,
                               BatchRewriter &rewriter) {
  for (unsigned index : rows.set_bits()) {
    OpOperand &operand = initial[index];
    const BatchAxis *known = rewriter.find(operand.get());
    std::optional<BatchAxis> place = known ? std::optional(*known) : rewriter.guess(operand.get(), scanned);
    if (!place || failed(rewriter.conform(operand, *place)))
      return rewriter.refuse(loop, "carries a tensor that has no axis for the batch");
    for (Block *block : blocks)
      rewriter.set(block->getArgument(1 + index), *place);
    rewriter.set(finals[index], *place);
  }
  return success();
}

/// Moves yielded values to the places of the carried values, and finds the places of the stacks.
static LogicalResult yieldRows(Operation *loop, nn::YieldOp yield, ResultRange finals, ResultRange stacks,
                               BatchRewriter &rewriter) {
  for (auto [index, result] : llvm::enumerate(finals))
    if (const BatchAxis *place = rewriter.find(result);
        place && failed(rewriter.conform(yield.getCarriedMutable()[index], *place)))
      return rewriter.refuse(loop, movesBatch);
  for (auto [row, stack] : llvm::zip_equal(yield.getStacked(), stacks))
    if (const BatchAxis *place = rewriter.find(row))
      rewriter.set(stack, BatchAxis(place->at(place->axis + 1)));
  return success();
}

LogicalResult apply(nn::IfOp op, BatchRewriter &rewriter) {
  if (rewriter.hasRows(op.getCondition()))
    return rewriter.refuse(op, "takes a branch that depends on the row of the batch");
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    if (failed(rewriteBlock(region->front(), rewriter)))
      return failure();
  nn::YieldOp onTrue = op.getThenYield(), onFalse = op.getElseYield();
  for (auto [index, result] : llvm::enumerate(op.getValues())) {
    const BatchAxis *place = rewriter.find(onTrue.getCarried()[index]);
    if (!place)
      place = rewriter.find(onFalse.getCarried()[index]);
    if (!place)
      continue;
    const BatchAxis common = *place;
    if (failed(rewriter.conform(onTrue.getCarriedMutable()[index], common)) ||
        failed(rewriter.conform(onFalse.getCarriedMutable()[index], common)))
      return rewriter.refuse(op, movesBatch);
    rewriter.set(result, common);
  }
  return success();
}

LogicalResult apply(nn::ForOp op, BatchRewriter &rewriter) {
  if (op.getCount() && rewriter.hasRows(op.getCount()))
    return rewriter.refuse(op, "is a loop whose number of iterations depends on the row of the batch");
  SmallVector<Value> scannedRows;
  for (auto [operand, argument] : llvm::zip_equal(op.getScannedMutable(), op.getScannedArguments())) {
    const BatchAxis *place = rewriter.find(operand.get());
    if (!place)
      continue;
    const auto *choice = llvm::find_if(place->choices, [](const BatchPlace &other) { return other.axis > 0; });
    if (choice == place->choices.end())
      return rewriter.refuse(op, "is a loop over the rows of the batch");
    const BatchPlace row = *choice;
    if (failed(rewriter.conform(operand, row)))
      return rewriter.refuse(op, "is a loop over the rows of the batch");
    rewriter.set(argument, BatchAxis(row.at(row.axis - 1)));
    scannedRows.push_back(argument);
  }
  Block *body = &op.getBody().front();
  const llvm::BitVector rows =
      findCarriedRows(op.getInitial(), *body, scannedRows, op.getYield().getCarried(), rewriter);
  if (failed(carryRows(op, op.getInitialMutable(), {body}, op.getFinals(), rows, scannedRows, rewriter)) ||
      failed(rewriteBlock(*body, rewriter)))
    return failure();
  return yieldRows(op, op.getYield(), op.getFinals(), op.getStacks(), rewriter);
}

LogicalResult apply(nn::WhileOp op, BatchRewriter &rewriter) {
  Block *condition = &op.getConditionRegion().front(), *body = &op.getBody().front();
  const llvm::BitVector rows = findCarriedRows(op.getInitial(), *body, {}, op.getYield().getCarried(), rewriter);
  if (failed(carryRows(op, op.getInitialMutable(), {condition, body}, op.getFinals(), rows, {}, rewriter)) ||
      failed(rewriteBlock(*condition, rewriter)))
    return failure();
  if (rewriter.hasRows(op.getConditionOp().getCondition()))
    return rewriter.refuse(op, "is a loop whose number of iterations depends on the row of the batch");
  if (failed(rewriteBlock(*body, rewriter)))
    return failure();
  return yieldRows(op, op.getYield(), op.getFinals(), op.getStacks(), rewriter);
}

} // namespace nacre::importer::batch
