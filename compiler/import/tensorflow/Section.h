// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a graph that is computed: from its inputs to its outputs.
//
// A section consists of its inputs, its outputs, and the nodes between them. A frozen graph names neither inputs nor
// outputs, and contains leftovers of training and loading. The user's --input, --set and --output can cut the graph
// anywhere. By default, placeholders are inputs, and tensors that no node reads are outputs. Nodes that no output
// reaches over data or over the pivots of branches are left out.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H

#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/saved/InlineCalls.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer::tensorflow_format {

struct Section {
  std::vector<TensorId> inputs; ///< first the tensors that the user names, then placeholders in the order of the file
  std::vector<TensorId> outputs;
  std::vector<int> nodes; ///< nodes that compute the outputs from the inputs, without constants, in the order of the
                          ///< graph
};

/// Finds the part of the graph that the user requests. `calls` are the results of the inlined calls. Errors are emitted
/// at the node they concern.
mlir::FailureOr<Section> findSection(const CheckedGraph &graph, const ImportOptions &options, const CallResults &calls);

/// Finds the section between `inputs` and `outputs`. The graph is cut at `inputs`. Placeholders that the outputs depend
/// on also become inputs. An input that no output depends on stays an input.
mlir::FailureOr<Section> findSection(const CheckedGraph &graph, std::vector<TensorId> inputs,
                                     std::vector<TensorId> outputs);

/// Like findSection() with `inputs` and `outputs`, but removes inputs that no output depends on.
mlir::FailureOr<Section> findReachedSection(const CheckedGraph &graph, std::vector<TensorId> inputs,
                                            std::vector<TensorId> outputs);

/// Returns a section without nodes, whose inputs and outputs are the tensors that `--input`, `--set` and `--output`
/// name.
mlir::FailureOr<Section> findNamedTensors(const CheckedGraph &graph, const ImportOptions &options);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SECTION_H
