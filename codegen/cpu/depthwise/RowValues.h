// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  vectors that all tiles of a row need: taps, biases, scales.
// Why:   vectors without a free register are loaded at their use, often as operands of instructions. If LLVM knew that
//        they do not change, it would load them before the loop and spill them.
// How:   these vectors are in scratch, at addresses that each output hides from LLVM.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

class RowValues {
public:
  RowValues(KernelFunction &function, VectorBuilder &build);

  /// Forgets all kept values. All rows use the same scratch.
  void clear();
  /// Keeps a vector in a register, or stores it in scratch. Returns its number.
  unsigned keep(mlir::Value vector, bool inRegister);
  /// Returns a kept value. `place` is the last result of makePlace.
  mlir::Value get(unsigned number, mlir::Value place);
  /// Returns a pointer by which an output finds the values in scratch.
  mlir::Value makePlace();

private:
  KernelFunction &function;
  VectorBuilder &build;
  const uint64_t bytesBefore; ///< Bytes of scratch before the values
  int64_t bytes = 0;
  mlir::Value first; ///< Pointer to the values in scratch; null if scratch has no values
  struct Kept {
    mlir::Value value;    ///< Null if it is in scratch
    int64_t distance = 0; ///< Offset in scratch, in bytes
    mlir::VectorType type;
  };
  llvm::SmallVector<Kept, 0> kept;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
