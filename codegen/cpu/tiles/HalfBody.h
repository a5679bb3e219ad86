// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  rewrites the body of an epilogue so that it computes f16 instead of f32 where no result changes.
// Why:   a register holds eight halves but four floats, so an operation on halves takes half as many instructions.
// How:   each rounding of a result to f16 moves towards the operands:
//        1. a maximum or minimum of rounded numbers is the rounded maximum or minimum, because rounding keeps order;
//        2. a sum, difference or product of two halves has the same digits whether it is rounded to f16 at once, or
//           first to f32: f32 has at least 2 * 11 + 2 digits.
//        Sums of sums stay f32, because f16 would round twice.

#ifndef NACRE_CODEGEN_CPU_TILES_HALFBODY_H
#define NACRE_CODEGEN_CPU_TILES_HALFBODY_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace nacre::codegen::cpu {

/// Returns a copy of `body` whose results are the same. The arguments `halves`, which are f32 in `body`, are f16.
std::unique_ptr<mlir::Block> bodyInHalves(mlir::Block &body, llvm::ArrayRef<unsigned> halves);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_HALFBODY_H
