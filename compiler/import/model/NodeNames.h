// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of diagnostics about nodes: operator and version, location, and unsupported operators.

#ifndef NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H
#define NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H

#include "compiler/import/model/GraphView.h"
#include "mlir/IR/Diagnostics.h"
#include <string>

namespace nacre::importer {

/// Returns the operator with its domain: `com.example.Thing`.
std::string qualify(const GraphNode &node);

/// Returns ` (opset 13)`, or nothing if the model does not state it.
std::string describeVersion(const GraphNode &node);

/// Emits an error that the node's operator or its version is not supported, with advice. Always returns failure.
mlir::LogicalResult refuse(const GraphNode &node);

/// Returns the handler of the node's operator and version, or null.
const ImportRegistry::Entry *findHandler(const GraphNode &node);

/// Emits such an error for the first node of each operator that is neither supported nor a function of the model.
void refuseUnsupported(GraphView &graph);

/// Emits a warning at `loc` that the model uses a newer operator set than its registry.
void warnOfNewerVersion(const GraphNode &node, mlir::Location loc);

/// Emits an error at `loc` that the option must name a tensor (or `what`) of the graph. It suggests the name in `known`
/// that is nearest to `name`. Always returns failure.
mlir::LogicalResult refuseName(mlir::Location loc, llvm::StringRef option, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known, llvm::StringRef what = "tensor");

/// Returns the name in a location of a node or a value; empty for the model's location.
llvm::StringRef nameOf(mlir::Location loc);

/// Returns the problem of `node`, or of a node in one of its graphs.
std::string describe(mlir::Diagnostic &diagnostic, const GraphNode &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_NODENAMES_H
