// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the training parts of a graph.
//
// The result names the node that runs a step, the loss and the network's outputs. A training graph is one graph that
// contains the network, the loss and the training step. The entries `main`, `train` and `evaluate` are different parts
// of it. tf.gradients and optimizers leave no marks, so the parts are found from the readers of each tensor. If several
// candidates remain, an error lists them and the option that decides. Nodes and tensors are stored by name: they are
// looked up again after assignments became values (saved/WrittenVariables.h).

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_TRAININGGRAPH_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_TRAININGGRAPH_H

#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

struct TrainingGraph {
  std::string trainOp, loss;
  std::string learningRate;         ///< placeholder that is the learning rate of optimizers, or ""
  std::vector<std::string> outputs; ///< outputs of the network
};

/// Finds the training parts of `graph`. Returns nullopt if the graph has no optimizer, or failure after an error.
/// `inputs` are placeholders, or tensors at which the graph is cut. `outputs` are the network's outputs if the user
/// names them.
mlir::FailureOr<std::optional<TrainingGraph>> findTraining(const CheckedGraph &graph, const OwnTraining &options,
                                                           llvm::ArrayRef<TensorId> inputs,
                                                           llvm::ArrayRef<TensorId> outputs);

/// Emits a note if one of `nodes` is a batch normalization in training mode. The note begins with `entries`, which is a
/// subject and a verb, and ends with `advice`.
void noteBatchStatistics(const CheckedGraph &graph, llvm::ArrayRef<int> nodes, llvm::StringRef entries,
                         llvm::StringRef advice);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_TRAININGGRAPH_H
