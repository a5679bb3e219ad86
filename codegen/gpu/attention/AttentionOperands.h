// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the addresses of queries, keys, values and result of attention in a workgroup, and the widths of their
//        vectors.
// Why:   different loops walk each operand, in any order of axes. Emitters use loops and steps, but no strides.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONOPERANDS_H
#define NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONOPERANDS_H

#include "codegen/form/AttentionForm.h"
#include "codegen/gpu/points/PointBuilder.h"

namespace nacre::codegen::gpu {

inline constexpr int64_t kQuad = 4;

class AttentionOperands {
public:
  AttentionOperands(const AttentionForm &form, PointBuilder &build) : form(form), build(build) {}

  using Index = AttentionForm::Index;
  using Step = std::pair<const ContractionLoop *, mlir::Value>;

  llvm::SmallVector<mlir::Value> batch; ///< The workgroup's index for each batch loop.

  /// True if `operand` can be read or written in vectors of `width` elements along the loop `along`.
  bool inVectors(Index operand, const ContractionLoop &along, unsigned width) const;
  bool inQuads(Index operand, const ContractionLoop &along) const { return inVectors(operand, along, kQuad); }

  /// Returns the address of `operand` in the workgroup's batch, in vectors of `width` elements. `at` has steps along
  /// some loops.
  mlir::Value addressOf(Index operand, llvm::ArrayRef<Step> at, unsigned width);

  /// Loads `width` elements of `operand` and converts them to f32.
  mlir::Value load(Index operand, mlir::Value address, unsigned width);

private:
  const AttentionForm &form;
  PointBuilder &build;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONOPERANDS_H
