// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  vectors of a panel's columns, widened to the type in which they are multiplied.
// Why:   only memory bandwidth should limit a row times a matrix of 16-bit floats, so each widening operation counts.
// How:   one load brings two vectors if that takes fewer operations. For bf16 these are the even and the odd columns:
//        one is the load shifted, the other the load masked. Sums are put in order at the end. The last vector may be
//        half as wide.

#ifndef NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H
#define NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

class PanelColumns {
public:
  /// Loads `vectors` vectors of columns as `type` from the panel `buffer` of any type. `lastIsHalf`: the first half of
  /// the last vector is enough.
  PanelColumns(VectorBuilder &build, const MachineRow &machine, mlir::Value buffer, mlir::Type type, int64_t vectors,
               bool lastIsHalf);

  /// Returns the lanes of that vector, and of its sums.
  unsigned lanesOf(int64_t vector) const { return vector + 1 < vectors ? lanes : lastLanes; }

  /// Returns that vector and, if two are loaded together, the next one. Vector 0 lies at `row`.
  llvm::SmallVector<mlir::Value, 2> load(mlir::Value row, int64_t vector);

  /// True if vectors do not hold columns in order. Sums that do not begin with zero must have the same order.
  bool reorders() const { return pairs == Pairs::EvenAndOdd; }
  /// Puts the vectors of one row's sums from the order of `load` into the order of columns.
  void order(llvm::MutableArrayRef<mlir::Value> sums);

private:
  enum class Pairs {
    None,
    Halves, ///< The first columns of a load, then the last
    EvenAndOdd
  };

  bool isPair(int64_t vector) const { return pairs != Pairs::None && vector % 2 == 0 && vector + 1 < vectors; }
  mlir::Value loadLanes(mlir::Value row, int64_t vector, int64_t count);
  llvm::SmallVector<mlir::Value, 2> evenAndOdd(mlir::Value both);

  VectorBuilder &build;
  mlir::Value buffer;
  mlir::Type type;
  int64_t lanes, vectors, lastLanes;
  Pairs pairs = Pairs::None;
  int64_t elementsOfLane = 1; ///< Elements of the buffer in a lane; a word has several
};

/// Columns of whole steps that lie one after another. Each load fills `perLoad` registers and moves its address on.
class ColumnStream {
public:
  ColumnStream(VectorBuilder &build, int64_t perLoad, mlir::VectorType type, mlir::Value pointer)
      : build(build), perLoad(perLoad), type(type), pointer(pointer) {}

  mlir::Value next();
  /// Returns the address of the first columns that are not loaded yet. All loaded columns must have been taken.
  mlir::Value end() const {
    assert(used == loaded.size() && "what is left over would be lost");
    return pointer;
  }

private:
  VectorBuilder &build;
  const int64_t perLoad;
  mlir::VectorType type;
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value, 4> loaded;
  unsigned used = 0; ///< Number of `loaded` that were taken
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H
