// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the value of an operator whose operands are all constants.
// Why:   folding, the importer's shape arithmetic and tests use one reference, so that they cannot disagree.
// How:   an operator computes its own value (EvaluateInterface), in the file of its family. This file decides whether
//        to call it. Elementwise operators and reductions compute in double or int64, and round once to the element
//        type. Data movement copies bytes. If all operands are splats and the result is one, only one element is
//        computed.

#ifndef NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
#define NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace nacre::nn {

/// Returns the amount of work of a product, a reduction or a softmax: the number of elements that `op` reads, or of
/// products that it adds up. Splats do not reduce this work. Returns 0 for other operators, whose work is the size of
/// the result.
int64_t countReducedElements(mlir::Operation *op);

/// True if splat operands of any size give a splat result of `op`, at the cost of one element.
bool keepsSplats(mlir::Operation *op);

/// True if evaluate() supports `op`, and its work is small enough for compile time.
bool canEvaluate(mlir::Operation *op);

/// True if `op` stays an operator although its operands are constants. Its result is then several codes, with which
/// passes compute in integers. nacre-expand-quantization turns the remaining ones into operators that fold.
bool keepsCodes(mlir::Operation *op);

/// Returns the value of `op` if all operands are constants, and operands and result are small or splats. In `operands`,
/// an operand that is not constant is null. Exporters' shape arithmetic must fold as soon as it is built. Large weights
/// are folded once, by the pass that counts their bytes (nacre-fold-constants).
mlir::FailureOr<mlir::ElementsAttr> evaluateSmall(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// Returns the value of `op`, which must have one result, for constant `operands`. Fails if canEvaluate() is false, or
/// if the data of an operand cannot be read.
mlir::FailureOr<mlir::ElementsAttr> evaluate(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_EVALUATE_H
