// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns variables that a run of the model changes into values.
//
// Each written variable becomes a tensor of the graph, and handles of such variables disappear. A reader of the
// variable reads the result of the assignment before it, or the initial value of the run.
//
// A variable that is only read is a constant. A written variable keeps its value from run to run: it is an argument and
// a result of the computation. An optimizer writes several variables: the weight and its slots.
//
// If an output waits for a node, the node runs with it, even if no node reads its results. TensorFlow runs nodes in any
// order that their edges allow. So edges must order all assignments to a variable, and place each reader between two of
// them.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <set>

namespace nacre::importer::tensorflow_format {

/// A written variable.
struct WrittenVariable {
  std::string variable;
  std::string last; ///< tensor that is the variable's value at the end of a run
};

/// Changes to the messages of a graph's nodes.
struct VariableEdits {
  std::map<TensorId, std::string> operands; ///< tensors that replace operands, by the node and the operand's index
  std::set<int> assignments;                ///< assignments, whose results become the assigned values

  bool isEmpty() const { return assignments.empty(); }
};

/// Returns the number of the operator's first operands that are variables and that it changes.
size_t countWritten(llvm::StringRef op);

/// Returns the variables that are written if the nodes `last` and the tensors `outputs` are computed, in the order of
/// the graph. Adds the necessary changes to `edits`. `what` names the computation in errors, for example "the signature
/// 'x'".
mlir::FailureOr<std::vector<WrittenVariable>> followWrites(const CheckedGraph &graph, llvm::ArrayRef<TensorId> inputs,
                                                           llvm::ArrayRef<TensorId> outputs, llvm::ArrayRef<int> last,
                                                           llvm::StringRef what, VariableEdits &edits);

/// Applies the edits to the messages of the graph from which followWrites() computed them.
void applyEdits(const VariableEdits &edits, tensorflow::GraphDef &proto);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
