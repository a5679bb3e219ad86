// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how often the operations of a serial kernel's program run.
// Why:   placement and emitters both price such kernels, and a program says its own length.
// How:   the iterations of the loops around an operation, multiplied. Where data decide them they are guessed.

#ifndef NACRE_DIALECTS_PLAN_SERIALITERATIONS_H
#define NACRE_DIALECTS_PLAN_SERIALITERATIONS_H

namespace mlir {
class Operation;
namespace scf {
class ForallOp;
} // namespace scf
} // namespace mlir

namespace nacre::plan {

/// How many points a serial kernel has.
double countPoints(mlir::scf::ForallOp points);

/// How often `op`, of the program of each point, runs for one of them. Both branches of a condition count.
double countIterations(mlir::scf::ForallOp points, mlir::Operation *op);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_SERIALITERATIONS_H
