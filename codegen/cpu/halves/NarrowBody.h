// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds the f16 value that an f32 value of a body becomes when it is rounded to f16.
// Why:   a body of the kernels phase widens f16 to f32, computes, and rounds. If the f16 instruction has the same
//        result, a register holds twice as many elements, and no conversion is left.
// How:   a value is exact if it is always a number of f16, such as a widened f16. These rules keep all bits:
//        - rounding is monotone and symmetric, so it commutes with maxima, minima, selections, negation and absolute
//          values of any values;
//        - f32 has 24 bits, at least twice the 11 bits of f16 plus two. Rounding first to f32 and then to f16 is
//          therefore the same as rounding once, for one sum, difference, product, quotient or square root of exact
//          values. Sums of f16 that are subnormal are exact, and so are products in f32. Kernels do not flush subnormal
//          f16 to zero: the runtime sets FPCR.FZ, which does not concern f16, but not FPCR.FZ16;
//        - comparisons of exact values, and exact values rounded to integers, are the same in both types.
//        A sum of sums is rounded twice in f16, so it stays f32. So do functions, and sums over many elements.

#ifndef NACRE_CODEGEN_CPU_HALVES_NARROWBODY_H
#define NACRE_CODEGEN_CPU_HALVES_NARROWBODY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace nacre::codegen::cpu {

class BodyNarrower {
public:
  explicit BodyNarrower(mlir::Block &body) : body(body), builder(body.getParentOp()->getContext()) {}

  /// Narrows the argument `number` from f32 to f16. Its users read it through an extension.
  void narrowArgument(unsigned number);

  /// Returns the f16 value that is always equal to `wide`, a value of f32 in the body. Null if `wide` may be another
  /// number.
  mlir::Value exactHalf(mlir::Value wide);

  /// Replaces roundings to f16, and comparisons of exact values. Then erases what no result needs.
  void narrow();

  /// True if no float of the body is wider than f16.
  bool computesInHalves() const;

private:
  /// An f32 value rounded to f16.
  struct Half {
    mlir::Value value;
    bool isExact = false; ///< True if the f32 value is always equal to the f16 value
  };

  std::optional<Half> find(mlir::Value wide);
  std::optional<Half> compute(mlir::Value wide);
  std::optional<Half> computeOperation(mlir::Operation *op);
  mlir::Value narrowed(mlir::Operation *op, mlir::ValueRange operands, mlir::Type type);
  mlir::Value narrowedComparison(mlir::Operation *op);
  void erase();

  mlir::Block &body;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, std::optional<Half>> found;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_HALVES_NARROWBODY_H
