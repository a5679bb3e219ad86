// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operations of a nest or row kernel over one set of loops.
// Why:   an epilogue counts its loops by itself; emitters want each operand's stride in the loops that they write.
// How:   a stage's loops are those of the stages whose results it reads, and otherwise the first stage's, in order.

#ifndef NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
#define NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H

#include "codegen/form/KernelForm.h"
#include "codegen/form/Nest.h"

namespace nacre::codegen::cpu {

struct StageInput {
  std::optional<unsigned> operand; ///< Of the nest; none:
  unsigned stage = 0, result = 0;  ///< a former stage's result,
  bool unread = false;             ///< or nothing.
};

struct StageResult {
  mlir::TypedAttr start; ///< Of the accumulator; null where the body does not read it.
  mlir::Type elementType;
  std::optional<unsigned> operand; ///< Of the nest, where it is written.
};

struct Stage {
  mlir::Block *body = nullptr;
  llvm::SmallVector<StageInput> inputs;
  llvm::SmallVector<StageResult, 1> results;
  llvm::SmallVector<bool> walks; ///< Per loop of the nest: whether the stage has it.
  llvm::SmallVector<bool> keeps; ///< Per loop of the nest: whether its results depend on it.
  bool reduces = false;

  bool isWritten() const {
    return llvm::any_of(results, [](const StageResult &result) { return result.operand.has_value(); });
  }
};

struct NestStages {
  Nest nest; ///< A loop is parallel where no stage reduces it.
  llvm::SmallVector<Stage, 2> stages;
  std::optional<unsigned> cut;         ///< The loop of the cut axis; none where a share is all or nothing.
  llvm::SmallVector<unsigned> cutAxes; ///< The axis of each written tensor that the loop walks; empty without a cut.
};

/// Fails, with the reason in the debug log, where the stages do not share loops, or a body cannot be inlined.
llvm::FailureOr<NestStages> collectStages(const KernelForm &form);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
