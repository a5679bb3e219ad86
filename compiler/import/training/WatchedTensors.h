// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediate tensors that later phases request by name, such as the operands of losses.

#ifndef NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
#define NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Adds the tensors called `names` to the results. They are marked `nn.watched` unless they were results before. `find`
/// returns the value of a name. It returns null if there is no such value, or if its size is known only at run time;
/// this is an error.
mlir::LogicalResult watchTensors(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names,
                                 llvm::function_ref<mlir::Value(llvm::StringRef)> find);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
