// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  keeps vectors that all tiles of a row need: taps, biases, scales.
// Why:   vectors that do not fit in registers should be loaded at each use, often as operands of instructions. If LLVM
//        knew that they do not change, it would load them before the loop and spill them.
// How:   such vectors are in scratch, at addresses that each output hides from LLVM.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

class RowValues {
public:
  RowValues(KernelFunction &function, VectorBuilder &build);

  /// Forgets all kept values. All rows use the same scratch.
  void clear();
  /// Keeps a vector in a register, or stores it in scratch. Returns the value's index.
  unsigned keep(mlir::Value vector, bool inRegister);
  /// Returns the kept value with index `number`. `place` is the last result of makePlace().
  mlir::Value get(unsigned number, mlir::Value place);
  /// Returns a pointer by which an output loads the values in scratch.
  mlir::Value makePlace();

private:
  KernelFunction &function;
  VectorBuilder &build;
  const uint64_t bytesBefore; ///< Size of scratch in bytes before the values
  int64_t bytes = 0;
  mlir::Value first; ///< Pointer to the values in scratch; null if no values are there
  struct Kept {
    mlir::Value value;    ///< Null if the value is in scratch
    int64_t distance = 0; ///< Offset in scratch, in bytes
    mlir::VectorType type;
  };
  llvm::SmallVector<Kept, 0> kept;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_ROWVALUES_H
