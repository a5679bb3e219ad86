// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tensor of a checkpoint for each variable of a graph.
//
// The code follows the steps in which TensorFlow restores a graph. It starts at the assignments that the restore
// operator waits for. Each assignment leads to a variable and to a key in the checkpoint. The names of variables are
// not enough, because the program that saved a checkpoint chooses its keys. Only the graph has the right keys.
// RestoreV2 names keys in a constant; Assign and AssignVariableOp write its results to variables. Both may read through
// an Identity.

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

/// Returns the node that creates the variable of a handle or reference, or nullopt if `handle` is not a variable.
std::optional<int> findVariable(const CheckedGraph &graph, TensorId handle);

/// Operator of a variable that belongs to one branch or one iteration of a loop (FunctionalControl.h). Code outside of
/// the branch or iteration does not read the variable.
constexpr char localVariableOp[] = "LocalVariable";

/// True if the node creates a variable.
bool isVariable(const CheckedNode &node);

/// Returns the part of the checkpoint that restoring assigns to each variable. Considers `restoreNode` and all nodes
/// that it waits for, or the whole graph if `restoreNode` is nullopt. If there are several assignments, the first one
/// counts.
llvm::DenseMap<int, CheckpointPart> findRestoredVariables(const CheckedGraph &graph, std::optional<int> restoreNode);

/// Returns the initial value of each variable: the assigned value that does not come from a checkpoint.
llvm::DenseMap<int, TensorId> findInitialValues(const CheckedGraph &graph);

/// Returns the Const node that `tensor` comes from, through nodes that only pass it on. Returns nullopt if it is not a
/// constant.
std::optional<int> findConstant(const CheckedGraph &graph, TensorId tensor);

/// True if a tensor depends only on constants: on no input, no variable, and no random number.
bool isMadeOfConstants(const CheckedGraph &graph, TensorId tensor);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H
