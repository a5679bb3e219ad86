// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a recurrent cell that the model writes once per step into a loop, because many exporters unroll loops. A loop
// is compiled once, and its inputs have one common product. It runs as fast as a cell that the model writes as a loop.
//
// A block becomes a line of operators with indices (NumberedBlock.h), in which Repetition.h finds iterations.
//
// 1. One iteration becomes the body of the loop.
// 2. Readers of values of the iterations read results of the loop, and move to after the loop.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"
#include "compiler/graph/control/NumberedBlock.h"
#include "dialects/TensorTypes.h"

namespace nacre::graph {
#define GEN_PASS_DEF_REROLLLOOPSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// True if enough anchors read one weight. Most blocks fail this fast test and need no line.
bool mayRepeat(Block &block, unsigned minIterations) {
  llvm::DenseMap<Value, unsigned> uses;
  return llvm::any_of(block, [&](Operation &op) { return isAnchor(op) && ++uses[op.getOperand(1)] >= minIterations; });
}

//===----------------------------------------------------------------------===//
// 1. The loop
//===----------------------------------------------------------------------===//

class Rolling {
public:
  Rolling(IRRewriter &rewriter, const NumberedBlock &block, const Repetition &found)
      : rewriter(rewriter), block(block), found(found) {
    for (const Repetition::Column &column : found.columns)
      for (unsigned op : column.operators)
        written.insert(block.operators[op]);
  }

  void run() {
    unsigned lastNumber = 0;
    for (const Repetition::Column &column : found.columns)
      lastNumber = std::max(lastNumber, *llvm::max_element(column.operators));
    Operation *last = block.operators[lastNumber];
    rewriter.setInsertionPoint(last);
    loc = last->getLoc();
    collectArguments();
    collectStacks();
    nn::ForOp loop = makeLoop();
    readLoop(loop);
    for (const Repetition::Column &column : found.columns)
      for (unsigned op : column.operators)
        block.operators[op]->dropAllUses();
    for (Operation *op : written)
      rewriter.eraseOp(op);
  }

private:
  using Kind = Repetition::Operand::Kind;

  struct Carried {
    unsigned column, result;
    Value found;   ///< Operand of the first iteration.
    Value initial; ///< The same value with all its axes.
  };
  struct Stack {
    unsigned column, result;
  };

  Value valueAt(unsigned column, unsigned result, unsigned iteration) const {
    return block.operators[found.columns[column].operators[iteration]]->getResult(result);
  }

  /// True if both are the same value, or equal splat constants. One of the constants may lack axes.
  static bool isSame(Value a, Value b) {
    return a == b ||
           (typeOf(a).getElementType() == typeOf(b).getElementType() && getSplat(a) && getSplat(a) == getSplat(b));
  }

  /// Returns the index of the carried value that `operand` reads.
  unsigned findCarried(const Repetition::Operand &operand) {
    Value initial = block.values[operand.value];
    for (auto [index, known] : llvm::enumerate(carried))
      if (known.column == operand.column && known.result == operand.result && isSame(known.found, initial))
        return index;
    carried.push_back({operand.column, operand.result, initial, initial});
    return carried.size() - 1;
  }

  void collectArguments() {
    for (const Repetition::Column &column : found.columns)
      for (const Repetition::Operand &operand : column.operands)
        if (operand.kind == Kind::Carried)
          findCarried(operand);
        else if (operand.kind == Kind::Row)
          rows.insert({{operand.value, operand.rowStep}, unsigned(rows.size())});
    for (Carried &value : carried)
      if (Type type = valueAt(value.column, value.result, 0).getType(); value.initial.getType() != type)
        value.initial = nn::BroadcastOp::create(rewriter, loc, type, value.initial);
  }

  /// True if a value of an iteration has readers outside of all iterations.
  bool isRead(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return !written.contains(user); });
  }

  /// Returns the index of the carried value whose final value is the given value. Returns `nullopt` for other values.
  std::optional<unsigned> findFinal(unsigned column, unsigned result, unsigned iteration) const {
    const auto *value =
        llvm::find_if(carried, [&](const Carried &value) { return value.column == column && value.result == result; });
    return iteration + 1 < found.iterations || value == carried.end()
               ? std::nullopt
               : std::optional<unsigned>(value - carried.begin());
  }

  void collectStacks() {
    for (auto [number, column] : llvm::enumerate(found.columns))
      for (unsigned result = 0; result < block.operators[column.operators[0]]->getNumResults(); ++result)
        for (unsigned iteration = 0; iteration < found.iterations; ++iteration)
          if (isRead(valueAt(number, result, iteration)) && !findFinal(number, result, iteration)) {
            stacks.push_back({unsigned(number), result});
            break;
          }
  }

  nn::SliceOp getRead(unsigned value) const { return block.values[value].getDefiningOp<nn::SliceOp>(); }

  nn::ForOp makeLoop() {
    SmallVector<Value> initial, scanned;
    SmallVector<Type> types;
    for (const Carried &value : carried) {
      initial.push_back(value.initial);
      types.push_back(value.initial.getType());
    }
    for (const auto &[row, number] : rows) {
      nn::SliceOp read = getRead(row.first);
      const int64_t axis = *getRowAxis(read);
      scanned.push_back(makeRows(rewriter, read.getLoc(), read.getOperand(), axis,
                                 {read.getStarts()[axis], found.iterations, row.second}));
    }
    for (const Stack &stack : stacks) {
      RankedTensorType type = typeOf(valueAt(stack.column, stack.result, 0));
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), found.iterations);
      types.push_back(type.clone(shape));
    }
    auto loop = nn::ForOp::create(rewriter, loc, types, found.iterations, Value(), initial, scanned, false);
    Block *body = rewriter.createBlock(&loop.getBody());
    body->addArgument(RankedTensorType::get({}, rewriter.getI64Type()), loc);
    for (Value value : initial)
      body->addArgument(value.getType(), loc);
    for (Value value : scanned)
      body->addArgument(typeOf(value).clone(typeOf(value).getShape().drop_front()), loc);
    fillBody(loop);
    return loop;
  }

  void fillBody(nn::ForOp loop) {
    // Reshape each row to the shape of its original slice.
    SmallVector<Value> read;
    for (auto [row, argument] : llvm::zip_equal(rows, loop.getScannedArguments()))
      read.push_back(nn::ReshapeOp::create(rewriter, loc, getRead(row.first.first).getType(), argument));
    SmallVector<Operation *> body;
    for (const Repetition::Column &column : found.columns) {
      Operation *op = rewriter.clone(*block.operators[column.operators[0]]);
      for (auto [operand, input] : llvm::zip_equal(column.operands, op->getOpOperands()))
        switch (operand.kind) {
        case Kind::Invariant:
          break;
        case Kind::Row:
          input.set(read[rows.lookup({operand.value, operand.rowStep})]);
          break;
        case Kind::Inner:
          input.set(body[operand.column]->getResult(operand.result));
          break;
        case Kind::Carried:
          input.set(loop.getCarriedArguments()[findCarried(operand)]);
          break;
        }
      body.push_back(op);
    }
    SmallVector<Value> next, stacked;
    for (const Carried &value : carried)
      next.push_back(body[value.column]->getResult(value.result));
    for (const Stack &stack : stacks)
      stacked.push_back(body[stack.column]->getResult(stack.result));
    nn::YieldOp::create(rewriter, loc, next, stacked);
  }

  //===--------------------------------------------------------------------===//
  // 2. Readers
  //===--------------------------------------------------------------------===//

  void readLoop(nn::ForOp loop) {
    SmallVector<Operation *> late = findLate(loop);
    rewriter.setInsertionPointAfter(loop);
    for (auto [number, column] : llvm::enumerate(found.columns))
      for (unsigned result = 0; result < block.operators[column.operators[0]]->getNumResults(); ++result)
        for (unsigned iteration = 0; iteration < found.iterations; ++iteration) {
          Value value = valueAt(number, result, iteration);
          if (!isRead(value))
            continue;
          // Read all rows from the stack, even the last one. A concatenation of all rows then becomes the stack itself.
          const unsigned stack = findStack(number, result);
          Value after = stack < stacks.size() ? makeRow(rewriter, loc, loop.getStacks()[stack], iteration)
                                              : loop.getFinals()[*findFinal(number, result, iteration)];
          rewriter.replaceUsesWithIf(value, after, [&](OpOperand &use) { return !written.contains(use.getOwner()); });
        }
    for (Operation *op : late)
      rewriter.moveOpBefore(op, rewriter.getInsertionBlock(), rewriter.getInsertionPoint());
  }

  /// Returns the index of the stack of a value, or the number of stacks if it has no stack.
  unsigned findStack(unsigned column, unsigned result) const {
    return llvm::find_if(stacks, [&](const Stack &stack) { return stack.column == column && stack.result == result; }) -
           stacks.begin();
  }

  /// Returns the operators before the loop that depend on operators of its iterations.
  SmallVector<Operation *> findLate(nn::ForOp loop) const {
    llvm::DenseSet<Operation *> known;
    SmallVector<Operation *> late;
    for (Operation &op : llvm::make_range(loop->getBlock()->begin(), loop->getIterator())) {
      if (written.contains(&op))
        continue;
      WalkResult walk = op.walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value value) {
                              Operation *maker = value.getDefiningOp();
                              return maker && (written.contains(maker) || known.contains(maker));
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (!walk.wasInterrupted())
        continue;
      known.insert(&op);
      late.push_back(&op);
    }
    return late;
  }

  IRRewriter &rewriter;
  const NumberedBlock &block;
  const Repetition &found;
  Location loc = rewriter.getUnknownLoc();
  llvm::SetVector<Operation *> written; ///< Operators of all iterations.
  SmallVector<Carried> carried;
  llvm::MapVector<std::pair<unsigned, int64_t>, unsigned> rows; ///< Index of each pair of a first row and a row step.
  SmallVector<Stack> stacks;
};

struct RerollLoops : impl::RerollLoopsPassBase<RerollLoops> {
  using RerollLoopsPassBase::RerollLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      while (mayRepeat(*block, minIterations)) {
        NumberedBlock numbered(*block);
        std::optional<Repetition> found = findRepetition(numbered.line, minIterations);
        if (!found)
          break;
        Rolling(rewriter, numbered, *found).run();
        ++numLoops;
      }
  }
};

} // namespace

} // namespace nacre::graph
