// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  binary heaps in the tensors of a serial program: to sort, and to take what comes first.
// Why:   they need no room beside the elements, n log n steps whatever the data are, and no recursion, so that one text
//        serves a CPU's core and a GPU's invocation.
// How:   an element is some scalars, which the owner loads and stores; element i goes before 2i + 1 and 2i + 2 in the
//        owner's order.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace nacre::kernels {

using Scalars = llvm::SmallVector<mlir::Value, 2>;

/// A heap's elements, which lie in some tensors of the program.
struct SerialHeap {
  mlir::Location loc;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position)> load;
  std::function<Scalars(mlir::OpBuilder &, mlir::ValueRange tensors, mlir::Value position, mlir::ValueRange element)>
      store;
  /// Whether `a` goes before `b`; no two elements are equal, and none goes before itself.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange a, mlir::ValueRange b)> before;
};

/// Puts `element` where position `at` is free, into the heap of the first `size` elements. All return the tensors as
/// they are then.
Scalars sink(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::ValueRange element,
             mlir::Value at, mlir::Value size);

/// Makes a heap of the first `size` elements.
Scalars makeHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

/// Orders a heap so that what goes first comes last.
Scalars sortHeap(mlir::OpBuilder &builder, const SerialHeap &heap, mlir::ValueRange tensors, mlir::Value size);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_SELECTIONS_SERIALHEAP_H
