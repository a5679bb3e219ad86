// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: which input of a launch its result may lie where.
// Why:  memory of that size less, where nobody reads the input any more.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H
#define NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::kernels {

/// The number of an input of `launch`, on tensors, that its result may lie where: no element of it is read when the kernel may have
/// written over it, and nobody else reads any. Attention's queries are one on the CPU: those of some rows are multiplied before the
/// result of these rows is written.
std::optional<unsigned> findOverwritten(plan::LaunchOp launch, plan::KernelOp kernel);

/// Where an output is what a state becomes: the tensor that the state was, if the launch that computes the output may write over it.
/// It is the last to read it then, at the very elements that it writes, and runs on the CPU. Null otherwise.
mlir::Value findOverwrittenState(plan::OutputOp output, const llvm::StringMap<mlir::Value> &states);

/// The states among the operations of an entry, by name.
llvm::StringMap<mlir::Value> findStates(llvm::ArrayRef<mlir::Operation *> operations);

/// Those that findOverwrittenState may give: none if a loop may be endless, since a run that is ended in one must not have written a
/// state before.
llvm::StringMap<mlir::Value> findOverwritableStates(llvm::ArrayRef<mlir::Operation *> operations);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_OVERWRITTEN_H
