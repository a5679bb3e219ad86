// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads vectors of a panel's columns, and decodes them to the type in which they are multiplied.
// Why:   memory bandwidth should be the only limit of a row times a matrix of 16-bit floats, so each instruction that
//        widens counts.
// How:   one load brings two vectors if that takes fewer instructions. For bf16 they are the even and the odd columns:
//        the first are the loaded bits shifted, the second the same bits masked. The sums are reordered at the end. The
//        last vector may be half as wide.

#ifndef NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H
#define NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"

namespace nacre::codegen::cpu {

class PanelColumns {
public:
  /// Prepares loads of `vectors` vectors from the panel `buffer`, which is stored as `decode` says, as vectors of
  /// `type`. If `lastIsHalf`, only the first half of the last vector is loaded.
  PanelColumns(VectorBuilder &build, const MachineRow &machine, mlir::Value buffer,
               const std::optional<RightDecode> &decode, mlir::Type type, int64_t vectors, bool lastIsHalf);

  /// Returns the number of lanes of the vector with index `vector`, and of its sums.
  unsigned lanesOf(int64_t vector) const { return vector + 1 < vectors ? lanes : lastLanes; }

  /// Returns the vector with index `vector` and, if two are loaded together, the next one. Vector 0 begins at `row`.
  llvm::SmallVector<mlir::Value, 2> load(mlir::Value row, int64_t vector);

  /// True if the vectors do not hold the columns in order. Sums that do not begin with zero must be in the same order.
  bool reorders() const { return pairs == Pairs::EvenAndOdd; }
  /// Reorders one row's sums from the order of load() to the order of columns.
  void order(llvm::MutableArrayRef<mlir::Value> sums);

private:
  enum class Pairs {
    None,
    Halves, ///< First and second half of the loaded columns
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
  int64_t elementsOfLane = 1; ///< Elements of the buffer in each lane; more than one if a lane is a word
};

/// Stream of columns whose steps lie one after another. Each load fills `perLoad` registers and advances its address.
class ColumnStream {
public:
  ColumnStream(VectorBuilder &build, int64_t perLoad, mlir::VectorType type, mlir::Value pointer)
      : build(build), perLoad(perLoad), type(type), pointer(pointer) {}

  mlir::Value next();
  /// Returns the address of the first columns that are not loaded yet. All loaded columns must have been taken before.
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
  unsigned used = 0; ///< Number of vectors of `loaded` that next() has returned
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_PANELCOLUMNS_H
