// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  multiply-adds of words of bytes, as rows of machines have them.
// Why:   what an instruction wants of its operands is said beside its name; tiles only know words.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_INTEGERPRODUCTS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_INTEGERPRODUCTS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/MachineRows.h"

namespace nacre::codegen::cpu {

/// vpdpbusd: bytes without a sign by bytes with one.
mlir::Value multiplyAddByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// The same of words of two numbers of 16 bits: vpdpwssd, and pmaddwd.
mlir::Value multiplyAddShortsByVnni(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddShorts(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Of numbers of 16 bits, one by one: smlal.
mlir::Value multiplyAddShortsByElement(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Of operands widened to 16 bits, neighbours' products added up: pmaddwd. As many sums as a word has pairs of bytes.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// The same of lhs that is of 16 bits already.
template <bool isUnsignedRhs>
mlir::Value multiplyAddWideRows(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// sdot, udot or, of lhs without a sign, usdot. Words of eight bytes are two of four: columns are taken apart as they are loaded.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByDots(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// smmla and its like: two rows of eight bytes by two columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByMatrices(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Products of 16 bits, smull where both operands have a sign, that are added up in pairs. Twice as many sums as columns.
template <bool isUnsignedLhs, bool isUnsignedRhs>
mlir::Value multiplyAddByHalves(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// The same of bytes with a sign, two products of which add up to a number of 16 bits (ProductTypes::pairsFit), by smull and smlal: of
/// the halves of words of eight bytes, or of two steps' words of four.
mlir::Value multiplyAddHalvesInPairs(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
mlir::Value multiplyAddStepsInPairs(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                    mlir::Value sums);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_INTEGERPRODUCTS_H
