// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  vectors of a panel's columns, widened to what they are multiplied as.
// Why:   a row by a matrix of halves is to be as fast as their bytes come, so that each operation counts which widens them.
// How:   where that takes fewer operations, one load brings two vectors. Of bf16 these are the columns of even and of odd
//        number: one is the load shifted, the other the load masked. Sums are put in order when all is added up. The last
//        vector may be half as wide.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_PANELCOLUMNS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_PANELCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/MachineRows.h"

namespace nacre::codegen::cpu {

class PanelColumns {
public:
  /// `vectors` of columns from `buffer`, a panel of any type, as `type`. `lastIsHalf`: of the last of them the first
  /// half is enough.
  PanelColumns(VectorBuilder &build, const MachineRow &machine, mlir::Value buffer, mlir::Type type, int64_t vectors,
               bool lastIsHalf);

  /// Of that vector, and of its sums.
  unsigned lanesOf(int64_t vector) const { return vector + 1 < vectors ? lanes : lastLanes; }

  /// The vector of that number and, where they come together, the next one. `row`: where vector 0 lies.
  llvm::SmallVector<mlir::Value, 2> load(mlir::Value row, int64_t vector);

  /// Whether columns come in another order than they lie in: sums that do not begin with zero must begin in it.
  bool reorders() const { return pairs == Pairs::EvenAndOdd; }
  /// The vectors of one row's sums, as `load` gives columns, in the order of columns.
  void order(llvm::MutableArrayRef<mlir::Value> sums);

private:
  enum class Pairs {
    None,
    Halves, ///< The first columns of a load, and the last.
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
  bool isOfWords = false; ///< Each column has several bytes.
};

/// Columns of whole steps that lie one after another, by loads that fill `perLoad` registers and move their address on.
class ColumnStream {
public:
  ColumnStream(VectorBuilder &build, int64_t perLoad, mlir::VectorType type, mlir::Value pointer)
      : build(build), perLoad(perLoad), type(type), pointer(pointer) {}

  mlir::Value next();
  /// Where the columns begin that no load has brought yet; all that were brought have been taken.
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
  unsigned used = 0; ///< Of those.
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_PANELCOLUMNS_H
