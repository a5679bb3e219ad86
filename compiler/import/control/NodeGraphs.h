// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What handlers of branches and loops do alike in every format: which branch is taken, how far a loop is written out.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H
#define NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H

#include "compiler/import/model/GraphView.h"

namespace nacre::importer {

/// The values of the graph that operand `condition`, one boolean, chooses. Where it is known the other one is not looked at;
/// where a run decides both become regions.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> importBranches(OperandBinder &node, size_t condition,
                                                               const NodeGraph &onTrue, const NodeGraph &onFalse);

/// How many iterations a loop may be written out to.
constexpr int64_t mostIterations = 128;

/// Whether so many iterations, and their nodes, may be written out; reports an error if not.
bool allowsUnrolling(OperandBinder &node, const NodeGraph &body, int64_t iterations);

/// Writes a loop out, iteration by iteration, as long as its condition is known to be true; what is carried in the end are the node's
/// results. `iterations`: how many there are, where that is known before.
void importUnrolled(OperandBinder &node, const NodeGraph &condition, const NodeGraph &body,
                    llvm::ArrayRef<mlir::Value> initial, std::optional<int64_t> iterations);

/// Sets the node's results in order.
void setResults(OperandBinder &node, llvm::ArrayRef<mlir::Value> values);

/// Tries to import a loop as one, and then written out, where `isKnown` says that its iterations are; reports what has stopped the last
/// attempt. Of constants alone it is computed at once.
void importLoopOrUnrolled(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                          llvm::function_ref<void()> asUnrolled);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H
