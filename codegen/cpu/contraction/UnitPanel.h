// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the panel that a unit multiplies by: of a packed weight, of columns as they lie, or packed by the unit into scratch.
// Why:   tiles read columns side by side, and several steps of each where an instruction multiplies words of bytes.
// How:   a product whose right operand is no packed weight is one by a panel in scratch: the same loops, of groups of steps.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_UNITPANEL_H
#define NACRE_CODEGEN_CPU_CONTRACTION_UNITPANEL_H

#include "codegen/cpu/contraction/MicroTile.h"
#include "codegen/cpu/contraction/ScratchProduct.h"

namespace nacre::codegen::cpu {

class UnitPanel {
public:
  /// Of `width` columns. `walked`: the product of what the panel is then.
  UnitPanel(KernelFunction &function, VectorBuilder &build, const MatrixProduct &contraction,
            const MatrixProduct &walked, int64_t width)
      : function(function), build(build), contraction(contraction), walked(walked), width(width) {}

  /// Columns that lie one after another, in whole vectors, are read where they are if the panel lies as it would when packed, or if the
  /// second-level cache does not hold it: then it comes from as far when it is packed.
  bool isReadInPlace(int64_t columns, int64_t lanes) const;
  Panel inPlace() const;
  /// Copies `columns` columns at `at` into scratch, as a packed weight's panel would be; moves Rhs there.
  Panel pack(int64_t columns, Addresses &at) const;

private:
  /// Whether steps of the reduction follow one another, and have no columns but the panel's.
  bool liesAsPacked() const;
  void packColumns(unsigned level, int64_t columns, const Panel &panel, mlir::Value from, mlir::Value to) const;

  KernelFunction &function;
  VectorBuilder &build;
  const MatrixProduct &contraction, &walked;
  const int64_t width;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_UNITPANEL_H
