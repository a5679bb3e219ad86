// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediate tensors that later phases ask for by name, such as those that losses read.

#ifndef NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
#define NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Makes results of the tensors called `names`, marked `nn.watched` unless they are results already. `find` returns the
/// value of a name, or null if no value of known size has it. Reports an error that names the tensor then.
mlir::LogicalResult watchTensors(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names,
                                 llvm::function_ref<mlir::Value(llvm::StringRef)> find);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
