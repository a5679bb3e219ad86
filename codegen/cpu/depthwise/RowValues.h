// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  vectors that all tiles of a row need: taps, biases, scales.
// Why:   those that no register is free for are loaded where they are used, which many instructions do on their way. What LLVM knows
//        to be the same it would load before the loop instead, and spill.
// How:   the others wait in scratch, at addresses that each output hides from LLVM.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

class RowValues {
public:
  RowValues(KernelFunction &function, VectorBuilder &build);

  /// Forgets what was kept. Rows use the same scratch.
  void clear();
  /// Returns the value's number.
  unsigned keep(mlir::Value vector, bool inRegister);
  /// `place` is the last one that was made.
  mlir::Value get(unsigned number, mlir::Value place);
  /// A pointer by which an output finds what is in scratch.
  mlir::Value makePlace();

private:
  KernelFunction &function;
  VectorBuilder &build;
  const uint64_t bytesBefore; ///< Of scratch.
  int64_t bytes = 0;
  mlir::Value first; ///< A pointer to what is in scratch; null where nothing is.
  struct Kept {
    mlir::Value value;    ///< Null where it is in scratch,
    int64_t distance = 0; ///< so far from the first.
    mlir::VectorType type;
  };
  llvm::SmallVector<Kept, 0> kept;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
