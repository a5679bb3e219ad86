// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  provides the panel by which a unit multiplies if the right operand is not a packed weight: columns read in
//        place, or packed into scratch by the unit.
// Why:   tiles read columns side by side, and several steps of each column if an instruction multiplies words of bytes.
// How:   such a product is treated as a product with a packed panel in scratch. It has the same loops, over groups of
//        steps.

#ifndef NACRE_CODEGEN_CPU_PANELS_UNITPANEL_H
#define NACRE_CODEGEN_CPU_PANELS_UNITPANEL_H

#include "codegen/cpu/tiles/MicroTile.h"
#include "codegen/cpu/tiles/ScratchProduct.h"

namespace nacre::codegen::cpu {

class UnitPanel {
public:
  /// The panel has `width` columns. `walked` is the product that reads the panel.
  UnitPanel(KernelFunction &function, VectorBuilder &build, const MatrixProduct &contraction,
            const MatrixProduct &walked, int64_t width)
      : function(function), build(build), contraction(contraction), walked(walked), width(width) {}

  /// True if the columns are read in place. They must be consecutive, and fill whole vectors. In addition, they must
  /// have the layout of a packed panel, or exceed the second-level cache, where packing would not save memory traffic.
  bool isReadInPlace(int64_t columns, int64_t lanes) const;
  Panel inPlace() const;
  /// Copies `columns` columns at `at` into scratch, in the layout of a packed weight's panel. Sets the address of Rhs
  /// in `at` to the beginning of the panel.
  Panel pack(int64_t columns, Addresses &at) const;

private:
  /// True if the steps of the reduction are consecutive in memory, and each consists of the panel's columns only.
  bool liesAsPacked() const;
  void packColumns(unsigned level, int64_t columns, const Panel &panel, mlir::Value from, mlir::Value to) const;

  KernelFunction &function;
  VectorBuilder &build;
  const MatrixProduct &contraction, &walked;
  const int64_t width;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_UNITPANEL_H
