// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts for diagnostics about nodes: operator and version, location, and errors about unsupported operators.

#ifndef NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H
#define NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H

#include "compiler/import/model/GraphView.h"
#include "mlir/IR/Diagnostics.h"
#include <string>

namespace nacre::importer {

/// Returns the operator's name with its domain: `com.example.Thing`.
std::string qualify(const GraphNode &node);

/// Returns the version for messages: ` (opset 13)`. Returns an empty text if the model does not state it.
std::string describeVersion(const GraphNode &node);

/// Returns the name of the first tensor of `graph`, an input or a node's result, for which `isWanted` is true. Returns
/// an empty name if it is false for all.
llvm::StringRef findTensor(const GraphView &graph, llvm::function_ref<bool(llvm::StringRef)> isWanted);

/// Emits an error that the node's operator, or its version, is not supported, with advice. Always returns failure.
mlir::LogicalResult refuse(const GraphNode &node);

/// Returns the handler for the operator and version of `node`, or null.
const ImportRegistry::Entry *findHandler(const GraphNode &node);

/// Like refuse(), for the first node of each operator that is neither supported nor a function of the model.
void refuseUnsupported(GraphView &graph);

/// Emits a warning at `loc` that the model uses a newer version of the operator set than Nacre knows.
void warnOfNewerVersion(const GraphNode &node, mlir::Location loc);

/// Emits an error at `loc` that the option must name a tensor of the graph, or something else (`what`). It suggests the
/// name in `known` that is nearest to `name`. Always returns failure.
mlir::LogicalResult refuseName(mlir::Location loc, llvm::StringRef option, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known, llvm::StringRef what = "tensor");

/// Returns the name in the location of a node or value. The location of the model has an empty name.
llvm::StringRef nameOf(mlir::Location loc);

/// Returns the text of `diagnostic`, which is about `node` or about a node in one of its graphs.
std::string describe(mlir::Diagnostic &diagnostic, const GraphNode &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H
