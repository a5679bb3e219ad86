// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether several neighbouring points of a serial kernel, or iterations of a loop that may run in parallel, can run as the lanes
//        of a vector.
// Why:   sums along rows, and updates of whole rows, do the same in every column.
// How:   values that differ between points are followed through the program. The points must lie one after another
//        wherever it reads or writes by them, and nothing else may depend on which point it is: no index, no bound, no
//        condition.

#ifndef NACRE_CODEGEN_CPU_SERIAL_LANES_H
#define NACRE_CODEGEN_CPU_SERIAL_LANES_H

#include "codegen/form/SerialForm.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::codegen::cpu {

struct Lanes {
  llvm::DenseSet<mlir::Value> varying; ///< What differs from lane to lane.
  unsigned widestBits = 8;             ///< Of those.
};

/// Along the last loop over points; none where they cannot.
std::optional<Lanes> findLanes(const SerialForm &form);

/// Along `loop` of the program, whose iterations may run in parallel (plan::kParallel).
std::optional<Lanes> findLanes(const SerialForm &form, mlir::scf::ForOp loop);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_SERIAL_LANES_H
