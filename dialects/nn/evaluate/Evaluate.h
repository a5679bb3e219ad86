// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the value of an operator whose operands are all constants.
// Why:   folding, the importer's shape arithmetic and tests share one reference, so that they cannot disagree.
// How:   an operator computes its own value (EvaluateInterface), in the file of its family; this file decides whether
//        to ask. Elementwise rows and reductions compute in double or int64 and round once to the element type; data
//        movement copies bytes. Splats give splats, if the result is one.

#ifndef NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
#define NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace nacre::nn {

/// Returns the elements that `op` reads, or the products that it adds, for products, reductions and softmax. A splat
/// does not reduce them. Returns 0 for other operators, whose work is the size of the result.
int64_t countReducedElements(mlir::Operation *op);

/// True if splats of any size give a splat of `op`, at the cost of one element.
bool keepsSplats(mlir::Operation *op);

/// True if `evaluate` supports `op`, and its work is small enough for compile time.
bool canEvaluate(mlir::Operation *op);

/// True if `op` stays an operator although its operands are constants: several codes, with which passes compute in
/// integers. Those that remain become operators that fold (nacre-expand-quantization).
bool keepsCodes(mlir::Operation *op);

/// Returns the value of `op` if its operands are constants, and they and the result are small or splats. An operand
/// that is not constant is null. Exporters' shape arithmetic must disappear as soon as it is built. Large weights are
/// folded once, by the pass that counts their bytes (nacre-fold-constants).
mlir::FailureOr<mlir::ElementsAttr> evaluateSmall(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// Returns the value of `op`, which has one result, for these operands. Fails if `canEvaluate` is false, or if an
/// operand's bytes cannot be read.
mlir::FailureOr<mlir::ElementsAttr> evaluate(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
