// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  counts how often an operation in a serial kernel's program is executed.
// Why:   placement and emitters both estimate the cost of serial kernels from their programs.
// How:   the count is the product of the iterations of all loops around an operation. Data-dependent loops are
//        estimated.

#ifndef NACRE_DIALECTS_PLAN_SERIALITERATIONS_H
#define NACRE_DIALECTS_PLAN_SERIALITERATIONS_H

namespace mlir {
class Operation;
namespace scf {
class ForallOp;
} // namespace scf
} // namespace mlir

namespace nacre::plan {

/// Returns the number of points of a serial kernel.
double countPoints(mlir::scf::ForallOp points);

/// Returns how often `op`, an operation of a point's program, is executed for one point. Both branches of a condition
/// count.
double countIterations(mlir::scf::ForallOp points, mlir::Operation *op);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_SERIALITERATIONS_H
