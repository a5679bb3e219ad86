// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tile's inner loop for a core that issues in order.
// Why:   nothing runs ahead of what waits for a load, and what is loaded and multiplied in a cycle are neighbours. Cortex-A55
//        starts a load of half a register beside a multiply-add, and none of a whole one.
// How:   each multiply-add is followed by a load of what the next step multiplies, by halves, from iteration to iteration, too. It goes
//        row by row, so that a row's next elements take the register of those that it has just multiplied. The compiler keeps
//        that order (CompileKernel.cpp).

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_INORDERLOOP_H
#define NACRE_CODEGEN_CPU_CONTRACTION_INORDERLOOP_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/MachineRows.h"

namespace nacre::codegen::cpu {

class InOrderLoop {
public:
  /// As a row's elements are multiplied: of the type of the columns.
  using Extend = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// Pointers to what a step multiplies.
  struct Stand {
    llvm::SmallVector<mlir::Value> rows;
    mlir::Value columns;
  };

  /// By columns of that type, `vectors` for each row, in iterations of so many steps; rows hold elements of `element`, and from a step's
  /// columns to the next one's are `stepBytes`. The machine multiplies a row at a time.
  InOrderLoop(VectorBuilder &build, const MachineRow &machine, mlir::VectorType type, int64_t vectors,
              mlir::Type element, int64_t stepBytes, int64_t unroll, Extend extend)
      : build(build), machine(machine), type(type), vectors(vectors), element(element), stepBytes(stepBytes),
        unroll(unroll), extend(extend) {}

  /// The sums after so many steps, two iterations at least, from `first` on.
  llvm::SmallVector<mlir::Value> reduce(mlir::ValueRange sums, const Stand &first, int64_t steps);

private:
  /// Elements of a row in half a register.
  int64_t half() const { return type.getNumElements() / 2; }
  mlir::Value elementsOf(mlir::Value row, int64_t step);
  /// What the first step there begins with: its columns, and elements of the first rows.
  llvm::SmallVector<mlir::Value> begin(const Stand &at);
  /// The iteration there: the sums, and what the next iteration begins with. `next`: builds where that stands, after the last load of
  /// what is multiplied in this one, so that a pointer takes its own register further on.
  llvm::SmallVector<mlir::Value> multiplyAdd(mlir::ValueRange sums, mlir::ValueRange begun, const Stand &at,
                                             llvm::function_ref<Stand()> next);

  VectorBuilder &build;
  const MachineRow &machine;
  const mlir::VectorType type;
  const int64_t vectors;
  const mlir::Type element;
  const int64_t stepBytes, unroll;
  const Extend extend;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_INORDERLOOP_H
