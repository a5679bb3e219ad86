// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds binary heaps in the tensors of a serial program, to sort or to take the first elements. A heap needs no extra
// memory, no recursion, and at most n log n steps for any data. So the same program works on a CPU core and in a GPU
// invocation.
//
// An element consists of one or more scalars. The user of the heap loads and stores them, and defines the order.
// Element i precedes elements 2i + 1 and 2i + 2 in this order.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace nacre::kernels {

using Scalars = llvm::SmallVector<mlir::Value, 2>;

/// Heap whose elements lie in tensors of the program.
struct SerialHeap {
  mlir::Location loc;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position)> load;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position, mlir::ValueRange element)>
      store;
  /// Emits true if `a` precedes `b`. No two elements are equal, and no element precedes itself.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange a, mlir::ValueRange b)> before;
};

/// Inserts `element` at the free position `at`, or below it, in the heap of the first `size` elements. Returns the new
/// contents of `tensors`, as all functions of this file do.
Scalars sink(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::ValueRange element,
             mlir::Value at, mlir::Value size);

/// Turns the first `size` elements into a heap.
Scalars makeHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

/// Sorts a heap in reverse order: the first element in the heap's order becomes the last one.
Scalars sortHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
