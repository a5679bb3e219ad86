// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables and their places in a checkpoint, as the graph's own restoring says.

#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "google/protobuf/text_format.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace nacre::importer::tensorflow_format;
using namespace mlir;

namespace {

/// Two savers, of which the second calls one variable by another key; `c` is read in part, `d` never.
const char *const savers = R"(
  node { name: "a" op: "VariableV2" }
  node { name: "b" op: "VarHandleOp" }
  node { name: "c" op: "VariableV2" }
  node { name: "d" op: "VariableV2" }
  node { name: "start" op: "Const" }
  node { name: "d/Assign" op: "Assign" input: "d" input: "start" }
  node { name: "a/Assign" op: "Assign" input: "a" input: "start" }
  node { name: "file" op: "Const" }
  node { name: "names" op: "Const" attr { key: "value" value { tensor { string_val: "A" string_val: "B" string_val: "C" } } } }
  node { name: "slices" op: "Const" attr { key: "value" value { tensor { string_val: "" string_val: "" string_val: "4 2 0,2:-" } } } }
  node { name: "restore" op: "RestoreV2" input: "file" input: "names" input: "slices" }
  node { name: "assign_a" op: "Assign" input: "a" input: "restore" }
  node { name: "b_value" op: "Identity" input: "restore:1" }
  node { name: "assign_b" op: "AssignVariableOp" input: "b" input: "b_value" }
  node { name: "assign_c" op: "Assign" input: "c" input: "restore:2" }
  node { name: "restore_shard" op: "NoOp" input: "^assign_a" input: "^assign_b" input: "^assign_c" }
  node { name: "restore_all" op: "NoOp" input: "^restore_shard" }
  node { name: "other_names" op: "Const" attr { key: "value" value { tensor { string_val: "other" } } } }
  node { name: "other_slices" op: "Const" attr { key: "value" value { tensor { string_val: "" } } } }
  node { name: "other_restore" op: "RestoreV2" input: "file" input: "other_names" input: "other_slices" }
  node { name: "other_assign" op: "Assign" input: "a" input: "other_restore" }
  node { name: "other_all" op: "NoOp" input: "^other_assign" }
)";

TEST(RestoredVariables, TheGraphsOwnAssignmentsBindThem) {
  MLIRContext context;
  tensorflow::GraphDef proto;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(savers, &proto));
  FailureOr<CheckedGraph> graph = CheckedGraph::read(proto, UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(graph));
  auto partOf = [&](llvm::StringRef variable, llvm::StringRef restore) {
    CheckpointPart part = findRestoredVariables(*graph, graph->find(restore)).lookup(*graph->find(variable));
    return part.key + "|" + part.slice;
  };
  EXPECT_EQ(partOf("a", "restore_all"), "A|");
  EXPECT_EQ(partOf("b", "restore_all"), "B|");
  EXPECT_EQ(partOf("c", "restore_all"), "C|4 2 0,2:-");
  EXPECT_EQ(partOf("d", "restore_all"), "|");
  EXPECT_EQ(partOf("a", "other_all"), "other|");
  EXPECT_EQ(partOf("b", "other_all"), "|");

  llvm::DenseMap<int, TensorId> initial = findInitialValues(*graph);
  EXPECT_EQ(initial.size(), 2u);
  EXPECT_EQ(initial.lookup(*graph->find("d")).node, *graph->find("start"));
}

} // namespace
