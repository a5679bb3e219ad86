// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the number of executions of an operation in a serial kernel's program.
// Why:   placement and emitters both estimate the cost of such kernels, from the program itself.
// How:   the product of the iterations of all loops around an operation. Data-dependent ones are estimates.

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

/// Returns the executions of `op`, an operation of a point's program, for one point. Both branches of a condition
/// count.
double countIterations(mlir::scf::ForallOp points, mlir::Operation *op);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_SERIALITERATIONS_H
