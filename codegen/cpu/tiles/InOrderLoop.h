// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the inner loop of a tile for a core that issues in order.
// Why:   such a core waits if an instruction needs a load that is not complete. It starts only neighbouring
//        instructions together. Cortex-A55 starts a load of half a register together with a multiply-add, but not a
//        load of a whole register.
// How:   each multiply-add is followed by a load of half a register for the next step, also across iterations. Sums are
//        computed row by row, so that a row's next elements replace the elements just multiplied. LLVM keeps this order
//        (CompileKernel.cpp).

#ifndef NACRE_CODEGEN_CPU_TILES_INORDERLOOP_H
#define NACRE_CODEGEN_CPU_TILES_INORDERLOOP_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

class InOrderLoop {
public:
  /// Converts a row's elements to the type of the columns.
  using Extend = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// Pointers to the operands of a step.
  struct Stand {
    llvm::SmallVector<mlir::Value> rows;
    mlir::Value columns;
  };

  /// Prepares a loop whose iterations have `unroll` steps. A step has `vectors` vectors of columns of type `type`. The
  /// columns of the next step are `stepBytes` bytes further on. Rows hold elements of type `element`. The machine must
  /// multiply one row at a time.
  InOrderLoop(VectorBuilder &build, const MachineRow &machine, mlir::VectorType type, int64_t vectors,
              mlir::Type element, int64_t stepBytes, int64_t unroll, Extend extend)
      : build(build), machine(machine), type(type), vectors(vectors), element(element), stepBytes(stepBytes),
        unroll(unroll), extend(extend) {}

  /// Returns the sums after `steps` steps that begin at `first`. There must be at least two iterations.
  llvm::SmallVector<mlir::Value> reduce(mlir::ValueRange sums, const Stand &first, int64_t steps);

private:
  /// Returns the number of a row's elements in half a register.
  int64_t half() const { return type.getNumElements() / 2; }
  mlir::Value elementsOf(mlir::Value row, int64_t step);
  /// Loads the operands that the first step at `at` needs immediately: its columns, and elements of the first rows.
  llvm::SmallVector<mlir::Value> begin(const Stand &at);
  /// Emits the iteration at `at`. Returns its sums, followed by the operands with which the next iteration begins.
  /// `next` builds the pointers of the next iteration. It is called after the last load of this iteration, so that each
  /// pointer keeps its register.
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

#endif // NACRE_CODEGEN_CPU_TILES_INORDERLOOP_H
