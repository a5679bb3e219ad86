// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that handlers of branches and loops share in every format: the choice of a branch, and the unrolling of a loop.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H
#define NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H

#include "compiler/import/model/GraphView.h"

namespace nacre::importer {

/// Returns the values of `onTrue` or `onFalse`, as operand `condition` chooses, which is one boolean. If the condition
/// is constant, imports only the chosen graph. Otherwise, both graphs become regions.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> importBranches(OperandBinder &node, size_t condition,
                                                               const NodeGraph &onTrue, const NodeGraph &onFalse);

/// Largest number of iterations of a loop that is unrolled.
constexpr int64_t mostIterations = 128;

/// True if a loop of `iterations` may be unrolled. Reports an error if it has too many iterations or nodes; `advice`
/// says how to avoid the unrolling.
bool allowsUnrolling(OperandBinder &node, const NodeGraph &body, int64_t iterations,
                     llvm::StringRef advice = "carry values of the same type through all iterations");

/// Unrolls a loop while its condition, which must be constant, is true. The final carried values become the node's
/// results. `iterations` is the number of iterations, if it is known in advance.
void importUnrolled(OperandBinder &node, const NodeGraph &condition, const NodeGraph &body,
                    llvm::ArrayRef<mlir::Value> initial, std::optional<int64_t> iterations);

/// Sets all results of the node, in order.
void setResults(OperandBinder &node, llvm::ArrayRef<mlir::Value> values);

/// Imports a loop by `asLoop`. If that fails and the number of iterations is known (`isKnown`), imports it by
/// `asUnrolled`. A loop whose operands are all constant is unrolled and folded first. Reports the errors of the last
/// attempt.
void importLoopOrUnrolled(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                          llvm::function_ref<void()> asUnrolled);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_CONTROL_NODEGRAPHS_H
