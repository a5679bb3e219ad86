// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors from inside of a model that somebody behind the import asks for by name: those that losses are of.

#ifndef NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
#define NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Makes results of them, marked `nn.watched`, where they are none yet. `find` gives the value of a name, null where there is
/// none of a known size. Fails after an error that names the tensor.
mlir::LogicalResult watchTensors(mlir::func::FuncOp function, llvm::ArrayRef<std::string> names,
                                 llvm::function_ref<mlir::Value(llvm::StringRef)> find);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_TRAINING_WATCHEDTENSORS_H
