// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a scheduled model takes, and its limit.

#ifndef NACRE_COMPILER_DRIVER_SESSIONMEMORY_H
#define NACRE_COMPILER_DRIVER_SESSIONMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <string>

namespace nacre {

/// Returns the bytes of a session with one thread of the largest entry, with its state and without scratch memory.
int64_t sessionBytes(mlir::ModuleOp scheduled);

/// The limit of a model's memory, and its origin.
struct MemoryLimit {
  int64_t bytes;
  std::string origin;   ///< "--memory-cap", or a key of the model.
  bool countsWeights;   ///< True if weights count. Those of a trained model are states of a session.
  bool areWeightsApart; ///< True if weights lie in a file of their own.

  /// Returns the bytes of the weights that count.
  int64_t getWeightBytes(mlir::ModuleOp module) const;
  /// Returns the bytes that the limit leaves for an arena, inputs and outputs.
  int64_t getArenaLimit(mlir::ModuleOp placed, int64_t scratchBytes) const;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_SESSIONMEMORY_H
