// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IF and WHILE, whose graphs take the operands of the operator.

#include "compiler/import/control/NodeGraphs.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tflite/Handlers.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Returns the graph with the name `name`. Reports an error and returns null if it does not have `inputs` inputs and
/// `outputs` outputs.
const NodeGraph *findGraph(OperandBinder &node, StringRef name, size_t inputs, size_t outputs) {
  const NodeGraph *graph = node.getGraph(name);
  if (!graph)
    return nullptr;
  const size_t takes = graph->view.getInputs().size(), gives = graph->view.getOutputs().size();
  if (takes == inputs && gives == outputs)
    return graph;
  node.error() << "the graph '" << name << "' must take " << describeCount(inputs, "value") << " and return " << outputs
               << ", but takes " << takes << " and gives " << gives;
  return nullptr;
}

void importIf(TfliteNode &tfliteNode) {
  OperandBinder &node = tfliteNode;
  node.ignore({"then_subgraph_index", "else_subgraph_index"}); // the reader has read these graphs
  ArrayRef<Value> arguments = node.getOperands().drop_front();
  const NodeGraph *onTrue = findGraph(node, "then", arguments.size(), node.getNumResults()),
                  *onFalse = findGraph(node, "else", arguments.size(), node.getNumResults());
  if (!onTrue || !onFalse)
    return;
  auto bind = [&](const NodeGraph &graph) {
    return NodeGraph{graph.attribute, graph.view,
                     [&graph, arguments](ArrayRef<Value>) { return graph.import(arguments); }};
  };
  FailureOr<SmallVector<Value>> results = importBranches(node, 0, bind(*onTrue), bind(*onFalse));
  if (succeeded(results))
    setResults(node, *results);
}

void importAsLoop(OperandBinder &node, const NodeGraph &condition, const NodeGraph &body) {
  Loop loop;
  loop.initial = llvm::to_vector(node.getOperands());
  auto compute = [&](Value, ArrayRef<Value> carried, ArrayRef<Value>) -> FailureOr<Iteration> {
    FailureOr<SmallVector<Value>> values = node.expand(body, carried);
    if (failed(values))
      return failure();
    return Iteration{*values};
  };
  auto goesOn = [&](Value, ArrayRef<Value> carried) -> FailureOr<Value> {
    FailureOr<SmallVector<Value>> values = node.expand(condition, carried);
    return failed(values) ? FailureOr<Value>() : values->front();
  };
  FailureOr<LoopResults> results = RegionBuilder(node.nn).buildLoop(loop, compute, goesOn);
  if (failed(results))
    return node.fail();
  setResults(node, results->finals);
}

void importWhile(TfliteNode &tfliteNode) {
  OperandBinder &node = tfliteNode;
  node.ignore({"cond_subgraph_index", "body_subgraph_index"}); // the reader has read these graphs
  const size_t count = node.getNumOperands();
  const NodeGraph *condition = findGraph(node, "condition", count, 1), *body = findGraph(node, "body", count, count);
  if (!condition || !body)
    return;
  if (node.getNumResults() != count) {
    node.error() << "must have a result for each of " << count << " operands, but has " << node.getNumResults();
    return;
  }
  importLoopOrUnrolled(
      node, [&] { importAsLoop(node, *condition, *body); }, /*isKnown=*/true,
      [&] { importUnrolled(node, *condition, *body, node.getOperands(), /*iterations=*/std::nullopt); });
}

} // namespace

void registerControlFlow(ImportRegistry &registry) {
  add(registry, "IF", Integers::Computed, {{"condition", Holds::Booleans}, {"inputs...?"}}, importIf);
  registry.setLimit("IF", "branches of different types, if the condition is known only at run time");
  add(registry, "WHILE", Integers::Computed, {{"inputs..."}}, importWhile);
  registry.setLimit("WHILE",
                    "carried types that change between iterations, unless constants limit the loop to 128 iterations");
}

} // namespace nacre::importer::tflite_format
