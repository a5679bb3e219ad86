// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensor of a checkpoint each variable of a graph has.
//
// What: the walk through what the graph does when TensorFlow restores it: from the assignments that the restore operator waits
//       for, to the variable on one side and to a place in the checkpoint on the other.
// Why:  names do not tell: the keys of a checkpoint are whatever the program that saved it made of its objects. The graph
//       itself holds the truth, and TensorFlow has no other.
// How:  RestoreV2 names keys in a constant, Assign and AssignVariableOp put its results into variables. Both may stand behind
//       an Identity.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/DenseMap.h"
#include <string>

namespace nacre::importer::tensorflow_format {

/// A tensor of a checkpoint, or a part of it (TensorBundle::read).
struct CheckpointPart {
  std::string key, slice;
};

/// The variable behind a handle or a reference, or nothing where it is none: a node of an operator that makes variables.
std::optional<int> findVariable(const CheckedGraph &graph, TensorId handle);

/// The operator of a variable that a branch or an iteration of a loop has for itself (FunctionalControl.h): no other reads it.
constexpr llvm::StringLiteral localVariableOp = "LocalVariable";

/// Whether the node makes a variable.
bool isVariable(const CheckedNode &node);

/// What the node gets from `restoreNode`, and from what that waits for, by variable; without a node from the whole graph,
/// where the first assignment counts.
llvm::DenseMap<int, CheckpointPart> findRestoredVariables(const CheckedGraph &graph, std::optional<int> restoreNode);

/// What variables are given when the graph is initialized, by variable: assignments of anything but a checkpoint's tensors.
llvm::DenseMap<int, TensorId> findInitialValues(const CheckedGraph &graph);

/// The constant behind nodes that pass it on, if it is one.
std::optional<int> findConstant(const CheckedGraph &graph, TensorId tensor);

/// Whether constants alone decide a tensor: no input, no variable, and nothing random.
bool isMadeOfConstants(const CheckedGraph &graph, TensorId tensor);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_RESTOREDVARIABLES_H
