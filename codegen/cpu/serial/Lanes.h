// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the test if neighbouring points of a serial kernel can run as lanes of a vector, or iterations of a parallel
//        loop.
// Why:   sums along rows, and updates of whole rows, do the same in every column.
// How:   values that differ between points are followed through the program. The points must lie one after another
//        wherever the program reads or writes by them. Nothing else may depend on the point: no index, no bound, no
//        condition.

#ifndef NACRE_CODEGEN_CPU_SERIAL_LANES_H
#define NACRE_CODEGEN_CPU_SERIAL_LANES_H

#include "codegen/form/SerialForm.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::codegen::cpu {

struct Lanes {
  llvm::DenseSet<mlir::Value> varying; ///< Values that differ from lane to lane
  unsigned widestBits = 8;             ///< Widest of their types
};

/// Finds lanes along the last loop over points; `nullopt` if its points cannot be lanes.
std::optional<Lanes> findLanes(const SerialForm &form);

/// Finds lanes along `loop` of the program, whose iterations may run in parallel (plan::kParallel).
std::optional<Lanes> findLanes(const SerialForm &form, mlir::scf::ForOp loop);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_SERIAL_LANES_H
