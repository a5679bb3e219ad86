// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes gathers from a constant with one axis. Such a gather is a function of one integer, given as a table. It is
// computed like an elementwise operator, while its operand is in registers. The table is an argument of the kernel, and
// the body clamps the index.

#ifndef NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
#define NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::kernels {

/// Returns `op` if it is a gather from a constant with one axis, or null.
nn::GatherOp getTableRead(mlir::Operation *op);

/// Tensor of bytes of which each element is the index of a read of 256 bytes. `isSigned`: 128 is added to the byte.
struct ByteIndex {
  mlir::Value bytes;
  bool isSigned = false;
};

/// Reads the indices of `op`, a read of a table. `mayPass` is true for values that the kernel computes only with
/// elementwise operators. Returns `nullopt` if the table has no 256 bytes, or the indices are no widened bytes.
std::optional<ByteIndex> readByteIndex(nn::GatherOp op, llvm::function_ref<bool(mlir::Value)> mayPass);

/// Emits a read of `table` at the index `byte`, a scalar of `index.bytes`.
mlir::Value emitByteLookup(mlir::OpBuilder &builder, nn::GatherOp op, const ByteIndex &index, mlir::Value table,
                           mlir::Value byte);

/// Emits an index into an axis of `size` elements. Negative indices count from the end. The result is clamped to the
/// axis, so the kernel never reads outside of it.
mlir::Value emitClampedIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t size);

/// Emits a read of `table`, an argument of the kernel, at the scalar `index`.
mlir::Value emitTableRead(mlir::OpBuilder &builder, nn::GatherOp op, mlir::Value table, mlir::Value index);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_TABLEREADS_H
