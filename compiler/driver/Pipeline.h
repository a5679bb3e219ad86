// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model through all phases into its package.
//
// Phases know only the IR. The driver is the one place that knows all phases and their order.

#ifndef NACRE_COMPILER_DRIVER_PIPELINE_H
#define NACRE_COMPILER_DRIVER_PIPELINE_H

#include "compiler/driver/Progress.h"
#include "compiler/options/CompilerOptions.h"
#include "compiler/report/CompileReport.h"
#include "dialects/NamedFiles.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// Registers every dialect that some phase reads or writes.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass of every phase, for nacre-opt.
void registerPasses();

/// Compiles options.modelPath. Diagnostics go to the context. Text (--compile-to, --emit=asm|llvm-ir) goes to `text`.
/// Adds the files that the model reads to `files`; no output may replace one of them.
llvm::LogicalResult compileModel(const CompilerOptions &options, mlir::MLIRContext &context, llvm::raw_ostream &text,
                                 CompileReport &report, Progress progress, NamedFiles *files = nullptr);

/// Returns the files that compileModel() writes if the output is a library or an object: words after "the", and a path.
llvm::SmallVector<std::pair<std::string, std::string>> describeOutputs(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PIPELINE_H
