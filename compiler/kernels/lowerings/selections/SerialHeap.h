// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binary heaps in the tensors of a serial program, for sorting and for taking the first elements. A heap needs no extra
// memory, n log n steps for any data, and no recursion. So the same program works on a CPU core and in a GPU
// invocation.
//
// An element consists of some scalars, which the owner loads and stores. Element i goes before elements 2i + 1 and 2i +
// 2 in the order of the owner.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace nacre::kernels {

using Scalars = llvm::SmallVector<mlir::Value, 2>;

/// Elements of a heap, which lie in some tensors of the program.
struct SerialHeap {
  mlir::Location loc;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position)> load;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position, mlir::ValueRange element)>
      store;
  /// True if `a` goes before `b`. No two elements are equal, and no element goes before itself.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange a, mlir::ValueRange b)> before;
};

/// Puts `element` at the free position `at`, or below it, in the heap of the first `size` elements. Like the other
/// functions, it returns the new contents of the tensors.
Scalars sink(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::ValueRange element,
             mlir::Value at, mlir::Value size);

/// Makes a heap of the first `size` elements.
Scalars makeHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

/// Sorts a heap in reverse: the element that goes first comes last.
Scalars sortHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
