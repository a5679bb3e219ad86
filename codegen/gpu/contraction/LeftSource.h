// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the elements of a contraction's left operand if they are not in memory.
// Why:   computing them during the loads needs no separate kernel. Templates only state which quads they need.
// How:   a template first calls prepare(). It asks once for the fixed values of each row of its tile. It then asks for
//        quads, which are four steps of the reduction of one row. Loads and computation are separate, so that loads can
//        be in flight while a template multiplies. Values that all rows read are loaded once. If other kernels also
//        read the operand, it is written to memory, and no invocation waits for that.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

class LeftSource {
public:
  using Values = llvm::SmallVector<mlir::Value, 4>;
  virtual ~LeftSource() = default;

  /// Emits the work that must precede all quads, for all invocations of a workgroup.
  virtual void prepare() {}
  /// Returns the fixed values of the tile's row with index `row` + `further`, clamped to the last row.
  virtual Values row(mlir::Value row, int64_t further) = 0;
  /// Loads the values that all rows share, for `quads` quads of steps, one or two. `step` must be inside the reduction.
  /// It must be a multiple of 4 * quads if the reduction's size is. Values of steps beyond the last one are undefined.
  virtual Values loadShared(mlir::Value step, int64_t quads) = 0;
  /// Loads the other inputs of the quads. Callers must call loadShared() for the same steps before.
  virtual Values load(mlir::ValueRange row, mlir::Value step, int64_t quads) = 0;
  /// Computes the quads, in the type of the left operand.
  virtual Values make(mlir::ValueRange row, mlir::ValueRange shared, mlir::ValueRange loaded, int64_t quads) = 0;
  /// True if a template must pass the quads to write().
  virtual bool isWritten() const { return false; }
  /// Writes the quads of a row from `step` on, except steps beyond the last one. For each step, one invocation of a
  /// workgroup calls it.
  virtual void write(mlir::ValueRange /*row*/, mlir::Value /*step*/, mlir::ValueRange /*made*/) {}
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H
