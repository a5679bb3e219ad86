// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds an input of a launch whose memory the result may reuse. If the input has no other reader, this saves memory of
// the input's size.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H
#define NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::kernels {

/// Returns the index of an input of `launch` (on tensors) whose memory the result may reuse. The kernel must not read
/// an element after it may have overwritten it, and the input must have no other reader. On the CPU, the queries of
/// attention are such an input, because rows are multiplied before their result is written.
std::optional<unsigned> findOverwritten(plan::LaunchOp launch, plan::KernelOp kernel);

/// Returns the old tensor of the state that `output` becomes, if the launch that computes the output may overwrite this
/// tensor. The launch must be its last reader and must read each element where it writes it. Otherwise, returns null.
mlir::Value findOverwrittenState(plan::OutputOp output, const llvm::StringMap<mlir::Value> &states);

/// Returns the states among `operations`, the operations of an entry, by name.
llvm::StringMap<mlir::Value> findStates(llvm::ArrayRef<mlir::Operation *> operations);

/// Returns the states that findOverwrittenState() may return. Returns no states if a loop may be endless, because a run
/// that is aborted in such a loop must leave all states unchanged.
llvm::StringMap<mlir::Value> findOverwritableStates(llvm::ArrayRef<mlir::Operation *> operations);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H
