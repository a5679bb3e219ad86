// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How diagnostics speak of a node: its operator and version, its place, and that no handler knows it.

#ifndef NACRE_COMPILER_IMPORT_NODENAMES_H
#define NACRE_COMPILER_IMPORT_NODENAMES_H

#include "compiler/import/GraphView.h"
#include "mlir/IR/Diagnostics.h"
#include <string>

namespace nacre::importer {

/// `com.example.Thing`
std::string qualify(const GraphNode &node);

/// ` (opset 13)`, or nothing where the model does not say.
std::string describeVersion(const GraphNode &node);

/// Emits that the node's operator has no handler, or none in its version, and what to do. Always a failure.
mlir::LogicalResult refuse(const GraphNode &node);

/// Emits a warning at `loc` that the model has a node of an operator set that is newer than its registry.
void warnOfNewerVersion(const GraphNode &node, mlir::Location loc);

/// Emits at `loc` that the option must name a tensor of the graph, with the name among `known` that `name` is most like. Always a
/// failure.
mlir::LogicalResult refuseName(mlir::Location loc, llvm::StringRef option, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known);

/// `1 blob`, `2 blobs`
std::string describeCount(uint64_t count, llvm::StringRef noun);

/// The name in a location of a node or a value; empty for the model's own.
llvm::StringRef nameOf(mlir::Location loc);

/// What is wrong with `node`, or with a node of a graph inside it.
std::string describe(mlir::Diagnostic &diagnostic, const GraphNode &node);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_NODENAMES_H
