// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Interpreter.h. The parts of this file are:
// 1. Values, which are bound to tensors. Each is released after its last use in the block, or in a region of it. This
// saves memory, because each element of a weight takes eight bytes.
// 2. Operators without regions, which are computed by Operators.h.
// 3. Branches and loops, which run their regions as NnControlOps.td defines.

#include "compiler/evaluate/Interpreter.h"
#include "compiler/evaluate/Operators.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::evaluate {
namespace {

class Interpreter {
public:
  explicit Interpreter(const Settings &settings) : settings(settings) {}

  LogicalResult run(Block &block, ArrayRef<Tensor> arguments);
  SmallVector<Tensor> read(ValueRange values) const {
    return llvm::map_to_vector(values, [&](Value value) { return bindings.lookup(value); });
  }

private:
  LogicalResult run(Operation &op);
  LogicalResult runIf(nn::IfOp op);
  LogicalResult runFor(nn::ForOp op);
  LogicalResult runWhile(nn::WhileOp op);
  LogicalResult runIteration(Block &body, int64_t iteration, ArrayRef<Tensor> carried, ArrayRef<Tensor> rows = {});
  LogicalResult countIteration(Operation *loop);
  bool isTrue(Value condition) const { return bindings.lookup(condition).integer(0) != 0; }
  void bind(ValueRange values, ArrayRef<Tensor> tensors) {
    for (auto [value, tensor] : llvm::zip_equal(values, tensors))
      bindings[value] = tensor;
  }
  ArrayRef<Value> diesBehind(Operation &op);

  const Settings settings;
  int64_t iterations = 0; ///< number of iterations of all loops so far
  DenseMap<Value, Tensor> bindings;
  DenseMap<Operation *, SmallVector<Value, 2>> last; ///< values of its block that an operator is the last to read
  llvm::SmallPtrSet<Block *, 8> known;               ///< blocks whose operators are in `last`
};

//===----------------------------------------------------------------------===//
// 1. Values
//===----------------------------------------------------------------------===//

ArrayRef<Value> Interpreter::diesBehind(Operation &op) {
  Block &block = *op.getBlock();
  if (known.insert(&block).second) {
    auto note = [&](Value value, Operation *maker) {
      Operation *reader = maker;
      for (Operation *user : value.getUsers()) {
        Operation *ancestor = block.findAncestorOpInBlock(*user);
        if (!reader || reader->isBeforeInBlock(ancestor))
          reader = ancestor;
      }
      if (reader)
        last[reader].push_back(value);
    };
    for (BlockArgument argument : block.getArguments())
      note(argument, nullptr);
    for (Operation &maker : block)
      for (Value result : maker.getResults())
        note(result, &maker);
  }
  auto values = last.find(&op);
  return values == last.end() ? ArrayRef<Value>() : ArrayRef<Value>(values->second);
}

LogicalResult Interpreter::run(Block &block, ArrayRef<Tensor> arguments) {
  bind(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    if (failed(run(op)))
      return failure();
    for (Value value : diesBehind(op))
      bindings.erase(value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Operators
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::run(Operation &op) {
  if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
    FailureOr<Tensor> tensor = fromConstant(constant.getValue());
    if (failed(tensor))
      return emitError(op.getLoc()) << "has a constant without bytes";
    bindings[constant] = *tensor;
    return success();
  }
  if (auto branch = dyn_cast<nn::IfOp>(op))
    return runIf(branch);
  if (auto loop = dyn_cast<nn::ForOp>(op))
    return runFor(loop);
  if (auto loop = dyn_cast<nn::WhileOp>(op))
    return runWhile(loop);
  FailureOr<Results> results = evaluate(&op, read(op.getOperands()));
  if (failed(results))
    return emitError(op.getLoc()) << "cannot be evaluated: the interpreter has no operator '" << op.getName() << "'";
  if (settings.floats == Floats::Stored)
    for (Tensor &result : *results)
      result = result.asStored();
  bind(op.getResults(), *results);
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Branches and loops
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runIf(nn::IfOp op) {
  Block &block = isTrue(op.getCondition()) ? op.getThenRegion().front() : op.getElseRegion().front();
  if (failed(run(block, {})))
    return failure();
  bind(op.getResults(), read(cast<nn::YieldOp>(block.getTerminator()).getCarried()));
  return success();
}

/// Returns row `row` along axis 0, without that axis.
Tensor takeRow(const Tensor &tensor, int64_t row) {
  Tensor result(RankedTensorType::get(tensor.getShape().drop_front(), tensor.getElementType()));
  std::copy_n(tensor.begin() + row * result.size(), result.size(), result.write());
  return result;
}

void putRow(Tensor &stack, int64_t row, const Tensor &tensor) {
  std::copy_n(tensor.begin(), tensor.size(), stack.write() + row * tensor.size());
}

SmallVector<Tensor> makeStacks(ValueRange stacks) {
  return llvm::map_to_vector(stacks, [](Value stack) { return Tensor(stack.getType()); });
}

LogicalResult Interpreter::runIteration(Block &body, int64_t iteration, ArrayRef<Tensor> carried,
                                        ArrayRef<Tensor> rows) {
  SmallVector<Tensor> arguments = {Tensor(body.getArgument(0).getType())};
  arguments.front().write()->integer = iteration;
  arguments.append(carried.begin(), carried.end());
  arguments.append(rows.begin(), rows.end());
  return run(body, arguments);
}

LogicalResult Interpreter::countIteration(Operation *loop) {
  if (++iterations <= settings.maxIterations)
    return success();
  return emitError(loop->getLoc())
         << "continues after " << settings.maxIterations
         << " iterations, the limit for all loops together; raise --max-iterations, or correct the inputs";
}

LogicalResult Interpreter::runFor(nn::ForOp op) {
  const int64_t most = op.getTripCount();
  const int64_t tripCount =
      op.getCount() ? std::clamp<int64_t>(bindings.lookup(op.getCount()).integer(0), 0, most) : most;
  SmallVector<Tensor> carried = read(op.getInitial()), scanned = read(op.getScanned()),
                      stacks = makeStacks(op.getStacks());
  Block &body = op.getBody().front();
  for (int64_t iteration = 0; iteration < tripCount; ++iteration) {
    const int64_t row = op.getReverse() ? most - 1 - iteration : iteration;
    auto rows = llvm::map_to_vector(scanned, [&](const Tensor &tensor) { return takeRow(tensor, row); });
    if (failed(runIteration(body, iteration, carried, rows)) || failed(countIteration(op)))
      return failure();
    carried = read(op.getYield().getCarried());
    for (auto [stack, value] : llvm::zip_equal(stacks, read(op.getYield().getStacked())))
      putRow(stack, row, value);
  }
  bind(op.getFinals(), carried);
  bind(op.getStacks(), stacks);
  return success();
}

LogicalResult Interpreter::runWhile(nn::WhileOp op) {
  SmallVector<Tensor> carried = read(op.getInitial()), stacks = makeStacks(op.getStacks());
  int64_t iteration = 0;
  for (; !op.getBound() || iteration < int64_t(*op.getBound()); ++iteration) {
    if (failed(runIteration(op.getConditionRegion().front(), iteration, carried)))
      return failure();
    if (!isTrue(op.getConditionOp().getCondition()))
      break;
    if (failed(runIteration(op.getBody().front(), iteration, carried)) || failed(countIteration(op)))
      return failure();
    carried = read(op.getYield().getCarried());
    for (auto [stack, value] : llvm::zip_equal(stacks, read(op.getYield().getStacked())))
      putRow(stack, iteration, value);
  }
  bind(op.getFinals(), carried);
  bind(op.getStacks(), stacks);
  Tensor trips(op.getTrips().getType());
  trips.write()->integer = iteration;
  bindings[op.getTrips()] = trips;
  return success();
}

} // namespace

FailureOr<SmallVector<Tensor>> evaluate(func::FuncOp function, ArrayRef<Tensor> arguments, const Settings &settings) {
  Interpreter interpreter(settings);
  Block &body = function.front();
  if (failed(interpreter.run(body, arguments)))
    return failure();
  return interpreter.read(body.getTerminator()->getOperands());
}

} // namespace nacre::evaluate
