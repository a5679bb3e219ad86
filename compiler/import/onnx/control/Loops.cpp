// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Loop.
//
// It becomes a loop of `nn`, in whose body the condition is always true. If values change their shapes, or must be
// known, it is unrolled. Then the index of each iteration is a constant.

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/onnx/control/ControlFlow.h"

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

void importAsLoop(OperandBinder &node, const LoopNode &loop) {
  Loop built;
  built.initial = loop.initial;
  built.count = loop.count;
  built.goesOn = loop.goesOn;
  // A larger number means that there is no limit.
  if (loop.most <= INT32_MAX)
    built.bound = loop.most;
  FailureOr<LoopResults> results = RegionBuilder(node.nn).buildLoop(
      built, [&](Value number, ArrayRef<Value> carried, ArrayRef<Value>) -> FailureOr<Iteration> {
        FailureOr<SmallVector<Value>> values = loop.importIteration(node, number, carried);
        if (failed(values))
          return failure();
        ArrayRef<Value> given = *values;
        return Iteration{SmallVector<Value>(given.slice(1, loop.initial.size())),
                         SmallVector<Value>(given.drop_front(1 + loop.initial.size())), given.front()};
      });
  if (failed(results))
    return node.fail();
  llvm::append_range(results->finals, results->stacks);
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, results->finals[index]);
}

//===----------------------------------------------------------------------===//
// 3. Unrolled
//===----------------------------------------------------------------------===//

void importUnrolled(OperandBinder &node, const LoopNode &loop) {
  NnBuilder &nn = node.nn;
  bool goesOn = loop.begins;
  SmallVector<Value> carried = loop.initial;
  SmallVector<SmallVector<Value>> stacks(loop.outputs.size() - 1 - carried.size());
  for (int64_t iteration = 0; iteration < loop.most && goesOn; ++iteration) {
    if (!allowsUnrolling(node, *loop.body, loop.most > INT32_MAX ? iteration + 1 : loop.most))
      return;
    FailureOr<SmallVector<Value>> results =
        loop.importIteration(node, nn.scalar(nn.integers({}), double(iteration)), carried);
    if (failed(results))
      return;
    ElementsAttr known = getConstant(results->front());
    if (!known || known.getNumElements() != 1 || !known.getElementType().isInteger(1)) {
      node.error() << "the body's condition '" << loop.outputs.front().name
                   << "' must be known at compile time, because the types of the carried values change between "
                      "iterations, but is computed";
      return;
    }
    goesOn = *known.getValues<bool>().begin();
    carried.assign(results->begin() + 1, results->begin() + 1 + carried.size());
    for (auto [stack, row] : llvm::zip_equal(stacks, ArrayRef(*results).drop_front(1 + carried.size())))
      stack.push_back(unsqueeze(nn, row));
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
  registry.add("Loop", 1, {{"M?", Holds::Indices}, {"cond?", Holds::Booleans}, {"v_initial...?"}}, importLoop);
  registry.setLimit("Loop",
                    "carried types that change between iterations, unless constants limit the loop to 128 iterations");
}

} // namespace nacre::importer::onnx_format
