// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops whose sides are functions: what stands in their place.

#include "compiler/import/tensorflow/saved/FunctionalControl.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "google/protobuf/text_format.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace nacre::importer::tensorflow_format;
using namespace mlir;

namespace {

/// The nodes that a node becomes, a line each; or the error.
std::string lower(const std::string &text, const std::string &functions = "") {
  MLIRContext context;
  std::string result;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { result = diagnostic.str(); });
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("node { " + text + " } " + functions, &graph));
  auto addNode = [&](const std::string &name) {
    graph.add_node()->set_name(name);
    return graph.mutable_node(graph.node_size() - 1);
  };
  FunctionLibrary library(graph);
  auto calls = lowerFunctionalControl(*graph.mutable_node(0), UnknownLoc::get(&context), library, addNode);
  if (failed(calls))
    return result;
  for (const tensorflow::NodeDef &node : graph.node()) {
    result += node.name() + " = " + node.op() + "(" + llvm::join(node.input(), ", ") + ")";
    if (const tensorflow::AttrValue *function = findAttribute(node, "f"))
      result += " of " + function->func().name();
    if (const tensorflow::AttrValue *frame = findAttribute(node, "frame_name"))
      result += " of " + frame->s();
    result += "\n";
  }
  return result;
}

TEST(FunctionalControl, AnIfBecomesCallsBetweenSwitchAndMerge) {
  EXPECT_EQ(lower(R"(
    name: "y" op: "StatelessIf" input: "p" input: "x:1" input: "^before"
    attr { key: "then_branch" value { func { name: "double" } } }
    attr { key: "else_branch" value { func { name: "negate" } } }
    attr { key: "Tcond" value { type: DT_INT32 } }
    attr { key: "Tout" value { list { type: [DT_FLOAT] } } })"),
            R"(y = IdentityN(y/merge_0, ^y/effects)
y/cond = Cast(p)
y/pivots = Switch(y/cond, y/cond, ^before)
y/switch_0 = Switch(x:1, y/cond, ^before)
y/pivot_f = Identity(y/pivots)
y/else = StatefulPartitionedCall(y/switch_0, ^y/pivot_f) of negate
y/pivot_t = Identity(y/pivots:1)
y/then = StatefulPartitionedCall(y/switch_0:1, ^y/pivot_t) of double
y/merge_0 = Merge(y/else, y/then)
y/effects = NoOp(^y/else, ^y/then)
)");
}

TEST(FunctionalControl, WhatGivesNothingStillReads) {
  EXPECT_NE(lower(R"(name: "y" op: "If" input: "p"
    attr { key: "then_branch" value { func { name: "a" } } } attr { key: "else_branch" value { func { name: "b" } } })")
                .find("y = IdentityN(p, ^y/effects)\n"),
            std::string::npos);
}

TEST(FunctionalControl, ACaseAsksForOneBranchAfterAnother) {
  EXPECT_EQ(lower(R"(
    name: "y" op: "Case" input: "n" input: "x"
    attr { key: "branches" value { list { func { name: "a" } func { name: "b" } } } }
    attr { key: "Tout" value { list { type: [DT_FLOAT, DT_FLOAT] } } })"),
            R"(y = IdentityN(y/merge_0, y/merge_1, ^y/effects)
y/pivot = Identity(n)
y/is_0 = Case(n)
y/pivots_0 = Switch(y/is_0, y/is_0)
y/switch_0_0 = Switch(n, y/is_0)
y/switch_0_1 = Switch(x, y/is_0)
y/pivot_t_0 = Identity(y/pivots_0:1)
y/branch_0 = StatefulPartitionedCall(y/switch_0_1:1, ^y/pivot_t_0) of a
y/pivot_f_0 = Identity(y/pivots_0)
y/branch_1 = StatefulPartitionedCall(y/switch_0_1, ^y/pivot_f_0) of b
y/merge_0 = Merge(y/branch_0, y/branch_1)
y/merge_1 = Merge(y/branch_0:1, y/branch_1:1)
y/effects = NoOp(^y/branch_0, ^y/branch_1)
)");
}

TEST(FunctionalControl, AWhileBecomesAFrame) {
  EXPECT_EQ(lower(R"(
    name: "w" op: "While" input: "i"
    attr { key: "cond" value { func { name: "c" } } } attr { key: "body" value { func { name: "b" } } }
    attr { key: "T" value { list { type: [DT_INT32] } } })"),
            R"(w = IdentityN(w/exit_0, ^w/effects)
w/enter_0 = Enter(i) of w
w/next_0 = NextIteration(w/body)
w/merge_0 = Merge(w/enter_0, w/next_0)
w/cond = StatefulPartitionedCall(w/merge_0, ^w/merge_0) of c
w/loop_cond = LoopCond(w/cond)
w/switch_0 = Switch(w/merge_0, w/loop_cond)
w/pivot = Identity(w/switch_0:1)
w/body = StatefulPartitionedCall(w/switch_0:1, ^w/pivot) of b
w/exit_0 = Exit(w/switch_0)
w/effects = NoOp(^w/cond, ^w/body)
)");
}

TEST(FunctionalControl, AVariableThatABranchWritesIsAValueMeanwhile) {
  EXPECT_EQ(lower(R"(
    name: "y" op: "If" input: "p" input: "v" input: "^before"
    attr { key: "then_branch" value { func { name: "write" } } }
    attr { key: "else_branch" value { func { name: "read" } } })",
                  R"(library {
    function { signature { name: "read" input_arg { name: "v" type: DT_RESOURCE } } }
    function { signature { name: "write" input_arg { name: "v" type: DT_RESOURCE } }
               node_def { name: "set" op: "AssignVariableOp" input: "v" input: "x:z:0" } } })"),
            R"(y = IdentityN(p, ^y/effects)
y/before_1 = ReadVariableOp(v, ^before)
y/pivots = Switch(p, p, ^before)
y/switch_0 = Switch(y/before_1, p, ^before)
y/pivot_f = Identity(y/pivots)
y/else_variable_1 = LocalVariable()
y/else_begin_1 = AssignVariableOp(y/else_variable_1, y/switch_0)
y/else = StatefulPartitionedCall(y/else_variable_1, ^y/pivot_f, ^y/else_begin_1) of read
y/pivot_t = Identity(y/pivots:1)
y/then_variable_1 = LocalVariable()
y/then_begin_1 = AssignVariableOp(y/then_variable_1, y/switch_0:1)
y/then = StatefulPartitionedCall(y/then_variable_1, ^y/pivot_t, ^y/then_begin_1) of write
y/else_end_1 = ReadVariableOp(y/else_variable_1, ^y/else)
y/then_end_1 = ReadVariableOp(y/then_variable_1, ^y/then)
y/written_1 = Merge(y/else_end_1, y/then_end_1)
y/assign_1 = AssignVariableOp(v, y/written_1)
y/effects = NoOp(^y/else, ^y/then, ^y/assign_1)
)");
}

TEST(FunctionalControl, WhatIsMissingIsNamed) {
  EXPECT_EQ(lower(R"(name: "w" op: "While" input: "i" attr { key: "cond" value { func { name: "c" } } })"),
            "must name its function in attribute 'body', but does not");
  EXPECT_EQ(lower(R"(name: "y" op: "If")"), "must have an operand that selects its function, but has none");
}

} // namespace
