// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operations of a nest or row kernel over one set of loops.
// Why:   an epilogue has its own numbers of loops, but emitters need each operand's strides in the loops that they
//        emit.
// How:   a stage's loops are those of the stages whose results it reads; its other loops are the first stage's, in
//        order.

#ifndef NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
#define NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H

#include "codegen/form/KernelForm.h"
#include "codegen/form/Nest.h"

namespace nacre::codegen::cpu {

struct StageInput {
  std::optional<unsigned> operand; ///< Operand of the nest; `nullopt` for a result of an earlier stage
  unsigned stage = 0, result = 0;  ///< Number of that stage, and of its result
  bool unread = false;             ///< True if the body does not read the input
};

struct StageResult {
  mlir::TypedAttr start; ///< Start of the accumulator; null if the body does not read it
  mlir::Type elementType;
  std::optional<unsigned> operand; ///< Operand of the nest, if the result is written
};

struct Stage {
  mlir::Block *body = nullptr;
  llvm::SmallVector<StageInput> inputs;
  llvm::SmallVector<StageResult, 1> results;
  llvm::SmallVector<bool> walks; ///< Loops of the nest that the stage has
  llvm::SmallVector<bool> keeps; ///< Loops of the nest that the stage's results depend on
  bool reduces = false;

  bool isWritten() const {
    return llvm::any_of(results, [](const StageResult &result) { return result.operand.has_value(); });
  }
};

struct NestStages {
  Nest nest; ///< A loop is parallel if no stage reduces it
  llvm::SmallVector<Stage, 2> stages;
  std::optional<unsigned> cut;         ///< The loop of the cut axis; `nullopt` if a share is all or nothing
  llvm::SmallVector<unsigned> cutAxes; ///< The axis of each written tensor that this loop walks; empty without a cut
};

/// Collects the stages. Fails, with the reason in the debug log, if they do not share loops, or a body cannot be
/// inlined.
llvm::FailureOr<NestStages> collectStages(const KernelForm &form);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_NESTSTAGES_H
