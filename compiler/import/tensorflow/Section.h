// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a graph that is computed: from its inputs to its outputs.
//
// What: which tensors come from outside, which are wanted, and the nodes between them.
// Why:  a frozen graph names neither inputs nor outputs, and drags along what training and loading left behind.
// How:  the user's --input and --output cut anywhere, and so does --set; without them placeholders are inputs, and what nobody
//       reads is an output. What no output reaches over data, or over the pivots of branches, is
//       not there.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H

#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/saved/InlineCalls.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer::tensorflow_format {

struct Section {
  std::vector<TensorId> inputs; ///< first those that the user names, then placeholders in the order of the file
  std::vector<TensorId> outputs;
  std::vector<int> nodes; ///< what computes the outputs of the inputs, constants apart, in the order of the graph
};

/// Errors are emitted at the node they concern. `calls` are those that the graph had.
mlir::FailureOr<Section> findSection(const CheckedGraph &graph, const ImportOptions &options, const CallResults &calls);

/// The same between tensors that are known: `inputs` are cut, and placeholders that are reached are added. An input that
/// leads to no output is one nevertheless.
mlir::FailureOr<Section> findSection(const CheckedGraph &graph, std::vector<TensorId> inputs,
                                     std::vector<TensorId> outputs);

/// The same, without inputs that lead to no output.
mlir::FailureOr<Section> findReachedSection(const CheckedGraph &graph, std::vector<TensorId> inputs,
                                            std::vector<TensorId> outputs);

/// The tensors that `--input`, `--set` and `--output` name, without nodes.
mlir::FailureOr<Section> findNamedTensors(const CheckedGraph &graph, const ImportOptions &options);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H
