// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tests if neighbouring points of a serial kernel, or iterations of a parallel loop in it, can run as lanes of a
//        vector.
// Why:   kernels that sum along rows, or update whole rows, run the same operations in every column.
// How:   values that differ between points are followed through the program. If the program reads or writes by such a
//        value, the elements of neighbouring points must be consecutive. Indices, bounds and conditions must otherwise
//        be the same for all points.

#ifndef NACRE_CODEGEN_CPU_SERIAL_LANES_H
#define NACRE_CODEGEN_CPU_SERIAL_LANES_H

#include "codegen/form/serial/SerialForm.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::codegen::cpu {

struct Lanes {
  llvm::DenseSet<mlir::Value> varying; ///< Values that differ between lanes
  unsigned widestBits = 8;             ///< Size of the widest type of these values, in bits
};

/// Finds lanes along the last loop over points. `nullopt` if its points cannot be lanes.
std::optional<Lanes> findLanes(const SerialForm &form);

/// Finds lanes along `loop` of the program, whose iterations may run in parallel (plan::kParallel).
std::optional<Lanes> findLanes(const SerialForm &form, mlir::scf::ForOp loop);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_SERIAL_LANES_H
