// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tensor of a checkpoint for each variable of a graph.
//
// The walk follows what TensorFlow does to restore a graph. It starts at the assignments that the restore operator
// waits for. From there it goes to the variable on one side, and to a place in the checkpoint on the other. Names do
// not suffice: the program that saved a checkpoint chooses its keys. Only the graph has the right keys. RestoreV2 names
// keys in a constant; Assign and AssignVariableOp write its results to variables. Both may read through an Identity.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/DenseMap.h"
#include <string>

namespace nacre::importer::tensorflow_format {

/// A tensor of a checkpoint, or a slice of it (TensorBundle::read).
struct CheckpointPart {
  std::string key, slice;
};

/// Returns the node that makes the variable of a handle or reference, or nullopt if it is not a variable.
std::optional<int> findVariable(const CheckedGraph &graph, TensorId handle);

/// Operator of a variable that belongs to one branch or one iteration of a loop (FunctionalControl.h). Nothing outside
/// of it reads the variable.
constexpr llvm::StringLiteral localVariableOp = "LocalVariable";

/// True if the node makes a variable.
bool isVariable(const CheckedNode &node);

/// Returns the parts of the checkpoint that restoring assigns, by variable. Considers `restoreNode` and all nodes that
/// it waits for, or the whole graph without a node. The first assignment counts.
llvm::DenseMap<int, CheckpointPart> findRestoredVariables(const CheckedGraph &graph, std::optional<int> restoreNode);

/// Returns the values that initialize variables, by variable: assigned values that are not of a checkpoint.
llvm::DenseMap<int, TensorId> findInitialValues(const CheckedGraph &graph);

/// Returns the constant that `tensor` is, through nodes that only pass it on; nullopt if it is not a constant.
std::optional<int> findConstant(const CheckedGraph &graph, TensorId tensor);

/// True if a tensor depends on constants only: no input, no variable, and no random number.
bool isMadeOfConstants(const CheckedGraph &graph, TensorId tensor);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H
