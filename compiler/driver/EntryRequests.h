// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies the options for single entries.

#ifndef NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H
#define NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H

#include "compiler/options/CompilerOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre {

/// Adds a note to each function of `module` that only the CPU computes according to `options`. Reports an error if an
/// option names an unknown entry.
llvm::LogicalResult assignEngines(mlir::ModuleOp module, const CompilerOptions &options);

/// Returns the weight of an entry. A comparison of plans multiplies the entry's predicted time by it.
double weightOf(const CompilerOptions &options, llvm::StringRef entry);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_ENTRYREQUESTS_H
