// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what emitters must know of CPUs that compute in f16.

#ifndef NACRE_CODEGEN_CPU_HALVES_HALFARITHMETIC_H
#define NACRE_CODEGEN_CPU_HALVES_HALFARITHMETIC_H

#include "codegen/Target.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace nacre::codegen::cpu {

/// True if instructions add, multiply and compare f16.
inline bool hasHalfArithmetic(const Target &target) { return (target.needs & NACRE_CPU_NEED(NACRE_ARM64_FP16)) != 0; }

/// Returns the number of lanes of vectors that would have `lanes` lanes by the types that are computed. Elements of the
/// types `stored` are loaded and stored. If some are f16, a load or store of f16 fills a register, and vectors of f32
/// take two registers.
inline unsigned widenedForHalves(const Target &target, unsigned lanes, mlir::TypeRange stored) {
  const bool hasHalves = llvm::any_of(stored, [](mlir::Type type) { return mlir::getElementTypeOrSelf(type).isF16(); });
  return hasHalfArithmetic(target) && hasHalves && lanes * 2 == target.lanes(/*elementBytes=*/2) ? 2 * lanes : lanes;
}

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_HALVES_HALFARITHMETIC_H
