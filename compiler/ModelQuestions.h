// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is asked of a model, or of the compiler, when nothing is to be compiled.
// Why:   before a model is compiled, users want to know what stops it, and what its weights are called.
// How:   as far into the phases as the question needs, with diagnostics collected.

#ifndef NACRE_COMPILER_MODELQUESTIONS_H
#define NACRE_COMPILER_MODELQUESTIONS_H

#include "compiler/CompilerOptions.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// What stops a model: nodes that are not supported, inputs and outputs that are not as they must be, and, where it is to be trained,
/// what has no gradient.
struct ProblemCount {
  unsigned nodes = 0;
  unsigned values = 0;
  unsigned training = 0;
};

/// Prints all that stops the model, one per line with name, operator, operator set and reason, and returns how many they
/// are. Fails where the file cannot be read.
llvm::FailureOr<ProblemCount> checkModel(const CompilerOptions &options, mlir::MLIRContext &context,
                                         llvm::raw_ostream &text);

/// Prints the weights that can be trained: whether they are, by the options' patterns, what they are, what training keeps beside them,
/// and the nodes that read them.
llvm::LogicalResult listWeights(const CompilerOptions &options, mlir::MLIRContext &context, llvm::raw_ostream &text);

/// Prints a page in Markdown with the operators that models may have.
void printOperators(llvm::raw_ostream &text);

} // namespace nacre

#endif // NACRE_COMPILER_MODELQUESTIONS_H
