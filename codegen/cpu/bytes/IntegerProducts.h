// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the multiply-adds of words of bytes that machine rows name.
// Why:   each function rearranges the operands as its instruction requires, so that tiles only handle words.

#ifndef NACRE_CODEGEN_CPU_BYTES_INTEGERPRODUCTS_H
#define NACRE_CODEGEN_CPU_BYTES_INTEGERPRODUCTS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Operands of one step of the reduction.
struct StepFactors {
  mlir::Value lhs, rhs;
};

/// Emits vpdpbusd: unsigned bytes by signed bytes.
mlir::Value multiplyAddByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits multiply-adds of words of two 16-bit integers, by vpdpwssd or by pmaddwd and an addition.
mlir::Value multiplyAddShortsByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddShorts(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits smlal, which multiplies single 16-bit integers.
mlir::Value multiplyAddShortsByElement(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Widens the operands to 16 bits, and adds up products of neighbours by pmaddwd. A word has one sum for each pair of
/// bytes.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Like multiplyAddByPairs(), but `lhs` already has 16 bits.
template <bool isUnsignedRhs>
mlir::Value multiplyAddWideRows(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits sdot, udot or, if `lhs` is unsigned, usdot. A word of eight bytes is treated as two words of four. The two
/// halves of the columns must be in separate registers.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByDots(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits smmla, ummla or usmmla, which multiply two rows of eight bytes by two columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByMatrices(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits products of 16 bits (smull if both operands are signed), and adds them up in pairs. There are twice as many
/// sums as columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByHalves(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Like multiplyAddByHalves(), for signed bytes if two products fit 16 bits (ProductTypes::pairsFit): by smull and
/// smlal. The two products are from the halves of words of eight bytes, or from words of four bytes of two steps.
mlir::Value multiplyAddHalvesInPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddStepsInPairs(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                    mlir::Value sums);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_BYTES_INTEGERPRODUCTS_H
