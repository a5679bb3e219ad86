// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where queries, keys, values and result of attention lie for a workgroup, and whether they are read in vectors.
// Why:   each is walked by other loops, in any order of axes; the emitter says loops and steps, never strides.

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

  llvm::SmallVector<mlir::Value> batch; ///< The workgroup's index of each loop.

  /// Whether `operand` can be read or written by so many along `along`.
  bool inVectors(Index operand, const ContractionLoop &along, unsigned width) const;
  bool inQuads(Index operand, const ContractionLoop &along) const { return inVectors(operand, along, kQuad); }

  /// The address of `operand` in the workgroup's batch, `at` steps along some loops, in vectors of `width`.
  mlir::Value addressOf(Index operand, llvm::ArrayRef<Step> at, unsigned width);

  /// In f32.
  mlir::Value load(Index operand, mlir::Value address, unsigned width);

private:
  const AttentionForm &form;
  PointBuilder &build;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONOPERANDS_H
