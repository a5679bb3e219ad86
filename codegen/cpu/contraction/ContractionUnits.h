// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the division of a contraction into units of work.
// Why:   it depends only on the shape, the encoding and the machine, so it is plain arithmetic.
// How:   the cut axis is divided into blocks of indices, and a block into parts: batches, groups and panels.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_CONTRACTIONUNITS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_CONTRACTIONUNITS_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionForm.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::codegen::cpu {

struct ContractionUnits {
  /// Order of units. `BlocksTogether`: if the second-level cache holds all rows, a call computes the rows of its blocks
  /// together for each part. Each panel is then read once. `Parts`: if there are few rows, threads share the parts.
  enum class Order { Blocks, BlocksTogether, Parts };

  int64_t width = 0;        ///< Number of columns of a panel
  int64_t slice = 0;        ///< Number of columns of a panel by which tiles multiply together
  int64_t extent = 1;       ///< Number of indices in a block
  int64_t parts = 1;        ///< Number of units of a block
  int64_t panelsOfUnit = 1; ///< Number of panels of a unit. There are several if rows of bytes are widened.
  /// True if the rows lie side by side in each step of the reduction, and steps are far apart. They are then copied.
  bool rowsAreAcross = false;
  Order order = Order::Blocks;

  /// Estimates the nanoseconds of a unit, from its arithmetic or from the columns it reads.
  double nanosecondsOf(const Target &target, const MachineRow &machine, const MatrixProduct &contraction) const;
};

/// Divides `contraction`. `isReadInPlace(width, columns)`: true if a unit reads `columns` columns of Rhs, in panels of
/// `width` columns, without packing them.
ContractionUnits divideContraction(const Target &target, const MachineRow &machine, const MatrixProduct &contraction,
                                   bool rowsAreWidened,
                                   llvm::function_ref<bool(int64_t width, int64_t columns)> isReadInPlace);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_CONTRACTIONUNITS_H
