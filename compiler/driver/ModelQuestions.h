// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers questions about a model or the compiler without compiling: --check, --list-weights, --list-operators.
//
// Before compiling a model, users want to know which problems it has, and the names of its weights. So only the phases
// run that an answer needs.

#ifndef NACRE_COMPILER_DRIVER_MODELQUESTIONS_H
#define NACRE_COMPILER_DRIVER_MODELQUESTIONS_H

#include "compiler/options/CompilerOptions.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// The problems of a model: unsupported nodes, invalid inputs and outputs, and, for training, operators without a
/// gradient.
struct ProblemCount {
  unsigned nodes = 0;
  unsigned allNodes = 0; ///< Number of all nodes, with and without problems.
  unsigned values = 0;
  unsigned training = 0;
};

/// Prints all problems of the model, one per line with name, operator, operator set and reason, and returns their
/// numbers. Fails if the file cannot be read.
llvm::FailureOr<ProblemCount> checkModel(const CompilerOptions &options, mlir::MLIRContext &context,
                                         llvm::raw_ostream &text);

/// Prints the trainable weights: their types, whether the options' patterns select them, the extra memory for training,
/// and the nodes that read them.
llvm::LogicalResult listWeights(const CompilerOptions &options, mlir::MLIRContext &context, llvm::raw_ostream &text);

/// Prints a Markdown page with the supported operators.
void printOperators(llvm::raw_ostream &text);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_MODELQUESTIONS_H
