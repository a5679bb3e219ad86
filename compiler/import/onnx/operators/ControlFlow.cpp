// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If, Loop and Scan where what decides them is known: the branch that is taken alone, and each turn of a loop in place of it.
//
// How:  1. branches; 2. loops, whose counter is a constant in every turn, so that shapes may depend on it;
//       3. scans, which are loops over slices of their inputs.

#include "compiler/import/GraphView.h"
#include "compiler/import/onnx/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// How many turns, and nodes in all turns, a loop may be written out to.
constexpr int64_t mostTurns = 128, mostNodes = 20000;

//===----------------------------------------------------------------------===//
// 1. Branches
//===----------------------------------------------------------------------===//

void setResults(OperandBinder &node, ArrayRef<Value> results, StringRef attribute) {
  if (results.size() != node.getNumResults()) {
    node.error() << "attribute '" << attribute << "' must have " << node.getNumResults()
                 << " outputs, as the node has, but has " << results.size();
    return;
  }
  for (auto [index, result] : llvm::enumerate(results))
    node.setResult(index, result);
}

void importIf(OperandBinder &node) {
  const NodeGraph *onTrue = node.getGraph("then_branch"), *onFalse = node.getGraph("else_branch");
  FailureOr<int64_t> condition = node.getInteger(0);
  if (!onTrue || !onFalse || failed(condition))
    return;
  const NodeGraph &taken = *condition ? *onTrue : *onFalse;
  FailureOr<SmallVector<Value>> results = node.expand(taken, {});
  if (succeeded(results))
    setResults(node, *results, taken.attribute);
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

/// `slice` with an axis of one element in front of the others, or at `axis`.
Value unsqueeze(NnBuilder &nn, Value slice, int64_t axis = 0) {
  if (!slice)
    return {};
  if (!isTensor(slice)) {
    nn.error() << "what a turn adds to a stack must be a tensor, but is " << describe(slice);
    return {};
  }
  SmallVector<int64_t> shape(getShape(slice));
  shape.insert(shape.begin() + axis, 1);
  return nn.reshape(slice, shape);
}

bool allowsTurns(OperandBinder &node, const NodeGraph &body, int64_t turns) {
  if (turns <= mostTurns && turns * static_cast<int64_t>(body.view.getNumNodes()) <= mostNodes)
    return true;
  node.error() << "must have at most " << mostTurns << " turns, and " << mostNodes << " nodes in all of them, but has "
               << turns << " turns of " << body.view.getNumNodes() << " nodes; loops that long are not supported";
  return false;
}

/// `value` as the body's input `index` declares it: some say that a scalar has one axis.
Value asDeclared(OperandBinder &node, ArrayRef<GraphValue> inputs, size_t index, Value value) {
  const auto &shape = inputs[index].type.shape;
  return shape && shape->size() == 1 ? node.nn.reshape(value, {1}) : value;
}

/// What a turn adds to each stack, joined; a loop of no turns has stacks of no rows.
Value joinStack(OperandBinder &node, ArrayRef<Value> rows, const GraphValue &output, int64_t axis) {
  if (!rows.empty())
    return node.nn.concat(rows, axis);
  const DeclaredType &type = output.type;
  bool isKnown =
      type.elementType && type.shape && llvm::none_of(*type.shape, [](const Dimension &dim) { return dim.isOpen(); });
  if (!isKnown) {
    node.error() << "the body must declare the type of its output '" << output.name
                 << "', because the loop has no turns; export the model with shapes";
    return {};
  }
  SmallVector<int64_t> shape = llvm::map_to_vector(*type.shape, [](const Dimension &dim) { return dim.size; });
  shape.insert(shape.begin() + axis, 0);
  return node.nn.splat(RankedTensorType::get(shape, type.elementType), 0);
}

void importLoop(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const NodeGraph *body = node.getGraph("body");
  if (!body)
    return;
  SmallVector<GraphValue> inputs = body->view.getInputs(), outputs = body->view.getOutputs();
  size_t numCarried = std::max<size_t>(node.getNumOperands(), 2) - 2;
  if (inputs.size() != numCarried + 2 || outputs.size() <= numCarried || node.getNumResults() > outputs.size() - 1) {
    node.error() << "the body must take a turn's number, a condition and the " << numCarried
                 << " carried values, and give a condition, as many carried values and a row of each stack, but takes "
                 << inputs.size() << " and gives " << outputs.size();
    return;
  }
  for (size_t index = 2; index < node.getNumOperands(); ++index)
    if (!node.getOperand(index)) {
      node.error() << node.nameOf(index) << " must be given, because the body takes it, but is left out";
      return;
    }
  FailureOr<int64_t> most = node.getOperand(0) ? node.getInteger(0) : INT64_MAX;
  FailureOr<int64_t> goesOn = node.getOperand(1) ? node.getInteger(1) : 1;
  if (failed(most) || failed(goesOn))
    return;
  Value condition = nn.cast(nn.scalar(nn.integers({}), 1), nn.types().getI1Type());
  SmallVector<Value> carried(node.getOperands().drop_front(std::min<size_t>(node.getNumOperands(), 2)));
  SmallVector<SmallVector<Value>> stacks(outputs.size() - 1 - numCarried);
  for (int64_t turn = 0; turn < *most && *goesOn; ++turn) {
    if (!allowsTurns(node, *body, *most == INT64_MAX ? turn + 1 : *most))
      return;
    SmallVector<Value> arguments = {asDeclared(node, inputs, 0, nn.scalar(nn.integers({}), double(turn))),
                                    asDeclared(node, inputs, 1, condition)};
    llvm::append_range(arguments, carried);
    FailureOr<SmallVector<Value>> results = node.expand(*body, arguments);
    if (failed(results))
      return;
    ElementsAttr known = getConstant(results->front());
    if (!known || known.getNumElements() != 1 || !known.getElementType().isInteger(1)) {
      node.error()
          << "the condition that the body gives, '" << outputs.front().name
          << "', must be known when the model is compiled, but is computed; loops that end by what they compute "
             "are not supported";
      return;
    }
    *goesOn = *known.getValues<bool>().begin();
    carried.assign(results->begin() + 1, results->begin() + 1 + numCarried);
    for (auto [stack, row] : llvm::zip_equal(stacks, ArrayRef(*results).drop_front(1 + numCarried)))
      stack.push_back(unsqueeze(nn, row));
  }
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, index < numCarried
                              ? carried[index]
                              : joinStack(node, stacks[index - numCarried], outputs[1 + index], /*axis=*/0));
}

//===----------------------------------------------------------------------===//
// 3. Scans
//===----------------------------------------------------------------------===//

/// How a scan walks along each of its inputs or outputs.
struct Walk {
  SmallVector<int64_t> axes;
  SmallVector<int64_t> isReverse;
};

/// One entry for each of `count`; missing lists are of zeros.
FailureOr<SmallVector<int64_t>> readEach(OperandBinder &node, StringRef attribute, size_t count) {
  SmallVector<int64_t> values = node.getInts(attribute);
  if (values.empty())
    values.assign(count, 0);
  if (values.size() != count)
    return node.error() << "attribute '" << attribute << "' must have " << count << " numbers, but has "
                        << values.size();
  return values;
}

struct Scan {
  const NodeGraph *body;
  size_t numStates, numInputs;
  Walk in, out;
  int64_t turns;
};

/// One run over `inputs` from `states`: the last states, then the stacks.
FailureOr<SmallVector<Value>> runScan(OperandBinder &node, const Scan &scan, SmallVector<Value> states,
                                      ArrayRef<Value> inputs) {
  NnBuilder &nn = node.nn;
  SmallVector<GraphValue> outputs = scan.body->view.getOutputs();
  SmallVector<SmallVector<Value>> stacks(outputs.size() - scan.numStates);
  for (int64_t turn = 0; turn < scan.turns; ++turn) {
    SmallVector<Value> arguments = states;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      int64_t axis = scan.in.axes[index], at = scan.in.isReverse[index] ? scan.turns - 1 - turn : turn;
      SmallVector<int64_t> shape(getShape(input));
      shape.erase(shape.begin() + axis);
      arguments.push_back(nn.reshape(nn.slice(input, axis, at, 1), shape));
    }
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

/// Which operands are states and which are scanned, and how; nothing after an error. The first operands of `given`.
FailureOr<Scan> readScan(OperandBinder &node, size_t numOperands) {
  const NodeGraph *body = node.getGraph("body");
  int64_t numInputs = node.getInt("num_scan_inputs", 0);
  if (!body)
    return failure();
  size_t numOutputs = body->view.getOutputs().size();
  if (numInputs < 1 || static_cast<size_t>(numInputs) > numOperands || body->view.getInputs().size() != numOperands ||
      numOutputs < numOperands - numInputs || node.getNumResults() > numOutputs)
    return node.error() << "the body must take the " << numOperands << " operands of the node, the last " << numInputs
                        << " of them scanned, and give as many states and a row of each stack, but takes "
                        << body->view.getInputs().size() << " and gives " << numOutputs;
  return Scan{body, numOperands - numInputs, static_cast<size_t>(numInputs), {}, {}, 0};
}

/// The number of turns, which all inputs have along their axes.
LogicalResult countTurns(OperandBinder &node, Scan &scan, ArrayRef<Value> inputs) {
  for (auto [index, input] : llvm::enumerate(inputs)) {
    FailureOr<int64_t> axis = node.getAxis(scan.in.axes[index], getRank(input));
    if (failed(axis))
      return failure();
    scan.in.axes[index] = *axis;
    int64_t turns = getShape(input)[*axis];
    if (index > 0 && turns != scan.turns)
      return node.error() << "all scanned operands must have as many elements along their axes, but have " << scan.turns
                          << " and " << turns;
    scan.turns = turns;
  }
  return success(allowsTurns(node, *scan.body, scan.turns));
}

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
  ArrayRef<Value> operands = node.getOperands(), inputs = operands.take_back(scan->numInputs);
  if (failed(countTurns(node, *scan, inputs)))
    return;
  FailureOr<SmallVector<Value>> results =
      runScan(node, *scan, SmallVector<Value>(operands.take_front(scan->numStates)), inputs);
  if (failed(results))
    return;
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, (*results)[index]);
}

/// Of version 8: the first axis of every operand is a batch, each row of which is scanned along its first axis.
void importScan8(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (node.getOperand(0)) {
    node.error() << node.nameOf(0) << " must be left out: sequences of different lengths are not supported";
    return;
  }
  FailureOr<Scan> scan = readScan(node, node.getNumOperands() - 1);
  if (failed(scan))
    return;
  auto inReverse = readEach(node, "directions", scan->numInputs);
  if (failed(inReverse))
    return;
  size_t numOutputs = scan->body->view.getOutputs().size();
  scan->in = {SmallVector<int64_t>(scan->numInputs, 0), *inReverse};
  scan->out = {SmallVector<int64_t>(numOutputs, 0), SmallVector<int64_t>(numOutputs, 0)};
  int64_t batch = -1;
  for (size_t index = 1; index < node.getNumOperands(); ++index) {
    if (!node.checkRank(index, index > scan->numStates ? 2 : 1))
      return;
    int64_t size = getShape(node.getOperand(index))[0];
    if ((batch >= 0 && size != batch) || size == 0) {
      node.error() << node.nameOf(index) << " must have a first axis of " << std::max<int64_t>(batch, 1)
                   << ", the batch, but is " << describe(node.getOperand(index));
      return;
    }
    batch = size;
  }
  SmallVector<SmallVector<Value>> rows(numOutputs);
  for (int64_t row = 0; row < batch; ++row) {
    SmallVector<Value> operands;
    for (Value operand : node.getOperands().drop_front())
      operands.push_back(nn.reshape(nn.slice(operand, 0, row, 1), getShape(operand).drop_front()));
    ArrayRef<Value> inputs = ArrayRef(operands).take_back(scan->numInputs);
    if (failed(countTurns(node, *scan, inputs)))
      return;
    FailureOr<SmallVector<Value>> results =
        runScan(node, *scan, SmallVector<Value>(ArrayRef(operands).take_front(scan->numStates)), inputs);
    if (failed(results))
      return;
    for (auto [joined, result] : llvm::zip_equal(rows, *results))
      joined.push_back(unsqueeze(nn, result));
  }
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, nn.concat(rows[index], 0));
}

} // namespace

void registerControlFlow(ImportRegistry &registry) {
  registry.add("If", 1, {{"cond", Holds::Booleans}}, importIf);
  registry.setLimit("If", "a condition that a run decides");
  registry.add("Loop", 1, {{"M?", Holds::Indices}, {"cond?", Holds::Booleans}, {"v_initial...?"}}, importLoop);
  registry.setLimit("Loop", "an end that a run decides, more than 128 turns");
  registry.add("Scan", 8, {{"sequence_lens?", Holds::Indices}, {"initial_state_and_scan_inputs..."}}, importScan8);
  registry.add("Scan", 9, {{"initial_state_and_scan_inputs..."}}, importScan9);
  registry.setLimit("Scan", "more than 128 turns");
}

} // namespace nacre::importer::onnx_format
