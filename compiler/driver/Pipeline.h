// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a model, through all phases, into its package.
// Why:  phases know only the IR; this is the one place that knows them all and their order.
// How:  import, then a pass manager per phase so that each is timed and its IR can be printed, then every kernel by
//       itself and in parallel, then the package.

#ifndef NACRE_COMPILER_PIPELINE_H
#define NACRE_COMPILER_PIPELINE_H

#include "compiler/options/CompilerOptions.h"
#include "compiler/report/CompileReport.h"
#include "dialects/NamedFiles.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// Told what is being done; `done` of `total` kernels while they are compiled. May be called from any thread, one at a
/// time.
using Progress = llvm::function_ref<void(Phase phase, unsigned done, unsigned total)>;

/// Every dialect that some phase reads or writes.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass of every phase, for nacre-opt.
void registerPasses();

/// Compiles options.modelPath. Diagnostics go to the context. Text (--compile-to, --emit=asm|llvm-ir) goes to `text`. Adds the
/// files that the model reads to `files`, of which no output may take their place.
llvm::LogicalResult compileModel(const CompilerOptions &options, mlir::MLIRContext &context, llvm::raw_ostream &text,
                                 CompileReport &report, Progress progress, NamedFiles *files = nullptr);

/// Returns the files that compileModel() writes if the output is a library or an object: words after "the", and the path of each.
llvm::SmallVector<std::pair<std::string, std::string>> describeOutputs(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_PIPELINE_H
