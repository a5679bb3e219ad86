// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the results of a function of `nn` for given arguments, computed operator by operator.
// Why:   it is what a model means: floats in double from beginning to end, integers exact, nothing fused, nothing laid
//        out. Compiled models are compared with it (nacre-diff), and models can be tried without compiling them (nacre-eval).
// How:   see Interpreter.cpp; Operators.h has the operators.

#ifndef NACRE_COMPILER_EVALUATE_INTERPRETER_H
#define NACRE_COMPILER_EVALUATE_INTERPRETER_H

#include "compiler/evaluate/Cells.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::evaluate {

/// What floats are between operators.
enum class Floats {
  Double, ///< As they were computed: a reference without rounding.
  Stored  ///< Rounded once, behind each operator, to the element type: what leaps have then is what the type has.
};

/// How a function is evaluated.
struct Settings {
  Floats floats = Floats::Double;
  int64_t maxIterations = INT64_MAX; ///< Of all loops together, that may be finished; as max_iterations of sessions.
};

/// Evaluates a function as the phase `import` writes it, of which a gradient is left to `train`. `arguments` have the types of
/// its arguments. Fails after an error at the node of an operator that nobody knows, or of a loop that goes on for too long.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                    const Settings &settings = {});

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_INTERPRETER_H
