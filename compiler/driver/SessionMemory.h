// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a scheduled model, and the limit that `--memory-cap` sets for a model that is not trained.
//
// Why:  Only the whole compilation knows it: weights are encoded, values planned, and the scratch memory of kernels is known while they
//       are compiled. What is said to be enough must be.
// How:  The schedule is told what an entry may have beside the weights. If kernels then need more scratch than is left, the model is
//       scheduled once more with that known, and refused if it still does not fit.

#ifndef NACRE_COMPILER_SESSIONMEMORY_H
#define NACRE_COMPILER_SESSIONMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre {

/// Returns an upper bound of what a session of the largest entry holds for the runtime's own tables.
int64_t runtimeBytes(mlir::ModuleOp module);

/// Returns the bytes of a session of the largest entry, with its state and without scratch.
int64_t sessionBytes(mlir::ModuleOp scheduled);

class SessionMemory {
public:
  /// `origin` names the source of the cap in messages: "--memory-cap", or a key of the model.
  SessionMemory(int64_t cap, llvm::StringRef origin, bool areWeightsApart)
      : cap(cap), origin(origin), areWeightsApart(areWeightsApart) {}

  /// Returns what an arena, inputs and outputs may have.
  int64_t getMostBytes(mlir::ModuleOp placed) const;

  enum class Verdict {
    Fits,
    Again,  ///< It may fit if it is scheduled again: the scratch memory is known now.
    Refused ///< An error says how much it needs.
  };
  /// Judges a plan whose kernels need `scratchBytes` of a thread. Errors are emitted at an unknown location.
  Verdict judge(mlir::ModuleOp scheduled, int64_t scratchBytes);

private:
  const int64_t cap;
  const std::string origin;
  const bool areWeightsApart;
  int64_t scratch = 0; ///< of the kernels, as far as they were compiled
};

} // namespace nacre

#endif // NACRE_COMPILER_SESSIONMEMORY_H
