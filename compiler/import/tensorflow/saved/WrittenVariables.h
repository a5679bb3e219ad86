// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns variables that a run of the model changes into values.
//
// Each written variable becomes a tensor of the graph, and handles of such variables disappear. A reader of the
// variable reads the result of the assignment before it, or the initial value of the run.
//
// A variable that is only read is a constant. A written variable is kept from run to run: it is an argument and a
// result of the computation. An optimizer writes several: the weight and its slots.
//
// Nodes that an output waits for run with it, even if nothing reads their results. TensorFlow runs nodes in any order
// that their edges allow. So edges must order all assignments to a variable, and place each reader between two of them.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <set>

namespace nacre::importer::tensorflow_format {

/// A variable, by the name of its node.
struct WrittenVariable {
  std::string variable;
  std::string last; ///< tensor that is its value at the end of a run
};

/// Changes to the messages of a graph's nodes.
struct VariableEdits {
  std::map<TensorId, std::string> operands; ///< tensors that replace operands, by node and place
  std::set<int> assignments;                ///< nodes that become the values that they assign, or are functions of them

  bool isEmpty() const { return assignments.empty(); }
};

/// Returns how many of the operator's first operands are variables that it changes.
size_t countWritten(llvm::StringRef op);

/// Returns the variables that are written when the nodes `last` and the tensors `outputs` run, in the order of the
/// graph. `what` names these in errors: "the signature 'x'".
mlir::FailureOr<std::vector<WrittenVariable>> followWrites(const CheckedGraph &graph, llvm::ArrayRef<TensorId> inputs,
                                                           llvm::ArrayRef<TensorId> outputs, llvm::ArrayRef<int> last,
                                                           llvm::StringRef what, VariableEdits &edits);

/// Makes the edits in the messages of the followed graph.
void applyEdits(const VariableEdits &edits, tensorflow::GraphDef &proto);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
