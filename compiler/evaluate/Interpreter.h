// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a function of `nn` for given arguments, operator by operator. The result is the meaning of the model:
// floats are double from beginning to end, integers are exact, and nothing is fused or laid out. Compiled models are
// compared with it (nacre-diff), and models can be tried without compiling them (nacre-eval). Operators.h has the
// operators.

#ifndef NACRE_COMPILER_EVALUATE_INTERPRETER_H
#define NACRE_COMPILER_EVALUATE_INTERPRETER_H

#include "compiler/evaluate/Cells.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::evaluate {

/// Precision of floats between operators.
enum class Floats {
  Double, ///< double, a reference without rounding
  Stored  ///< rounded to the element type after each operator, so that discontinuous operators see the type's numbers
};

/// Options of an evaluation.
struct Settings {
  Floats floats = Floats::Double;
  int64_t maxIterations = INT64_MAX; ///< limit of iterations of all loops together, inclusive; as max_iterations of
                                     ///< sessions
};

/// Evaluates a function as the phase `import` writes it. Gradients are not evaluated; the phase `train` expands them.
/// `arguments` have the types of the function's arguments. Reports an error at the node of an unknown operator, or of a
/// loop that exceeds the limit.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                    const Settings &settings = {});

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_INTERPRETER_H
