// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a function of `nn` for given arguments, operator by operator. The result defines the meaning of the model:
// floats are double throughout, integers are exact, and no operators are fused. nacre-diff compares compiled models
// with it, and nacre-eval runs models without compiling them. Operators.h lists the operators.

#ifndef NACRE_COMPILER_EVALUATE_INTERPRETER_H
#define NACRE_COMPILER_EVALUATE_INTERPRETER_H

#include "compiler/evaluate/Cells.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::evaluate {

/// Precision of floats between operators.
enum class Floats {
  Double, ///< double, for a reference without rounding
  Stored  ///< rounded to the element type after each operator, so that discontinuous operators see the model's values
};

/// Options of an evaluation.
struct Settings {
  Floats floats = Floats::Double;
  int64_t maxIterations = INT64_MAX; ///< largest number of iterations of all loops together, like max_iterations of
                                     ///< sessions
};

/// Evaluates a function in the form that the phase `import` writes. Gradients are not evaluated; the phase `train`
/// expands them. `arguments` have the types of the function's arguments. Reports an error at an unknown operator, or at
/// a loop that exceeds the limit.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                    const Settings &settings = {});

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_INTERPRETER_H
