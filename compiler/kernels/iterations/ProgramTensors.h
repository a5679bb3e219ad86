// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors that a serial program writes. Each has an index, and is known by its latest value.
// Why:   a store to a tensor gives a new value, and loops carry all tensors that they write. The writer of a program
//        only names tensors.

#ifndef NACRE_COMPILER_KERNELS_ITERATIONS_PROGRAMTENSORS_H
#define NACRE_COMPILER_KERNELS_ITERATIONS_PROGRAMTENSORS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::kernels {

class ProgramTensors {
protected:
  ProgramTensors(mlir::OpBuilder &ops, mlir::Location loc) : ops(ops), loc(loc) {}

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(ops, loc, value); }
  mlir::Value sum(mlir::Value a, mlir::Value b) { return ops.createOrFold<mlir::arith::AddIOp>(loc, a, b); }

  /// Adds a tensor, and returns its index in `names`.
  unsigned add(mlir::Value tensor);
  unsigned addRow(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// Loads an element, in the type in which it is computed.
  mlir::Value load(mlir::Value tensor, mlir::ValueRange at, mlir::Type elementType);
  void store(unsigned tensor, mlir::Value scalar, mlir::ValueRange at, mlir::Type elementType);

  /// Writes a loop that carries `tensors`. While `write` runs, `names` maps these tensors to the loop's arguments.
  /// Afterwards, it maps them to the loop's results.
  mlir::scf::ForOp writeLoop(int64_t iterations, llvm::ArrayRef<unsigned> tensors,
                             llvm::function_ref<void(mlir::Value counter)> write);

  mlir::OpBuilder &ops;
  mlir::Location loc;
  mlir::Value zero;                     ///< The index 0, from which loops count.
  llvm::SmallVector<mlir::Value> names; ///< Latest value of each tensor that is written.
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ITERATIONS_PROGRAMTENSORS_H
