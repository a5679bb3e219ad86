// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scan: a loop over slices of its inputs.
//
// It becomes a loop of `nn`, which scans rows. Scanned axes are moved to the front before the loop, and to their
// positions after it. If that fails, the scan is unrolled. In version 8, every operand has a batch.

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/control/ControlFlow.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The node
//===----------------------------------------------------------------------===//

/// Axes and directions of a scan along its inputs or outputs.
struct Walk {
  SmallVector<int64_t> axes;
  SmallVector<int64_t> isReverse;
};

/// Returns the `count` integers of an attribute, or zeros if it is missing.
FailureOr<SmallVector<int64_t>> readEach(OperandBinder &node, StringRef attribute, size_t count) {
  SmallVector<int64_t> values = node.getInts(attribute);
  if (values.empty())
    values.assign(count, 0);
  if (values.size() != count)
    return node.error() << "attribute '" << attribute << "' must have " << describeCount(count, "number")
                        << ", but has " << values.size();
  return values;
}

struct Scan {
  const NodeGraph *body;
  size_t numStates, numInputs;
  Walk in, out;
  int64_t iterations;
};

/// Reads which operands are states and which are scanned, and how. The node has `numOperands` such operands. Fails
/// after an error.
FailureOr<Scan> readScan(OperandBinder &node, size_t numOperands) {
  const NodeGraph *body = node.getGraph("body");
  int64_t numInputs = node.getInt("num_scan_inputs", 0);
  if (!body)
    return failure();
  size_t numOutputs = body->view.getOutputs().size();
  if (numInputs < 1 || static_cast<size_t>(numInputs) > numOperands || body->view.getInputs().size() != numOperands ||
      numOutputs < numOperands - numInputs || node.getNumResults() > numOutputs)
    return node.error() << "the body must take the " << describeCount(numOperands, "operand")
                        << " of the node, the last " << numInputs
                        << " of them scanned, and return as many states and a row of each stack, but takes "
                        << body->view.getInputs().size() << " and returns " << numOutputs;
  return Scan{body, numOperands - numInputs, static_cast<size_t>(numInputs), {}, {}, 0};
}

/// Sets the number of iterations, which is the size of all inputs along their scanned axes.
LogicalResult countIterations(OperandBinder &node, Scan &scan, ArrayRef<Value> inputs) {
  for (auto [index, input] : llvm::enumerate(inputs)) {
    FailureOr<int64_t> axis = node.getAxis(scan.in.axes[index], getRank(input));
    if (failed(axis))
      return failure();
    scan.in.axes[index] = *axis;
    int64_t iterations = getShape(input)[*axis];
    if (index > 0 && iterations != scan.iterations)
      return node.error() << "all scanned operands must have the same size along their scan axes, but have "
                          << scan.iterations << " and " << iterations;
    scan.iterations = iterations;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. As a loop
//===----------------------------------------------------------------------===//

/// Moves axis `from` of `value` to index `to`.
Value moveAxis(NnBuilder &nn, Value value, int64_t from, int64_t to) {
  if (!value || from == to)
    return value;
  SmallVector<int64_t> order = axisRange(0, getRank(value));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return nn.transpose(value, order);
}

/// Reverses the rows of `value`.
Value flip(NnBuilder &nn, Value value) {
  if (!value || getShape(value)[0] < 2)
    return value;
  SmallVector<int64_t> starts(getRank(value), 0), steps(getRank(value), 1);
  starts[0] = getShape(value)[0] - 1;
  steps[0] = -1;
  return nn.slice(value, starts, getShape(value), steps);
}

/// Reverses the first `length` rows; `length` is a scalar.
Value flip(NnBuilder &nn, Value rows, Value length) {
  Value last = nn.add(nn.cast(length, nn.types().getI64Type()), -1);
  Value order = nn.sub(last, nn.counting(getShape(rows)[0]));
  return nn.gather(rows, order ? nn.binary(nn::BinaryKind::Max, order, 0.0) : Value(), 0);
}

/// Imports the scan as one loop. If `length` is not null, only `length` rows are scanned, and later rows of stacks are
/// 0.
FailureOr<SmallVector<Value>> scanByLoop(OperandBinder &node, const Scan &scan, ArrayRef<Value> states,
                                         ArrayRef<Value> inputs, Value length) {
  NnBuilder &nn = node.nn;
  if (llvm::is_contained(states, Value()) || llvm::is_contained(inputs, Value()))
    return failure();
  Loop loop;
  loop.bound = scan.iterations;
  loop.count = length;
  loop.initial.assign(states.begin(), states.end());
  loop.reverse = scan.in.isReverse.front() && !length;
  for (auto [input, axis, isReverse] : llvm::zip_equal(inputs, scan.in.axes, scan.in.isReverse)) {
    Value rows = moveAxis(nn, input, axis, 0);
    if (isReverse && length)
      loop.scanned.push_back(flip(nn, rows, length));
    else
      loop.scanned.push_back((isReverse != 0) != loop.reverse ? flip(nn, rows) : rows);
  }
  if (llvm::is_contained(loop.scanned, Value()))
    return node.fail(), failure();
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(
      loop, [&](Value, ArrayRef<Value> carried, ArrayRef<Value> rows) -> FailureOr<Iteration> {
        SmallVector<Value> arguments(carried);
        llvm::append_range(arguments, rows);
        FailureOr<SmallVector<Value>> values = node.expand(*scan.body, arguments);
        if (failed(values))
          return failure();
        ArrayRef<Value> given = *values;
        return Iteration{SmallVector<Value>(given.take_front(scan.numStates)),
                         SmallVector<Value>(given.drop_front(scan.numStates))};
      });
  if (failed(results))
    return node.fail(), failure();
  for (auto [stack, axis, isReverse] : llvm::zip_equal(results->stacks, scan.out.axes, scan.out.isReverse)) {
    FailureOr<int64_t> to = node.getAxis(axis, getRank(stack));
    if (failed(to))
      return failure();
    if (length && nn.isOpen(stack))
      stack = nn.fillUp(stack, 0, nn.scalar(stack, 0));
    stack = moveAxis(nn, (isReverse != 0) != loop.reverse ? flip(nn, stack) : stack, 0, *to);
    results->finals.push_back(stack);
  }
  return results->finals;
}

//===----------------------------------------------------------------------===//
// 3. Unrolled
//===----------------------------------------------------------------------===//

/// Unrolls one scan of `inputs` with the initial `states`. Returns the last states, and then the stacks.
FailureOr<SmallVector<Value>> scanUnrolled(OperandBinder &node, const Scan &scan, SmallVector<Value> states,
                                           ArrayRef<Value> inputs) {
  NnBuilder &nn = node.nn;
  if (llvm::is_contained(states, Value()) || llvm::is_contained(inputs, Value()) ||
      !allowsUnrolling(node, *scan.body, scan.iterations))
    return failure();
  SmallVector<GraphValue> outputs = scan.body->view.getOutputs();
  SmallVector<SmallVector<Value>> stacks(outputs.size() - scan.numStates);
  for (int64_t iteration = 0; iteration < scan.iterations; ++iteration) {
    SmallVector<Value> arguments = states;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      int64_t axis = scan.in.axes[index], at = scan.in.isReverse[index] ? scan.iterations - 1 - iteration : iteration;
      SmallVector<int64_t> shape(getShape(input));
      shape.erase(shape.begin() + axis);
      arguments.push_back(nn.reshape(nn.slice(input, axis, at, 1), shape));
    }
    if (llvm::is_contained(arguments, Value()))
      return failure();
    FailureOr<SmallVector<Value>> results = node.expand(*scan.body, arguments);
    if (failed(results))
      return failure();
    states.assign(results->begin(), results->begin() + scan.numStates);
    for (auto [index, stack] : llvm::enumerate(stacks)) {
      Value row = (*results)[scan.numStates + index];
      FailureOr<int64_t> axis = node.getAxis(scan.out.axes[index], getRank(row) + 1);
      if (failed(axis))
        return failure();
      stack.insert(scan.out.isReverse[index] ? stack.begin() : stack.end(), unsqueeze(nn, row, *axis));
    }
  }
  for (auto [index, stack] : llvm::enumerate(stacks)) {
    int64_t axis = scan.out.axes[index];
    if (!stack.empty())
      axis = *node.getAxis(axis, getRank(stack.front()));
    states.push_back(joinStack(node, stack, outputs[scan.numStates + index], std::max<int64_t>(axis, 0)));
  }
  return states;
}

void setResults(OperandBinder &node, FailureOr<SmallVector<Value>> results) {
  if (failed(results))
    return node.fail();
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, (*results)[index]);
}

//===----------------------------------------------------------------------===//
// 4. Both versions
//===----------------------------------------------------------------------===//

void importScan9(OperandBinder &node) {
  FailureOr<Scan> scan = readScan(node, node.getNumOperands());
  if (failed(scan))
    return;
  size_t numStacks = scan->body->view.getOutputs().size() - scan->numStates;
  auto inAxes = readEach(node, "scan_input_axes", scan->numInputs),
       outAxes = readEach(node, "scan_output_axes", numStacks);
  auto inReverse = readEach(node, "scan_input_directions", scan->numInputs),
       outReverse = readEach(node, "scan_output_directions", numStacks);
  if (failed(inAxes) || failed(outAxes) || failed(inReverse) || failed(outReverse))
    return;
  scan->in = {*inAxes, *inReverse};
  scan->out = {*outAxes, *outReverse};
  ArrayRef<Value> states = node.getOperands().take_front(scan->numStates),
                  inputs = node.getOperands().take_back(scan->numInputs);
  if (failed(countIterations(node, *scan, inputs)))
    return;
  auto unrolled = [&] { setResults(node, scanUnrolled(node, *scan, SmallVector<Value>(states), inputs)); };
  if (scan->iterations == 0)
    return unrolled();
  importLoopOrUnrolled(
      node, [&] { setResults(node, scanByLoop(node, *scan, states, inputs, /*length=*/Value())); }, /*isKnown=*/true,
      unrolled);
}

/// Unrolls the scan for each row of a batch.
FailureOr<SmallVector<Value>> scanBatchUnrolled(OperandBinder &node, Scan &scan, int64_t batch) {
  NnBuilder &nn = node.nn;
  SmallVector<SmallVector<Value>> rows(scan.body->view.getOutputs().size());
  for (int64_t row = 0; row < batch; ++row) {
    SmallVector<Value> operands;
    for (Value operand : node.getOperands().drop_front())
      operands.push_back(nn.reshape(nn.slice(operand, 0, row, 1), getShape(operand).drop_front()));
    FailureOr<SmallVector<Value>> results =
        scanUnrolled(node, scan, SmallVector<Value>(ArrayRef(operands).take_front(scan.numStates)),
                     ArrayRef(operands).take_back(scan.numInputs));
    if (failed(results))
      return failure();
    for (auto [joined, result] : llvm::zip_equal(rows, *results))
      joined.push_back(unsqueeze(nn, result));
  }
  return llvm::map_to_vector(rows, [&](ArrayRef<Value> parts) { return nn.concat(parts, 0); });
}

/// Builds a loop over the rows of a batch around the loop that scans one row. All results are stacks over the batch.
FailureOr<SmallVector<Value>> scanBatchByLoop(OperandBinder &node, const Scan &scan, int64_t batch) {
  Loop loop;
  loop.bound = batch;
  loop.scanned.assign(node.getOperands().drop_front().begin(), node.getOperands().end());
  if (Value lengths = node.getOperand(0))
    loop.scanned.push_back(lengths);
  FailureOr<LoopResults> results =
      RegionBuilder(node.nn).buildLoop(loop, [&](Value, ArrayRef<Value>, ArrayRef<Value> rows) -> FailureOr<Iteration> {
        Value length = node.getOperand(0) ? rows.back() : Value();
        FailureOr<SmallVector<Value>> given =
            scanByLoop(node, scan, rows.take_front(scan.numStates), rows.slice(scan.numStates, scan.numInputs), length);
        if (failed(given))
          return failure();
        return Iteration{{}, *given};
      });
  if (failed(results))
    return node.fail(), failure();
  return results->stacks;
}

/// Imports version 8. The first axis of every operand is a batch. Each row of the batch is scanned along its first
/// axis.
void importScan8(OperandBinder &node) {
  FailureOr<Scan> scan = readScan(node, node.getNumOperands() - 1);
  if (failed(scan))
    return;
  auto inReverse = readEach(node, "directions", scan->numInputs);
  if (failed(inReverse))
    return;
  size_t numStacks = scan->body->view.getOutputs().size() - scan->numStates;
  scan->in = {SmallVector<int64_t>(scan->numInputs, 0), *inReverse};
  scan->out = {SmallVector<int64_t>(numStacks, 0), SmallVector<int64_t>(numStacks, 0)};
  int64_t batch = -1;
  scan->iterations = -1;
  for (size_t index = 0; index < node.getNumOperands(); ++index) {
    Value operand = node.getOperand(index);
    const bool isInput = index > scan->numStates;
    if (!operand && index == 0)
      continue;
    if (!node.checkRank(index, isInput ? 2 : 1, index == 0 ? 1 : maxRank))
      return;
    int64_t size = getShape(operand)[0], iterations = isInput ? getShape(operand)[1] : scan->iterations;
    if ((batch >= 0 && size != batch) || size == 0 || (scan->iterations >= 0 && iterations != scan->iterations)) {
      node.error() << node.nameOf(index) << " must have a first axis of " << std::max<int64_t>(batch, 1)
                   << ", the batch, and a second axis of the same size as other scanned operands, but is "
                   << describe(operand);
      return;
    }
    batch = size;
    scan->iterations = iterations;
  }
  auto unrolled = [&] { setResults(node, scanBatchUnrolled(node, *scan, batch)); };
  if (scan->iterations == 0)
    return unrolled();
  importLoopOrUnrolled(
      node, [&] { setResults(node, scanBatchByLoop(node, *scan, batch)); }, /*isKnown=*/!node.getOperand(0), unrolled);
}

} // namespace

void registerScans(ImportRegistry &registry) {
  registry.add("Scan", 8, {{"sequence_lens?", Holds::Indices}, {"initial_state_and_scan_inputs..."}}, importScan8);
  registry.add("Scan", 9, {{"initial_state_and_scan_inputs..."}}, importScan9);
  registry.setLimit("Scan", "carried types that change between iterations, beyond 128 iterations");
}

} // namespace nacre::importer::onnx_format
