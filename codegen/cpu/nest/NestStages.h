// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads the operations of a nest or row kernel as stages over one set of loops.
// Why:   the loops of an epilogue have their own indices. But emitters need each operand's strides in the loops that
//        they emit.
// How:   a stage shares loops with the stages whose results it reads. Its other loops are the first stage's, in order.

#ifndef NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
#define NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H

#include "codegen/form/KernelForm.h"
#include "codegen/form/Nest.h"

namespace nacre::codegen::cpu {

struct StageInput {
  std::optional<unsigned> operand; ///< Operand of the nest; `nullopt` for a result of an earlier stage
  unsigned stage = 0, result = 0;  ///< Index of the stage, and index of its result
  bool unread = false;             ///< True if the body does not read the input
};

struct StageResult {
  mlir::TypedAttr start; ///< Initial value of the accumulator; null if the body does not read it
  mlir::Type elementType;
  std::optional<unsigned> operand; ///< Operand of the nest; `nullopt` if the result is not written
};

struct Stage {
  mlir::Block *body = nullptr;
  llvm::SmallVector<StageInput> inputs;
  llvm::SmallVector<StageResult, 1> results;
  llvm::SmallVector<bool> walks; ///< True for the loops of the nest that the stage has
  llvm::SmallVector<bool> keeps; ///< True for the loops of the nest on which the stage's results depend
  bool reduces = false;

  bool isWritten() const {
    return llvm::any_of(results, [](const StageResult &result) { return result.operand.has_value(); });
  }
};

struct NestStages {
  Nest nest; ///< Loops of all stages; a loop is parallel if no stage reduces it
  llvm::SmallVector<Stage, 2> stages;
  std::optional<unsigned> cut; ///< Loop of the cut axis; `nullopt` if the work cannot be divided
  /// Axis of each written tensor along the cut loop; empty if there is no cut loop
  llvm::SmallVector<unsigned> cutAxes;
};

/// Collects the stages. Fails, with the reason in the debug log, if they do not share loops or a body cannot be
/// inlined.
llvm::FailureOr<NestStages> collectStages(const KernelForm &form);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
