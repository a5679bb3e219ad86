// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a run of the model changes, as values.
//
// What: what a run makes of a variable, as a tensor of the graph; and the graph without handles of such variables: whoever
//       reads one reads what the assignment before it gave, or what the variable was when the run began.
// Why:  a variable that is only read is a constant. One that is written is kept from run to run, and is then an argument and a
//       result of what is computed. An optimizer writes several: the weight and its slots.
// How:  what an output waits for runs with it, be it that nothing is read of it. TensorFlow runs nodes in any order that their
//       edges leave; so edges must put all assignments to a variable in one order, and each reader between two of them.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <set>

namespace nacre::importer::tensorflow_format {

/// A variable by its node's name.
struct WrittenVariable {
  std::string variable;
  std::string last; ///< the tensor that is its value when a run ends
};

/// What becomes of the messages of a graph's nodes.
struct VariableEdits {
  std::map<TensorId, std::string> operands; ///< what an operand, by its node and its place, is read from instead
  std::set<int> assignments;                ///< nodes that become what they assign, or are functions of it

  bool isEmpty() const { return assignments.empty(); }
};

/// Returns how many of the operator's first operands are variables that it changes.
size_t countWritten(llvm::StringRef op);

/// The variables that are written by what runs with the nodes `last` and the tensors `outputs`, in the order of the graph. `what`
/// is how errors call it: "the signature 'x'".
mlir::FailureOr<std::vector<WrittenVariable>> followWrites(const CheckedGraph &graph, llvm::ArrayRef<TensorId> inputs,
                                                           llvm::ArrayRef<TensorId> outputs, llvm::ArrayRef<int> last,
                                                           llvm::StringRef what, VariableEdits &edits);

/// Makes the edits in the messages of the graph that was followed.
void applyEdits(const VariableEdits &edits, tensorflow::GraphDef &proto);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
