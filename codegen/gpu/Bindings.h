// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the storage buffers that a shader binds, created while an emitter fills its body.
// Why:   an operand may begin at an offset that devices cannot bind, or may be larger than they can bind. Emitters
//        always index it from 0 to its end.
// How:   buffers are created when the emitter asks for them. Accesses are rewritten after it has finished:
//        1. a push constant is added to the index of a shifted operand;
//        2. an operand in pieces has a binding for each piece, and an access selects the piece.

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

/// Returns a placeholder for the push constant of nacre_gpu_variant with index `number`.
mlir::Value makePushConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t number);

class Bindings {
public:
  /// Operands of `kernel` larger than `pieceBytes` are bound in pieces. If `pieceBytes` is 0, all operands are bound
  /// whole.
  Bindings(plan::KernelOp kernel, mlir::gpu::GPUFuncOp function, uint32_t pieceBytes);

  /// These functions implement the members of KernelFunction with the same names.
  mlir::Value buffer(unsigned operand, unsigned width);
  mlir::Value words(unsigned operand, unsigned words);
  bool liesInVectors(unsigned operand, unsigned width) const;

  /// True if an operand bound so far has more than `bytes` bytes.
  bool isAnyLargerThan(int64_t bytes) const;
  /// Returns the reason why the runtime cannot bind all operands; empty if it can bind them.
  llvm::StringRef obstacle() const;

  /// Rewrites all accesses, and writes the bindings to the function's attributes.
  void finish();

private:
  struct Operand {
    mlir::Type type; ///< Type of an element in storage.
    int64_t elements, elementBytes, alignment;
    int64_t bytes() const { return elements * elementBytes; }
  };
  struct Buffer {
    unsigned operand, width; ///< `width` is the number of the operand's elements in a `vector`.
    mlir::Type vector;
    llvm::SmallVector<mlir::Value, 1> pieces;
  };

  bool isShifted(unsigned operand) const;
  int64_t countPieces(unsigned operand) const;
  mlir::Value bind(unsigned operand, unsigned width, mlir::Type vector);
  mlir::Value addArgument(mlir::Type vector, int64_t elements, int64_t binding);
  uint32_t shift();
  void chooseAmong(const Buffer &buffer);

  mlir::gpu::GPUFuncOp function;
  const uint32_t pieceBytes;
  llvm::SmallVector<Operand> operands;
  llvm::SmallVector<Buffer> buffers;
  llvm::SmallVector<int64_t> bound; ///< Index of the operand for each binding.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_BINDINGS_H
