// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for every raised graph, and the results of graphs, before and after.

#include "test/unit/compiler/control/RaisedChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DJB.h"
#include <map>
#include <set>

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// What must hold
//===----------------------------------------------------------------------===//

/// Names that a part knows; those of parts around are looked up after its own.
struct Scope {
  const Scope *around;
  std::set<unsigned> nodes;
  std::set<Port> ports;

  bool knows(Port port) const {
    return port.isNumber() || nodes.count(port.node) || ports.count(port) || (around && around->knows(port));
  }
};

class FaultFinder {
public:
  FaultFinder(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph) : nodes(nodes), graph(graph) {}

  void visit(const RaisedPart &part, Scope scope);

  std::string fault;

private:
  void need(const Scope &scope, Port port, const char *what) {
    if (!scope.knows(port) && fault.empty())
      fault = std::string(what) + " reads '" + nodes[port.node].name.str() + "' before it is computed";
  }
  /// A part sees its arguments and the values that it states to capture.
  Scope isolate(const Scope &around, llvm::ArrayRef<Port> captures) {
    for (Port capture : captures)
      need(around, capture, "a capture");
    return {nullptr, {}, {captures.begin(), captures.end()}};
  }
  void visitConditional(const RaisedConditional &conditional, Scope &scope);
  void visitLoop(const RaisedLoop &loop, Scope &scope);

  llvm::ArrayRef<ControlNode> nodes;
  const RaisedGraph &graph;
};

void FaultFinder::visitConditional(const RaisedConditional &conditional, Scope &scope) {
  need(scope, conditional.predicate, "a predicate");
  for (const RaisedPart &part : conditional.parts) {
    visit(part, isolate(scope, conditional.captures));
    if (part.results.size() != conditional.values.size())
      fault = "a side returns another number of results";
  }
  scope.ports.insert(conditional.values.begin(), conditional.values.end());
}

void FaultFinder::visitLoop(const RaisedLoop &loop, Scope &scope) {
  Scope inside = isolate(scope, loop.captures);
  for (const CarriedValue &carried : loop.carried) {
    need(scope, carried.init, "a first value");
    inside.ports.insert(carried.value);
  }
  visit(loop.condition, inside);
  visit(loop.body, inside);
  if (loop.condition.results.size() != 1 || loop.body.results.size() != loop.carried.size())
    fault = "a loop returns another number of results";
  for (const CarriedValue &carried : loop.carried)
    scope.ports.insert(carried.value);
}

void FaultFinder::visit(const RaisedPart &part, Scope scope) {
  for (RaisedItem item : part.items) {
    switch (item.kind) {
    case RaisedItem::Kind::Node:
      for (Port operand : graph.operands[item.index])
        need(scope, operand, nodes[item.index].name.str().c_str());
      if (!scope.nodes.insert(item.index).second)
        fault = "a node is twice in a part";
      break;
    case RaisedItem::Kind::Conditional:
      visitConditional(graph.conditionals[item.index], scope);
      break;
    case RaisedItem::Kind::Loop:
      visitLoop(graph.loops[item.index], scope);
      break;
    }
  }
  for (Port result : part.results)
    need(scope, result, "a result");
}

//===----------------------------------------------------------------------===//
// What nodes compute
//===----------------------------------------------------------------------===//

constexpr unsigned mostIterations = 12, mostSteps = 200000;

Number mix(const ControlNode &node, llvm::ArrayRef<Number> operands, Number salt) {
  if (getControlKind(node.op) == ControlKind::Identity && !operands.empty())
    return operands.front();
  Number number = operands.empty() ? llvm::djbHash(node.name, salt) : llvm::djbHash(node.op);
  for (Number operand : operands)
    number = (number ^ operand) * 0x9E3779B1u + (number >> 15);
  return number ^ (number >> 13);
}

/// Values on demand: of a node in an iteration of each of the loops around it.
class NodeRunner {
public:
  NodeRunner(llvm::ArrayRef<ControlNode> nodes, Number salt) : nodes(nodes), salt(salt) {}

  /// Dead: nothing, and `isWrong` is false.
  std::optional<Number> run(Port port, const std::vector<unsigned> &iterations);

  bool isWrong = false;

private:
  using Iterations = std::vector<unsigned>;

  std::optional<Number> compute(Port port, const Iterations &iterations);
  std::optional<Number> merge(const ControlNode &node, bool wantsIndex, Iterations iterations);
  std::optional<Number> leave(const ControlNode &node, Iterations iterations);
  std::optional<Number> wrong() {
    isWrong = true;
    return std::nullopt;
  }

  llvm::ArrayRef<ControlNode> nodes;
  Number salt;
  unsigned steps = 0, depth = 0;
  std::map<std::pair<Port, Iterations>, std::optional<Number>> known;
};

std::optional<Number> NodeRunner::run(Port port, const Iterations &iterations) {
  auto place = known.find({port, iterations});
  // What floats is the same in all iterations; it is computed as if it were in each.
  if (place != known.end())
    return place->second;
  if (isWrong || ++steps > mostSteps || depth > 2000)
    return wrong();
  ++depth;
  std::optional<Number> value = compute(port, iterations);
  --depth;
  return known[{port, iterations}] = value;
}

std::optional<Number> NodeRunner::merge(const ControlNode &node, bool wantsIndex, Iterations iterations) {
  std::optional<Number> result;
  for (auto [index, operand] : llvm::enumerate(node.operands)) {
    bool isNext = getControlKind(nodes[operand.node].op) == ControlKind::NextIteration;
    bool isFirst = getControlKind(nodes[operand.node].op) == ControlKind::Enter;
    bool isLoop = llvm::any_of(
        node.operands, [&](Port port) { return getControlKind(nodes[port.node].op) == ControlKind::NextIteration; });
    if (isLoop && iterations.empty())
      return wrong();
    if ((isNext && iterations.back() == 0) || (isFirst && isLoop && iterations.back() != 0))
      continue;
    Iterations before = iterations;
    if (isNext)
      --before.back();
    std::optional<Number> value = run(operand, before);
    if (value && result)
      return wrong();
    if (value)
      result = wantsIndex ? Number(index) : *value;
  }
  return result;
}

/// The value of the last iteration, in which the Switch lets it out.
std::optional<Number> NodeRunner::leave(const ControlNode &node, Iterations iterations) {
  iterations.push_back(0);
  for (; iterations.back() < mostIterations; ++iterations.back()) {
    std::optional<Number> value = run(node.operands[0], iterations);
    if (value || isWrong)
      return value;
    if (iterations.back() == 0) { // a loop that is not entered
      Port source = node.operands[0];
      for (unsigned hops = 0; getControlKind(nodes[source.node].op) != ControlKind::Switch && hops < 100; ++hops)
        source = nodes[source.node].operands.empty() ? source : nodes[source.node].operands[0];
      if (getControlKind(nodes[source.node].op) == ControlKind::Switch &&
          !run(nodes[source.node].operands[1], iterations))
        return std::nullopt;
    }
  }
  return wrong();
}

std::optional<Number> NodeRunner::compute(Port port, const Iterations &iterations) {
  const ControlNode &node = nodes[port.node];
  ControlKind kind = getControlKind(node.op);
  if (kind == ControlKind::Merge)
    return merge(node, port.result == 1, iterations);
  if (kind == ControlKind::Exit)
    return leave(node, iterations);
  Iterations outside = iterations;
  if (kind == ControlKind::Enter) {
    if (outside.empty())
      return wrong();
    outside.pop_back();
  }
  std::vector<Number> operands;
  for (Port operand : node.operands) {
    std::optional<Number> value = run(operand, outside);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  for (unsigned control : node.controls)
    if (!run({control, 0}, iterations) &&
        !(getControlKind(nodes[control].op) == ControlKind::Switch && run({control, 1}, iterations)))
      return std::nullopt;
  switch (kind) {
  case ControlKind::Switch:
    return (operands[1] & 1) == port.result ? std::optional(operands[0]) : std::nullopt;
  case ControlKind::Enter:
  case ControlKind::NextIteration:
  case ControlKind::LoopCond:
    return operands[0];
  default:
    return mix(node, operands, salt);
  }
}

//===----------------------------------------------------------------------===//
// What the raised graph computes
//===----------------------------------------------------------------------===//

class RaisedRunner {
public:
  RaisedRunner(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph, Number salt)
      : nodes(nodes), graph(graph), salt(salt) {}

  using Values = std::map<Port, Number>;

  /// Returns no result if a loop has too many iterations.
  std::optional<std::vector<Number>> run(const RaisedPart &part, Values values) {
    for (RaisedItem item : part.items) {
      if (++steps > mostSteps)
        return std::nullopt;
      if (item.kind == RaisedItem::Kind::Node) {
        std::vector<Number> operands;
        for (Port operand : graph.operands[item.index])
          operands.push_back(get(values, operand));
        for (unsigned result : {0, 1, 2, 3}) // all results of a node are the same
          values[{item.index, result}] = mix(nodes[item.index], operands, salt);
      } else if (item.kind == RaisedItem::Kind::Conditional) {
        const RaisedConditional &conditional = graph.conditionals[item.index];
        auto results = run(conditional.parts[get(values, conditional.predicate) & 1], values);
        if (!results)
          return std::nullopt;
        for (auto [port, value] : llvm::zip_equal(conditional.values, *results))
          values[port] = value;
      } else if (!iteration(graph.loops[item.index], values)) {
        return std::nullopt;
      }
    }
    std::vector<Number> results;
    for (Port result : part.results)
      results.push_back(get(values, result));
    return results;
  }

private:
  static Number get(const Values &values, Port port) { return port.isNumber() ? port.result : values.at(port); }

  bool iteration(const RaisedLoop &loop, Values &values) {
    std::vector<Number> current;
    for (const CarriedValue &carried : loop.carried)
      current.push_back(get(values, carried.init));
    for (unsigned count = 0; count <= mostIterations; ++count) {
      for (auto [carried, value] : llvm::zip_equal(loop.carried, current))
        values[carried.value] = value;
      auto goesOn = run(loop.condition, values);
      if (!goesOn || !(goesOn->front() & 1))
        return goesOn.has_value();
      auto next = run(loop.body, values);
      if (!next)
        return false;
      current = *next;
    }
    return false;
  }

  llvm::ArrayRef<ControlNode> nodes;
  const RaisedGraph &graph;
  Number salt;
  unsigned steps = 0;
};

} // namespace

std::string findFault(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph) {
  FaultFinder finder(nodes, graph);
  finder.visit(graph.main, {nullptr, {}, {}});
  return finder.fault;
}

std::optional<Number> runNodes(llvm::ArrayRef<ControlNode> nodes, Port output, Number salt) {
  NodeRunner runner(nodes, salt);
  std::optional<Number> value = runner.run(output, {});
  return runner.isWrong ? std::nullopt : value;
}

std::optional<std::vector<Number>> runRaised(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph, Number salt) {
  return RaisedRunner(nodes, graph, salt).run(graph.main, {});
}

} // namespace nacre::importer::tensorflow_format
