// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random conditionals and loops, as TensorFlow writes them and then changed at random: what is raised computes the
// same.

#include "test/unit/compiler/control/ControlText.h"
#include "test/unit/compiler/control/RaisedChecks.h"

#include <gtest/gtest.h>
#include <random>

using namespace nacre::importer::tensorflow_format;

namespace {

/// Writes nested conditionals and loops of random operators, as TensorFlow's own functions for them do: whatever a
/// branch reads from outside goes through a Switch, whatever a loop reads through an Enter.
class Writer {
public:
  explicit Writer(unsigned seed) : random(seed) {}

  ControlText write() {
    for (int count = 0; count < 4; ++count)
      add("Placeholder", {});
    Context context{nullptr, {}, {}, Port::none, {}, 0};
    for (unsigned node = 0; node < 4; ++node)
      context.values.push_back({node, 0});
    fill(context, 3);
    for (int count = 0; count < 3; ++count)
      graph.outputs.push_back(pick(context));
    graph.known.resize(graph.nodes.size());
    return std::move(graph);
  }

  unsigned draw(size_t count) { return unsigned(random() % count); }

private:
  /// A branch, the body of a loop, or the graph.
  struct Context {
    Context *around;
    std::vector<Port> values;
    std::map<Port, Port> imported; ///< Copies of values around
    unsigned pivot;                ///< Node that ties constants to it
    Port predicate;                ///< Predicate of a branch
    unsigned side;
    std::string frame = {}; ///< Name of a loop
  };

  Port add(const char *op, llvm::ArrayRef<Port> operands) {
    graph.text.push_back("n" + std::to_string(graph.nodes.size()));
    graph.nodes.push_back({graph.text.back(), op, llvm::SmallVector<Port, 2>(operands), {}});
    return {unsigned(graph.nodes.size() - 1), 0};
  }

  Port pick(Context &context) {
    if (!context.around || draw(3) != 0)
      return context.values[draw(context.values.size())];
    Port outer = pick(*context.around);
    auto [place, isNew] = context.imported.try_emplace(outer);
    if (isNew)
      place->second = context.frame.empty() ? import(outer, context) : enter(outer, context.frame);
    return place->second;
  }
  Port import(Port value, const Context &context) {
    return {add("Switch", {value, context.predicate}).node, context.side};
  }
  Port enter(Port value, const std::string &frame) {
    Port port = add("Enter", {value});
    graph.text.push_back(frame);
    graph.nodes.back().frame = graph.text.back();
    return port;
  }

  void fill(Context &context, unsigned depth) {
    static const char *const operators[] = {"Neg", "Identity", "Add", "Mul", "Less"};
    for (unsigned count = 1 + draw(6); count > 0; --count) {
      unsigned choice = draw(10);
      if (choice < 2 && depth > 0) {
        addConditional(context, depth - 1);
      } else if (choice == 2 && depth > 0) {
        addLoop(context, depth - 1);
      } else if (choice == 3) {
        Port constant = add("Const", {});
        if (context.pivot != Port::none)
          graph.nodes.back().controls.push_back(context.pivot);
        context.values.push_back(constant);
      } else {
        unsigned op = draw(std::size(operators));
        Port first = pick(context);
        context.values.push_back(op < 2 ? add(operators[op], {first}) : add(operators[op], {first, pick(context)}));
      }
    }
  }

  void addConditional(Context &context, unsigned depth) {
    Port given = pick(context), predicate = add("Identity", {given});
    Port pivots = add("Switch", {given, given});
    size_t numResults = 1 + draw(3);
    std::vector<Port> results[2];
    for (unsigned side : {0, 1}) {
      Port pivot = add("Identity", {{pivots.node, side}});
      Context branch{&context, {}, {}, pivot.node, predicate, side};
      branch.values.push_back(import(pick(context), branch));
      fill(branch, depth);
      for (size_t count = 0; count < numResults; ++count)
        results[side].push_back(pick(branch));
    }
    for (size_t count = 0; count < numResults; ++count) {
      Port merge = add("Merge", {results[0][count], results[1][count]});
      context.values.push_back({merge.node, draw(4) == 0});
    }
  }

  void addLoop(Context &context, unsigned depth) {
    std::string frame = "frame" + std::to_string(graph.nodes.size());
    std::vector<Port> merges, switches;
    for (unsigned count = 1 + draw(3); count > 0; --count)
      merges.push_back(add("Merge", {enter(pick(context), frame)}));
    Context condition{&context, merges, {}, Port::none, {}, 0, frame};
    condition.pivot = merges.front().node;
    fill(condition, depth / 2);
    Port loopCond = add("LoopCond", {add("Less", {pick(condition), merges.front()})});
    Context body{&context, {}, {}, Port::none, {}, 0, frame};
    for (Port merge : merges) {
      switches.push_back(add("Switch", {merge, loopCond}));
      body.values.push_back(add("Identity", {{switches.back().node, 1}}));
    }
    body.pivot = body.values.front().node;
    fill(body, depth);
    for (Port merge : merges)
      graph.nodes[merge.node].operands.push_back(add("NextIteration", {body.values[draw(body.values.size())]}));
    for (Port port : switches)
      if (draw(3) != 0)
        context.values.push_back(add("Exit", {port}));
  }

  ControlText graph;
  std::mt19937 random;
};

struct Tally {
  unsigned raised = 0, compared = 0;
};

/// A graph that can be raised must be whole and have the results of TensorFlow, if both end.
void checkRaised(const ControlText &graph, unsigned seed, Tally &tally) {
  auto raised = raiseControl(graph.nodes, graph.outputs, [](Port) { return std::nullopt; });
  auto *good = std::get_if<RaisedGraph>(&raised);
  if (!good)
    return;
  ++tally.raised;
  std::string fault = findFault(graph.nodes, *good);
  EXPECT_EQ(fault, "") << "seed " << seed << "\n" << printRaised(graph, *good);
  if (!fault.empty())
    return;
  for (Number salt : {1, 2, 3, 4}) {
    std::vector<Number> expected;
    for (Port output : graph.outputs)
      if (std::optional<Number> value = runNodes(graph.nodes, output, salt))
        expected.push_back(*value);
    auto results = runRaised(graph.nodes, *good, salt);
    if (!results || expected.size() != graph.outputs.size())
      continue;
    ++tally.compared;
    EXPECT_EQ(*results, expected) << "seed " << seed << "\n" << printRaised(graph, *good);
  }
}

TEST(RandomGraphs, ComputeWhatTheyDidBefore) {
  Tally tally;
  for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed)
    checkRaised(Writer(seed).write(), seed, tally);
  EXPECT_EQ(tally.raised, 2000u);
  EXPECT_GT(tally.compared, 4000u);
}

TEST(RandomGraphs, ThatAreChangedAreRaisedOrRefused) {
  static const char *const operators[] = {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "Neg"};
  Tally tally;
  for (unsigned seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    Writer writer(seed);
    ControlText graph = writer.write();
    for (unsigned count = 1 + writer.draw(3); count > 0; --count) {
      ControlNode &node = graph.nodes[writer.draw(graph.nodes.size())];
      unsigned choice = writer.draw(4);
      if (choice == 0)
        node.op = operators[writer.draw(std::size(operators))];
      else if (choice == 1)
        node.controls.assign(1, writer.draw(graph.nodes.size()));
      else if (!node.operands.empty())
        node.operands[writer.draw(node.operands.size())] = {writer.draw(graph.nodes.size()), writer.draw(2)};
    }
    checkRaised(graph, seed, tally);
  }
  EXPECT_GT(tally.raised, 1500u);
  EXPECT_GT(tally.compared, 3000u);
}

/// A graph of `count` groups of lines, of which `write` says each.
template <typename Write> ControlText repeat(const char *first, unsigned count, Write write) {
  std::string text = first;
  for (unsigned number = 1; number <= count; ++number)
    text += write(std::to_string(number - 1), std::to_string(number));
  return parseControl(text + "return x" + std::to_string(count));
}

TEST(RandomGraphs, OfManyNodesTakeNoLongerThanTheirNodes) {
  const char *first = "p = Placeholder\n x0 = Placeholder\n";
  ControlText row = repeat(first, 33000, [](const std::string &before, const std::string &name) {
    return "s" + name + " = Switch x" + before + " p\n a" + name + " = Neg s" + name + ":1\n x" + name + " = Merge s" +
           name + " a" + name + "\n";
  });
  ControlText iterations = repeat(first, 14000, [](const std::string &before, const std::string &name) {
    return "e" + name + " = Enter x" + before + " frame=L" + name + "\n m" + name + " = Merge e" + name + " n" + name +
           "\n c" + name + " = LoopCond m" + name + "\n s" + name + " = Switch m" + name + " c" + name + "\n a" + name +
           " = Neg s" + name + ":1\n n" + name + " = NextIteration a" + name + "\n x" + name + " = Exit s" + name +
           "\n";
  });
  ControlText switches = repeat(
      "p = Const value=false\n x0 = Placeholder\n", 100000,
      [](const std::string &before, const std::string &name) { return "x" + name + " = Switch x" + before + " p\n"; });
  for (const ControlText &graph : {std::move(row), std::move(iterations), std::move(switches)}) {
    auto raised = raiseControl(graph.nodes, graph.outputs, [&](Port port) { return graph.known[port.node]; });
    EXPECT_TRUE(std::holds_alternative<RaisedGraph>(raised));
  }
}

} // namespace
