// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions: the nodes that replace them, and refusals.

#include "compiler/import/tensorflow/saved/InlineCalls.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "google/protobuf/text_format.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace nacre::importer::tensorflow_format;
using namespace mlir;

namespace {

class InlineCallsTest : public testing::Test {
protected:
  InlineCallsTest()
      : handler(&context, [this](Diagnostic &diagnostic) { message = diagnostic.str(); }),
        loc(UnknownLoc::get(&context)) {}

  /// Reads a graph and inlines its calls; false after an error.
  bool inlineAll(const std::string &text) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
    FailureOr<CallResults> found = inlineCalls(graph, loc);
    if (succeeded(found))
      results = std::move(*found);
    return succeeded(found);
  }

  /// `op(operands)` of a node; empty where it is not there.
  std::string describe(llvm::StringRef name) const {
    for (const tensorflow::NodeDef &node : graph.node())
      if (node.name() == name)
        return node.op() + "(" + llvm::join(node.input(), ", ") + ")";
    return "";
  }

  bool complains(llvm::StringRef part) { return llvm::StringRef(message).contains(part); }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
  Location loc;
  tensorflow::GraphDef graph;
  CallResults results;
};

const char *const twice = R"(
  library { function {
    signature { name: "twice" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "two" op: "Const" }
    node_def { name: "split" op: "Split" input: "two:output:0" input: "x" attr { key: "num_split" value { i: 2 } } }
    node_def { name: "add" op: "Add" input: "split:output:0" input: "split:output:1" attr { key: "T" value { placeholder: "T" } } }
    ret { key: "y" value: "add:z:0" }
  } }
)";

TEST_F(InlineCallsTest, ABodyStandsForTheCall) {
  ASSERT_TRUE(inlineAll(std::string(twice) + R"(
    node { name: "in" op: "Placeholder" }
    node { name: "before" op: "NoOp" }
    node { name: "call" op: "PartitionedCall" input: "in" input: "^before"
           attr { key: "f" value { func { name: "twice" attr { key: "T" value { type: DT_FLOAT } } } } } }
    node { name: "out" op: "Neg" input: "call" }
    node { name: "after" op: "NoOp" input: "^call" }
  )")) << message;
  EXPECT_EQ(describe("call/two"), "Const(^before)");
  EXPECT_EQ(describe("call/split"), "Split(call/two, in)");
  EXPECT_EQ(describe("call/add"), "Add(call/split, call/split:1)");
  EXPECT_EQ(describe("call"), "NoOp(^before, ^call/add)");
  EXPECT_EQ(describe("out"), "Neg(call/add)");
  EXPECT_EQ(describe("after"), "NoOp(^call)");
  EXPECT_EQ(results.resolve("call:0"), "call/add");
  EXPECT_EQ(results.resolve("in"), "in");
  EXPECT_EQ(results.resolve("call:1"), std::nullopt);
  for (const tensorflow::NodeDef &node : graph.node())
    if (node.name() == "call/add")
      EXPECT_EQ(findAttribute(node, "T")->type(), tensorflow::DT_FLOAT);
}

TEST_F(InlineCallsTest, AFunctionsNameIsAnOperator) {
  ASSERT_TRUE(inlineAll(std::string(twice) + R"(
    node { name: "in" op: "Placeholder" }
    node { name: "call" op: "twice" input: "in" attr { key: "T" value { type: DT_HALF } } }
    node { name: "call/add" op: "Neg" input: "call:0" }
  )")) << message;
  // The name was taken.
  EXPECT_EQ(describe("call/add"), "Neg(call/add_1)");
  EXPECT_EQ(describe("call/add_1"), "Add(call/split, call/split:1)");
}

TEST_F(InlineCallsTest, CallsInBodiesAreInlinedAndResultsPassThem) {
  ASSERT_TRUE(inlineAll(R"(
    node { name: "v" op: "VarHandleOp" }
    node { name: "in" op: "Placeholder" }
    node { name: "call" op: "StatefulPartitionedCall" input: "v" input: "in" attr { key: "f" value { func { name: "outer" } } } }
    node { name: "out" op: "Neg" input: "call:1" }
    library {
      function {
        signature { name: "outer" input_arg { name: "r" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT }
                    output_arg { name: "same" type: DT_FLOAT } output_arg { name: "read" type: DT_FLOAT } }
        node_def { name: "call" op: "inner" input: "r" input: "x" }
        ret { key: "same" value: "call:b:0" } ret { key: "read" value: "call:a:0" }
      }
      function {
        signature { name: "inner" input_arg { name: "r" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT }
                    output_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
        node_def { name: "read" op: "ReadVariableOp" input: "r" }
        node_def { name: "write" op: "AssignVariableOp" input: "r" input: "x" input: "^read" }
        ret { key: "a" value: "read:value:0" } ret { key: "b" value: "x" }
        control_ret { key: "write" value: "write" }
      }
    }
  )")) << message;
  EXPECT_EQ(describe("out"), "Neg(call/call/read)");
  EXPECT_EQ(describe("call/call/write"), "AssignVariableOp(v, in, ^call/call/read)");
  EXPECT_EQ(describe("call/call"), "NoOp(^call/call/read, ^in, ^call/call/write)");
  EXPECT_EQ(results.resolve("call"), "in");
}

TEST_F(InlineCallsTest, ListsOfArgumentsAreCountedByTheirAttribute) {
  ASSERT_TRUE(inlineAll(R"(
    node { name: "a" op: "Placeholder" } node { name: "b" op: "Placeholder" } node { name: "c" op: "Placeholder" }
    node { name: "call" op: "f" input: "a" input: "b" input: "c" attr { key: "N" value { i: 2 } } }
    library { function {
      signature { name: "f" input_arg { name: "xs" type: DT_FLOAT number_attr: "N" } input_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "n" op: "AddN" input: "xs:1" input: "xs:0" input: "y" }
    } }
  )")) << message;
  EXPECT_EQ(describe("call/n"), "AddN(b, a, c)");
}

TEST_F(InlineCallsTest, WhatIsWrongIsNamed) {
  const std::pair<const char *, const char *> cases[] = {
      {R"(node { name: "call" op: "PartitionedCall" attr { key: "f" value { func { name: "g" } } } })",
       "there is no 'g'"},
      {R"(node { name: "call" op: "PartitionedCall" })", "must call a function"},
      {R"(node { name: "call" op: "f" } library { function { signature { name: "f" } node_def { name: "n" op: "f" } } })",
       "calls itself"},
      {R"(node { name: "call" op: "f" } library {
            function { signature { name: "f" } node_def { name: "n" op: "If" attr { key: "then_branch" value { func { name: "g" } } } } }
            function { signature { name: "g" } node_def { name: "n" op: "f" } } })",
       "calls itself"},
      {R"(node { name: "call" op: "f" } library { function { signature { name: "f" input_arg { name: "x" } } } })",
       "its arguments, 1, but passes 0"},
      {R"(node { name: "call" op: "f" } library { function { signature { name: "f" } node_def { name: "n" op: "Neg" input: "x" } } })",
       "there is no 'x'"},
      {R"(node { name: "call" op: "f" } library { function { signature { name: "f" output_arg { name: "y" } } } })",
       "must return a tensor as 'y'"},
      {R"(node { name: "call" op: "f" } node { name: "n" op: "Neg" input: "call" } library { function { signature { name: "f" } } })",
       "there is no 'call'"},
      {R"(node { name: "call" op: "f" input: "call" } library { function { signature { name: "f" input_arg { name: "x" } output_arg { name: "y" } }
            ret { key: "y" value: "x" } } })",
       "cycle"},
  };
  for (const auto &[text, complaint] : cases) {
    message.clear();
    graph.Clear();
    // A call that reads itself is found as any other node that does.
    EXPECT_FALSE(inlineAll(text) && succeeded(CheckedGraph::read(graph, loc))) << text;
    EXPECT_TRUE(complains(complaint)) << message;
  }
}

TEST_F(InlineCallsTest, DoublingFunctionsAreCountedFirst) {
  auto chain = [](int length, auto body) {
    std::string text = "node { name: 'call' op: 'f0' } library {";
    for (int index = 0; index < length; ++index)
      text += " function { signature { name: 'f" + std::to_string(index) + "' }" +
              body("'f" + std::to_string(index + 1) + "'") + " }";
    return text + " function { signature { name: 'f" + std::to_string(length) + "' } } }";
  };
  EXPECT_FALSE(inlineAll(chain(40, [](const std::string &next) {
    return "node_def { name: 'a' op: " + next + " } node_def { name: 'b' op: " + next + " }";
  })));
  EXPECT_TRUE(complains("nodes in total, but have more")) << message;
  graph.Clear();
  EXPECT_FALSE(inlineAll(chain(70, [](const std::string &next) { return "node_def { name: 'a' op: " + next + " }"; })));
  EXPECT_TRUE(complains("at most 64 deep")) << message;
}

} // namespace
