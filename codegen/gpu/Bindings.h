// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the storage buffers that a shader binds, while its body is filled.
// Why:   an operand may begin where a device binds no buffer, or be larger than what it binds; emitters index it from 0
//        to its end all the same.
// How:   buffers are made as the emitter asks for them; accesses are rewritten when it is done:
//        1. a shifted operand's index is moved on by a push constant;
//        2. an operand in pieces has a binding for each, and an access chooses one.

#ifndef NACRE_CODEGEN_GPU_BINDINGS_H
#define NACRE_CODEGEN_GPU_BINDINGS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen::gpu {

/// A placeholder of push constant `number` of nacre_gpu_variant.
mlir::Value makePushConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t number);

class Bindings {
public:
  /// Operands of `kernel` larger than `pieceBytes` are bound in pieces; 0: none is.
  Bindings(plan::KernelOp kernel, mlir::gpu::GPUFuncOp function, uint32_t pieceBytes);

  /// As in KernelFunction.
  mlir::Value buffer(unsigned operand, unsigned width);
  bool liesInVectors(unsigned operand, unsigned width) const;

  /// Whether some buffer so far is larger.
  bool isAnyLargerThan(int64_t bytes) const;
  /// Why the runtime cannot bind all this; empty if it can.
  llvm::StringRef obstacle() const;

  /// Rewrites all accesses, and says in the function's attributes what is bound.
  void finish();

private:
  struct Operand {
    mlir::Type type; ///< Of an element, as it is stored.
    int64_t elements, elementBytes, alignment;
    int64_t bytes() const { return elements * elementBytes; }
  };
  struct Buffer {
    unsigned operand, width;
    llvm::SmallVector<mlir::Value, 1> pieces;
  };

  bool isShifted(unsigned operand) const;
  int64_t countPieces(unsigned operand) const;
  mlir::Value addArgument(const Operand &operand, unsigned width, int64_t elements, int64_t binding);
  uint32_t shift();
  void chooseAmong(const Buffer &buffer);

  mlir::gpu::GPUFuncOp function;
  const uint32_t pieceBytes;
  llvm::SmallVector<Operand> operands;
  llvm::SmallVector<Buffer> buffers;
  llvm::SmallVector<int64_t> bound; ///< The operand of each binding.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_BINDINGS_H
