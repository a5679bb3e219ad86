// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies the settings that the options have for single entries.

#ifndef NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H
#define NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H

#include "compiler/options/CompilerOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre {

/// Notes on the functions of `module` which of them only the CPU computes. Reports an error if an option names an entry that the
/// model does not have.
llvm::LogicalResult assignEngines(mlir::ModuleOp module, const CompilerOptions &options);

/// Returns the factor of an entry's predicted time in comparisons of plans.
double weightOf(const CompilerOptions &options, llvm::StringRef entry);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H
