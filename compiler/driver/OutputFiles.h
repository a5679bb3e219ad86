// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the files that a compilation writes with those that it reads.

#ifndef NACRE_COMPILER_DRIVER_OUTPUTFILES_H
#define NACRE_COMPILER_DRIVER_OUTPUTFILES_H

#include "compiler/import/Import.h"
#include "dialects/NamedFiles.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre {

/// Adds the files that the import has read to `files`, if it is not null. The command line names only some of them.
/// Emits an error if an output would replace one of them, such as external data.
llvm::LogicalResult checkOutputs(const importer::Model &model, NamedFiles *files, mlir::MLIRContext &context);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_OUTPUTFILES_H
