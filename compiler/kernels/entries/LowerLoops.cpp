// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. An iteration: carried values are tensors on memory, scanned rows are views that move, and operators become
//    launches.
// 2. Rows of stacks are written directly to the stack.
// 3. Carried values are written in one of four ways:
// - not at all, if an iteration passes the value on unchanged;
// - over the old value, if the launch that computes it is its last reader and reads each element where it writes it.
//   Branches do the same, or leave the old value as it is;
// - to the next row of a list of rows that begins with the initial value: iteration t reads row t and writes row t + 1.
//   This is used if all rows are needed as a stack anyway, or if they are small;
// - to separate memory that is copied over the old value at the end of the iteration. If the copies would overwrite
//   values that are still needed (two values that swap), those values are first copied to temporaries.
// 4. Initial values, and the results of the loop.

#include "compiler/kernels/entries/LowerLoops.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/entries/FormOperators.h"
#include "compiler/kernels/entries/InPlace.h"
#include "compiler/kernels/entries/RegionMemory.h"
#include "compiler/kernels/entries/WrittenBranches.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Limit, in bytes, of all rows of a value that is not stacked. Rows save a copy in each iteration.
constexpr int64_t maxRowsBytes = int64_t(1) << 20;

/// Properties that `nn.for` and `nn.while` have in common.
struct Loop {
  Location loc;
  OperandRange initial;
  Block *body;
  Block::BlockArgListType carried, scanned;
  nn::YieldOp yield;
  ResultRange finals, stacks;
  int64_t bound = 0;             ///< Number of rows of a stack.
  bool isReverse = false;        ///< True if rows are read and written from the last one to the first one.
  bool hasAllIterations = false; ///< True if the loop always runs `bound` iterations.
};

/// Carried value. Either `memory` or `rows` is set, and the other is null.
struct Carried {
  plan::ViewOp old;            ///< Tensor of the old value, which an iteration reads.
  Value memory;                ///< Memory of one value, which each iteration overwrites.
  Value rows;                  ///< Rows: one more than the number of iterations.
  std::optional<size_t> stack; ///< Index of the stack that consists of the rows.
};

int64_t countElements(Type type) { return cast<RankedTensorType>(type).getNumElements(); }

bool isExclusive(Value host) {
  auto op = dyn_cast_or_null<nn::OperatorInterface>(host.getDefiningOp());
  if (!op || isa<nn::ConstantOp>(op))
    return true; // An argument or a constant has its own memory in any case.
  return host.hasOneUse() &&
         (op.getWorkKind() != nn::WorkKind::Boundary || llvm::all_of(op->getOperands(), isExclusive));
}

class LoopLowering {
public:
  LoopLowering(EntryBuilder &entry, Loop loop) : entry(entry), loop(loop), memory(entry, loop.loc) {}

  /// Adds memory for carried values and stacks. Call it before the loop.
  void allocate() {
    for (Value argument : loop.carried)
      carried.push_back({{}, memory.allocate(argument.getType()), {}, {}});
    for (Value row : loop.yield.getStacked())
      stacks.push_back(memory.allocate(row.getType(), loop.bound));
  }

  /// Lowers a region that reads the carried values but does not change them.
  LogicalResult lowerTest(Block &test) {
    for (auto [argument, value] : llvm::zip_equal(test.getArguments().drop_front(), carried))
      entry.map(argument, memory.load(value.memory));
    return formOperators(entry, test);
  }

  /// Lowers an iteration into the current block of the entry's builder, which begins with `counter`.
  LogicalResult lowerBody(Value counter, ValueRange scanned) {
    this->counter = counter;
    for (auto [argument, value] : llvm::zip_equal(loop.carried, carried)) {
      value.old = cast<plan::ViewOp>(memory.load(value.memory).getDefiningOp());
      entry.map(argument, value.old);
    }
    for (auto [argument, rows] : llvm::zip_equal(loop.scanned, scanned))
      entry.map(argument, memory.view(rows, argument.getType(), stepsOf(argument.getType()), counter));
    if (failed(writeStacks(/*ofArguments=*/true)) || failed(formOperators(entry, *loop.body)))
      return failure();
    for (Value next : loop.yield.getCarried())
      if (!entry.lookup(next))
        return failure();
    shareStacks();
    if (failed(writeStacks(/*ofArguments=*/false)))
      return failure();
    writeCarried();
    return success();
  }

  /// Stores the initial values. Call it before the loop.
  LogicalResult writeInitial() {
    for (auto [initial, value] : llvm::zip_equal(loop.initial, carried)) {
      const bool isLate = value.memory && !isExclusive(initial);
      if (failed(memory.store(initial, value.memory ? value.memory : firstRow(value, initial.getType()), isLate)))
        return failure();
    }
    return success();
  }

  /// Maps the results of the loop. Call it after the loop.
  void readResults() {
    for (auto [host, value] : llvm::zip_equal(loop.finals, carried)) {
      const int64_t last = loop.isReverse ? 0 : loop.bound * countElements(host.getType());
      entry.map(host,
                memory.load(value.memory ? value.memory : memory.view(value.rows, host.getType(), {last, 0}, {})));
    }
    for (auto [host, rows] : llvm::zip_equal(loop.stacks, stacks))
      if (rows)
        entry.map(host, memory.load(rows));
    for (Carried &value : carried)
      if (value.stack) {
        Value host = loop.stacks[*value.stack];
        const int64_t first = loop.isReverse || loop.bound == 0 ? 0 : countElements(host.getType()) / loop.bound;
        entry.map(host, memory.load(memory.view(value.rows, host.getType(), {first, 0}, {})));
      }
  }

private:
  /// Returns the position in iteration t of row t, or of row t + `ahead`.
  Steps stepsOf(Type type, int64_t ahead = 0) const {
    const int64_t row = countElements(type), first = loop.isReverse ? loop.bound - 1 : 0;
    if (loop.bound == 1)
      return {(first + ahead) * row, 0}; // A GPU can bind only rows that exist, even for iterations that never run.
    return {(first + ahead) * row, loop.isReverse ? -row : row};
  }

  /// Returns the memory of the initial value. Its definition follows the definition of the rows, so the launch that
  /// computes the initial value can write there.
  Value firstRow(const Carried &value, Type type) {
    OpBuilder::InsertionGuard guard(entry.getBuilder());
    entry.getBuilder().setInsertionPointAfterValue(value.rows);
    return memory.view(value.rows, type, {loop.isReverse ? loop.bound * countElements(type) : 0, 0}, {});
  }

  Value tensorOf(Value host) { return entry.lookup(host); }

  //===--------------------------------------------------------------------===//
  // 2. Stacks
  //===--------------------------------------------------------------------===//

  /// Uses the rows of a carried value as a stack, if the value is also stacked.
  void shareStacks() {
    for (auto [next, value] : llvm::zip_equal(loop.yield.getCarried(), carried))
      for (auto [index, row] : llvm::enumerate(loop.yield.getStacked()))
        if (loop.hasAllIterations && row == next && stacks[index] && !value.stack && tensorOf(next) != value.old &&
            makeRows(value, next.getType(), std::nullopt)) {
          value.stack = index;
          stacks[index].getDefiningOp()->erase();
          stacks[index] = {};
        }
  }

  /// Writes rows of stacks. Rows that are arguments of the iteration are stacked first, before anything is overwritten.
  LogicalResult writeStacks(bool ofArguments) {
    for (auto [index, row] : llvm::enumerate(loop.yield.getStacked()))
      if (stacks[index] && ofArguments == llvm::is_contained(loop.body->getArguments(), row)) {
        Value part = memory.view(stacks[index], row.getType(), stepsOf(row.getType()), counter);
        toFront(part);
        if (failed(memory.store(row, part)))
          return failure();
      }
    return success();
  }

  /// Moves a view to the beginning of its block, because a launch must come after the memory that it writes.
  static void toFront(Value view) {
    Operation *op = view.getDefiningOp();
    op->moveBefore(op->getBlock(), op->getBlock()->begin());
  }

  //===--------------------------------------------------------------------===//
  // 3. Carried values
  //===--------------------------------------------------------------------===//

  /// Gives a carried value rows instead of its memory. Returns false if the rows would take more than `most` bytes.
  bool makeRows(Carried &value, Type type, std::optional<int64_t> most) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin(), loop.bound + 1);
    std::optional<int64_t> elements = nn::countElements(shape);
    if (!elements || (most && *elements > *most / bytesOfElement(getStorageType(tensor.getElementType()))))
      return false;
    value.rows = memory.allocate(type, loop.bound + 1);
    Value read = memory.view(value.rows, type, stepsOf(type, loop.isReverse ? 1 : 0), counter);
    toFront(read);
    value.old.getSourceMutable().assign(read);
    value.memory.getDefiningOp()->erase();
    value.memory = {};
    return true;
  }

  void writeRow(Carried &value, Value next) {
    Value row = memory.view(value.rows, next.getType(), stepsOf(next.getType(), loop.isReverse ? 0 : 1), counter);
    toFront(row);
    memory.storeTensor(tensorOf(next), row, /*isLate=*/false);
  }

  bool isComputedInIteration(Value tensor) {
    Operation *op = tensor.getDefiningOp();
    return loop.hasAllIterations && op->getBlock() == counter.getParentBlock() && !isa<plan::ViewOp>(op);
  }

  void writeCarried() {
    llvm::DenseSet<Value> overwritten;
    for (auto [next, value] : llvm::zip_equal(loop.yield.getCarried(), carried))
      if (value.memory && tensorOf(next) != value.old)
        overwritten.insert(value.old);
    SmallVector<std::pair<Value, Value>> aside; // Tensors, and the memory to which they are copied at the end.
    for (auto [next, value] : llvm::zip_equal(loop.yield.getCarried(), carried))
      if (value.rows) {
        writeRow(value, next);
      } else if (tensorOf(next) != value.old && mayLieIn(tensorOf(next), overwritten)) {
        Value copy = memory.allocate(next.getType());
        memory.storeTensor(tensorOf(next), copy, /*isLate=*/false);
        aside.emplace_back(memory.load(copy), value.memory);
      }
    for (auto [next, value] : llvm::zip_equal(loop.yield.getCarried(), carried)) {
      Value tensor = tensorOf(next);
      if (value.rows || tensor == value.old || mayLieIn(tensor, overwritten))
        continue;
      if (writeInBranches(value.old, tensor, value.memory, overwritten))
        continue;
      if (mayOverwrite(value.old, tensor, counter.getParentBlock()))
        memory.storeTensor(tensor, value.memory, /*isLate=*/false);
      else if (isComputedInIteration(tensor) && makeRows(value, next.getType(), maxRowsBytes))
        writeRow(value, next);
      else
        aside.emplace_back(tensor, value.memory);
    }
    for (auto [tensor, place] : aside)
      memory.storeTensor(tensor, place, /*isLate=*/true);
  }

  EntryBuilder &entry;
  Loop loop;
  RegionMemory memory;
  SmallVector<Carried> carried;
  SmallVector<Value> stacks; ///< Memory of each stack; null if the rows of a carried value are the stack.
  Value counter;
};

/// Begins the region of a loop. Returns the argument of the region, the counter.
Value beginIteration(OpBuilder &builder, Region &region, Location loc) {
  return builder.createBlock(&region)->addArgument(builder.getIndexType(), loc);
}

} // namespace

LogicalResult lowerFor(EntryBuilder &entry, nn::ForOp op) {
  LoopLowering lowering(entry, {op.getLoc(), op.getInitial(), &op.getBody().front(), op.getCarriedArguments(),
                                op.getScannedArguments(), op.getYield(), op.getFinals(), op.getStacks(),
                                op.getTripCount(), op.getReverse(), !op.getCount()});
  OpBuilder &builder = entry.getBuilder();
  SmallVector<Value> scanned;
  for (Value rows : op.getScanned()) {
    scanned.push_back(entry.lookup(rows));
    if (!scanned.back())
      return failure();
  }
  Value count = op.getCount() ? entry.lookup(op.getCount()) : Value();
  if (op.getCount() && !count)
    return failure();
  lowering.allocate();
  auto loop = plan::ForOp::create(builder, op.getLoc(), op.getTripCount(), count);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value counter = beginIteration(builder, loop.getBody(), op.getLoc());
    if (failed(lowering.lowerBody(counter, scanned)))
      return failure();
    builder.setInsertionPoint(loop);
    if (failed(lowering.writeInitial()))
      return failure();
  }
  lowering.readResults();
  return success();
}

LogicalResult lowerWhile(EntryBuilder &entry, nn::WhileOp op) {
  LoopLowering lowering(entry, {op.getLoc(),
                                op.getInitial(),
                                &op.getBody().front(),
                                op.getCarriedArguments(),
                                {},
                                op.getYield(),
                                op.getFinals(),
                                op.getStacks(),
                                op.getBound().value_or(0)});
  OpBuilder &builder = entry.getBuilder();
  lowering.allocate();
  auto loop = plan::WhileOp::create(builder, op.getLoc(), op.getBoundAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&loop.getTest());
    if (failed(lowering.lowerTest(op.getConditionRegion().front())))
      return failure();
    Value condition = entry.lookup(op.getConditionOp().getCondition());
    if (!condition)
      return failure();
    plan::ConditionOp::create(builder, op.getLoc(), condition);
    Value counter = beginIteration(builder, loop.getBody(), op.getLoc());
    if (failed(lowering.lowerBody(counter, {})))
      return failure();
    builder.setInsertionPoint(loop);
    if (failed(lowering.writeInitial()))
      return failure();
  }
  lowering.readResults();
  return success();
}

} // namespace nacre::kernels
