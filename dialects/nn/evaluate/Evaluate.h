// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the value of an operator whose operands are all constants.
// Why:   folding, the importer's shape arithmetic and tests share one reference, so that they cannot disagree.
// How:   an operator says itself what its value is (EvaluateInterface), in the file of its family; here it is decided
//        whether to ask. Elementwise rows and reductions compute in double or int64 and round once to the element type; data movement
//        copies bytes. Splats in give splats out wherever the result is one.

#ifndef NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
#define NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace nacre::nn {

/// How many elements `op` reads, or products it adds, to make its result, where these are not just as many as the
/// result has: of products, reductions and softmax. A splat saves none of them. 0 for other operators.
int64_t countReducedElements(mlir::Operation *op);

/// Whether splats of any size make a splat of `op`, at the price of one element.
bool keepsSplats(mlir::Operation *op);

/// Whether `evaluate` knows `op` and its work is small enough to be done when a model is compiled.
bool canEvaluate(mlir::Operation *op);

/// Whether `op` stays an operator although its operands are constants: codes of several numbers, with which passes compute in
/// integers. What these leave becomes operators that fold (nacre-expand-quantization).
bool keepsCodes(mlir::Operation *op);

/// The value of `op` if its operands are constants, and they and it are small or splats: exporters' shape arithmetic
/// must disappear as soon as it is built, while big weights are folded once, by the pass that counts their bytes
/// (nacre-fold-constants). An operand that is no constant is null.
mlir::FailureOr<mlir::ElementsAttr> evaluateSmall(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// The value of `op`, which has one result, for these operands. Fails where `canEvaluate` is false or an operand's
/// bytes cannot be read.
mlir::FailureOr<mlir::ElementsAttr> evaluate(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
