// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  brings the parts of a contraction's operands that a workgroup's tile needs to shared memory.
// Why:   every template that works from shared memory fills it in the same way; they differ in what they do with it.
// How:   a part is `depth` steps of the reduction. Both operands lie there as quads, the left along the reduction, the
//        right along the columns. Every invocation loads as many quads as any other, neighbours neighbouring ones.

#ifndef NACRE_CODEGEN_GPU_TILELOADER_H
#define NACRE_CODEGEN_GPU_TILELOADER_H

#include "codegen/gpu/ContractionGrid.h"

namespace nacre::codegen::gpu {

/// The tile as it lies in shared memory.
struct SharedLayout {
  int64_t rows = 1, columns = 4, depth = 4; ///< The latter two multiples of four.
  int64_t leftPitch = 1, rightPitch = 1;    ///< Quads from one row, or step, to the next.
  int64_t buffers = 1;                      ///< How many of each there are.
  mlir::Type leftType, rightType;           ///< Of elements, if need be narrower than memory's.

  int64_t leftQuads() const { return rows * leftPitch; }
  int64_t rightQuads() const { return depth * rightPitch; }
};

class TileLoader {
public:
  TileLoader(ContractionGrid &grid, const SharedLayout &layout, int64_t threads);

  int64_t parts() const;
  /// This invocation's quads of a part, in registers.
  llvm::SmallVector<mlir::Value> load(mlir::Value part);
  /// Puts them into shared memory, the buffer of that number.
  void store(llvm::ArrayRef<mlir::Value> quads, mlir::Value buffer);

  mlir::Value left, right; ///< Shared memory: memrefs of quads.

private:
  mlir::Value depthAddress(unsigned operand, mlir::Value first, mlir::Value offset);
  mlir::Value loadLeft(mlir::Value row, mlir::Value first);
  bool hasTail() const { return depthSize % layout.depth != 0; }
  int64_t rightStepOf(int64_t number) const { return number * (threads / columnQuads); }

  ContractionGrid &grid;
  const Contraction &contraction;
  IndexBuilder &build;
  const SharedLayout layout;
  const int64_t threads, depthQuads, columnQuads, depthSize;
  mlir::Value leftQuad, rightStep, rightColumn; ///< What this invocation loads.
  llvm::SmallVector<mlir::Value> leftFrom, leftTo, rightTo;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_TILELOADER_H
