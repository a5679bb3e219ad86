// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Loop.
//
// It becomes a loop of `nn`, in whose body the condition is always true. A list to which each iteration only appends a
// tensor becomes a stack of the loop. If values change their shapes, or must be known, or lists change in other ways,
// the loop is unrolled. Then the index of each iteration is a constant.

#include "compiler/import/binding/Signature.h"
#include "compiler/import/control/BodyReaders.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/onnx/control/ControlFlow.h"
#include "compiler/import/onnx/operands/StackedLists.h"
#include "dialects/nn/NarrowTypes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The node
//===----------------------------------------------------------------------===//

struct LoopNode {
  const NodeGraph *body = nullptr;
  SmallVector<GraphValue> inputs, outputs;
  SmallVector<Value> initial;
  SmallVector<bool> grows;  ///< true for each carried list with which an iteration only appends one tensor to its end
  int64_t most = INT64_MAX; ///< known limit of the number of iterations
  bool begins = true;       ///< false if it is known that there is no iteration
  Value count, goesOn;      ///< number of iterations and first condition if they are computed at run time; null if they
                            ///< are known

  bool isKnown() const { return !count && !goesOn; }

  /// Returns `value` in the shape that input `index` of the body declares. Some bodies declare one axis for a scalar.
  Value asDeclared(NnBuilder &nn, size_t index, Value value) const {
    const auto &shape = inputs[index].type.shape;
    return shape && shape->size() == 1 ? nn.reshape(value, {1}) : value;
  }

  /// Returns the results of an iteration: the next condition, the carried values, and a row of each stack.
  FailureOr<SmallVector<Value>> importIteration(OperandBinder &node, Value number, ArrayRef<Value> carried) const {
    NnBuilder &nn = node.nn;
    Value yes = nn.splat(RankedTensorType::get({}, nn.types().getI1Type()), 1);
    SmallVector<Value> arguments = {asDeclared(nn, 0, number), asDeclared(nn, 1, yes)};
    llvm::append_range(arguments, carried);
    return node.expand(*body, arguments);
  }
};

/// True if the body's only use of carried value `index` is to append one tensor to it.
bool onlyGrows(const BodyReaders &readers, const LoopNode &loop, size_t index) {
  const GraphNode *use = readers.findOnlyUse(loop.inputs[2 + index].getSource(), 1 + index);
  return use && use->op == "SequenceInsert" && use->domain.empty() &&
         (use->operands.size() < 3 || use->operands[2].empty());
}

FailureOr<LoopNode> readLoop(OperandBinder &node) {
  const NodeGraph *body = node.getGraph("body");
  if (!body)
    return failure();
  LoopNode loop;
  loop.body = body;
  loop.inputs = body->view.getInputs();
  loop.outputs = body->view.getOutputs();
  size_t numCarried = std::max<size_t>(node.getNumOperands(), 2) - 2;
  if (loop.inputs.size() != numCarried + 2 || loop.outputs.size() <= numCarried ||
      node.getNumResults() > loop.outputs.size() - 1)
    return node.error()
           << "the body must take an iteration number, a condition and the " << numCarried
           << " carried values, and return a condition, as many carried values and a row of each stack, but takes "
           << loop.inputs.size() << " and returns " << loop.outputs.size();
  for (size_t index = 2; index < node.getNumOperands(); ++index) {
    if (!node.getOperand(index))
      return node.error() << node.nameOf(index) << " is required by the body, but is missing";
    loop.initial.push_back(node.getOperand(index));
  }
  loop.grows.assign(numCarried, false);
  if (!llvm::all_of(loop.initial, isTensor)) {
    const BodyReaders readers(body->view);
    for (auto [index, value] : llvm::enumerate(loop.initial))
      loop.grows[index] = isList(value) && onlyGrows(readers, loop, index);
  }
  for (size_t index : {0, 1}) {
    Value end = node.getOperand(index);
    if (end && !getConstant(end)) {
      (index == 0 ? loop.count : loop.goesOn) = end;
      continue;
    }
    FailureOr<int64_t> known = end ? node.getInteger(index) : INT64_MAX;
    if (failed(known))
      return failure();
    if (index == 0)
      loop.most = *known;
    else
      loop.begins = *known != 0;
  }
  return loop;
}

//===----------------------------------------------------------------------===//
// 2. As a loop
//===----------------------------------------------------------------------===//

/// Returns the loop before its body is built. Fails after an error.
FailureOr<Loop> beginLoop(OperandBinder &node, const LoopNode &loop) {
  Loop built;
  for (auto [index, value, grows] : llvm::enumerate(loop.initial, loop.grows)) {
    if (grows)
      continue;
    if (isList(value))
      return node.error() << "the body must only append one tensor to the end of its input '"
                          << loop.inputs[2 + index].name << "' (" << node.nameOf(2 + index) << ", " << describe(value)
                          << "), because the number of iterations is known only at run time; pass --set for the input "
                             "that decides this number";
    if (isTensor(value) && nn::isNarrow(getElementType(value)))
      return node.error() << node.nameOf(2 + index) << " must be of " << describe(Holds::Anything)
                          << ", because the number of iterations is known only at run time, but is " << describe(value)
                          << "; convert it with a Cast";
    built.initial.push_back(value);
  }
  built.count = loop.count;
  built.goesOn = loop.goesOn;
  // A larger number means that there is no limit.
  if (loop.most <= INT32_MAX)
    built.bound = loop.most;
  const bool hasStacks = loop.outputs.size() - 1 > loop.initial.size() || llvm::is_contained(loop.grows, true);
  if (hasStacks && loop.count)
    if (std::optional<SmallVector<Size>> counts = node.nn.readSizes(loop.count);
        counts && counts->size() == 1 && counts->front().bound <= INT32_MAX)
      built.bound = counts->front().bound;
  return built;
}

void importAsLoop(OperandBinder &node, const LoopNode &loop) {
  NnBuilder &nn = node.nn;
  FailureOr<Loop> built = beginLoop(node, loop);
  if (failed(built))
    return;
  const size_t numCarried = loop.initial.size();
  auto compute = [&](Value number, ArrayRef<Value> carried, ArrayRef<Value>) -> FailureOr<Iteration> {
    SmallVector<Value> arguments;
    for (bool grows : loop.grows)
      arguments.push_back(grows ? nn.list({}) : carried.consume_front());
    FailureOr<SmallVector<Value>> values = loop.importIteration(node, number, arguments);
    if (failed(values))
      return failure();
    ArrayRef<Value> given = *values;
    if (!isTensor(given.front()))
      return node.error() << "the body's condition '" << loop.outputs.front().name << "' must be a tensor, but is "
                          << describe(given.front());
    Iteration iteration{{}, SmallVector<Value>(given.drop_front(1 + numCarried)), given.front()};
    for (auto [value, grows] : llvm::zip_equal(given.slice(1, numCarried), loop.grows))
      if (grows) // the list has only the tensor that this iteration appends
        iteration.rows.push_back(getList(value)->front());
      else
        iteration.carried.push_back(value);
    return iteration;
  };
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(*built, compute);
  if (failed(results))
    return node.fail();
  ArrayRef<Value> finals = results->finals, stacks = results->stacks;
  ArrayRef<Value> appended = stacks.take_back(llvm::count(loop.grows, true));
  for (auto [index, grows] : llvm::enumerate(loop.grows)) {
    Value value = (grows ? appended : finals).consume_front();
    if (node.wantsResult(index))
      node.setResult(index, grows ? appendRows(node, loop.initial[index], value, node.nameOf(2 + index)) : value);
  }
  for (size_t index = numCarried; index < node.getNumResults(); ++index)
    node.setResult(index, stacks[index - numCarried]);
}

//===----------------------------------------------------------------------===//
// 3. Unrolled
//===----------------------------------------------------------------------===//

void importUnrolled(OperandBinder &node, const LoopNode &loop) {
  NnBuilder &nn = node.nn;
  const bool hasLists = !llvm::all_of(loop.initial, isTensor);
  StringRef reason =
      hasLists ? "the loop carries a sequence" : "the types of the carried values change between iterations";
  StringRef advice = hasLists ? "only append one tensor of the same type to the end of each sequence"
                              : "carry values of the same type through all iterations";
  bool goesOn = loop.begins;
  SmallVector<Value> carried = loop.initial;
  SmallVector<SmallVector<Value>> stacks(loop.outputs.size() - 1 - carried.size());
  for (int64_t iteration = 0; iteration < loop.most && goesOn; ++iteration) {
    if (!allowsUnrolling(node, *loop.body, loop.most > INT32_MAX ? iteration + 1 : loop.most, advice))
      return;
    FailureOr<SmallVector<Value>> results =
        loop.importIteration(node, nn.scalar(nn.integers({}), double(iteration)), carried);
    if (failed(results))
      return;
    ElementsAttr known = getConstant(results->front());
    if (!known || known.getNumElements() != 1 || !known.getElementType().isInteger(1)) {
      node.error() << "the body's condition '" << loop.outputs.front().name
                   << "' must be known at compile time, because " << reason << ", but is computed";
      return;
    }
    goesOn = *known.getValues<bool>().begin();
    carried.assign(results->begin() + 1, results->begin() + 1 + carried.size());
    for (auto [stack, row] : llvm::zip_equal(stacks, ArrayRef(*results).drop_front(1 + carried.size())))
      stack.push_back(unsqueeze(nn, row));
    if (node.hasFailed())
      return;
  }
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, index < carried.size()
                              ? carried[index]
                              : joinStack(node, stacks[index - carried.size()], loop.outputs[1 + index], /*axis=*/0));
}

void importLoop(OperandBinder &node) {
  FailureOr<LoopNode> loop = readLoop(node);
  if (failed(loop))
    return;
  if (loop->most <= 0 || !loop->begins) // no iterations
    return importUnrolled(node, *loop);
  importLoopOrUnrolled(node, [&] { importAsLoop(node, *loop); }, loop->isKnown(), [&] { importUnrolled(node, *loop); });
  // If the value that decides the number of iterations were known, the loop could be unrolled.
  for (auto [index, decides] : llvm::enumerate(std::array<Value, 2>{loop->count, loop->goesOn}))
    if (node.hasFailed() && decides && failed(node.getInteger(index)))
      return;
}

} // namespace

void registerLoops(ImportRegistry &registry) {
  registry.add("Loop", 1, {{"M?", Holds::Indices}, {"cond?", Holds::Booleans}, {"v_initial...?", Holds::AnyValue}},
               importLoop);
  registry.setLimit("Loop", "carried types that change between iterations, unless constants limit the loop to 128 "
                            "iterations or a sequence only grows by one tensor of the same type in each");
}

} // namespace nacre::importer::onnx_format
