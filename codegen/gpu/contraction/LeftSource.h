// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  makes the elements of a contraction's left operand where no memory holds them.
// Why:   what a kernel computes while it loads needs no kernel of its own; templates only know where a quad is wanted.
// How:   a template lets it prepare, asks once for what is fixed for each row of its tile, and then for quads: four steps of
//        the reduction of one row. Loading what quads are made of and making them are apart, so that loads can be on their way while a
//        template multiplies; what all rows read alike is loaded once for all of them. What others read, too, is written when it has
//        been made: that waits for nothing.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

class LeftSource {
public:
  using Values = llvm::SmallVector<mlir::Value, 4>;
  virtual ~LeftSource() = default;

  /// Emits what all invocations of a workgroup do before anything is made.
  virtual void prepare() {}
  /// What is fixed for the tile's row `row` + `further`, or the last one where it lies beyond.
  virtual Values row(mlir::Value row, int64_t further) = 0;
  /// Loads what all rows read alike for `quads` quads of steps, one or two. The first step is one of the reduction, and a
  /// multiple of 4 * quads where the reduction is; those beyond the last one may be any.
  virtual Values loadShared(mlir::Value step, int64_t quads) = 0;
  /// Loads what else they are made of, behind loadShared for the same steps.
  virtual Values load(mlir::ValueRange row, mlir::Value step, int64_t quads) = 0;
  /// The quads, in the type of the left operand.
  virtual Values make(mlir::ValueRange row, mlir::ValueRange shared, mlir::ValueRange loaded, int64_t quads) = 0;
  /// Whether a template must pass on to `write` what it has made.
  virtual bool isWritten() const { return false; }
  /// Writes what was made of a row from `step` on, but for steps beyond the last; one invocation of a workgroup comes with
  /// each step.
  virtual void write(mlir::ValueRange /*row*/, mlir::Value /*step*/, mlir::ValueRange /*made*/) {}
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTSOURCE_H
