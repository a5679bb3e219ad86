// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  multiply-adds of words of bytes, for rows of machines.
// Why:   each function handles the operands as its instruction wants them; tiles know only words.

#ifndef NACRE_CODEGEN_CPU_TILES_INTEGERPRODUCTS_H
#define NACRE_CODEGEN_CPU_TILES_INTEGERPRODUCTS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

/// Emits vpdpbusd: unsigned bytes by signed bytes.
mlir::Value multiplyAddByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits the same for words of two 16-bit numbers: vpdpwssd, or pmaddwd and an addition.
mlir::Value multiplyAddShortsByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddShorts(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits smlal, for single 16-bit numbers.
mlir::Value multiplyAddShortsByElement(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Widens the operands to 16 bits and adds up products of neighbours: pmaddwd. There are as many sums as a word has
/// pairs of bytes.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// The same, with lhs of 16 bits already.
template <bool isUnsignedRhs>
mlir::Value multiplyAddWideRows(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits sdot, udot or, for unsigned lhs, usdot. Words of eight bytes are two words of four: the halves of columns are
/// separated after loading.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByDots(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits smmla or its like: two rows of eight bytes by two columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByMatrices(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Emits products of 16 bits (smull if both operands are signed) and adds them up in pairs. There are twice as many
/// sums as columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByHalves(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// The same for signed bytes, two products of which fit 16 bits (ProductTypes::pairsFit), by smull and smlal. The
/// products belong to the halves of words of eight bytes, or to two steps' words of four.
mlir::Value multiplyAddHalvesInPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddStepsInPairs(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                    mlir::Value sums);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_INTEGERPRODUCTS_H
