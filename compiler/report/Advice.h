// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggests changes to a model or to options that would make it faster and that the compiler cannot make itself.
// Why: the model's author can change the model, but only if the compiler reports the problem.
// How: rules look for a problem in each launch of the report, and for its share of a run. A problem of several launches
//      is reported once, at the most expensive launch, and only if their total share is large enough.

#ifndef NACRE_COMPILER_REPORT_ADVICE_H
#define NACRE_COMPILER_REPORT_ADVICE_H

#include "compiler/report/CompileReport.h"
#include "mlir/IR/MLIRContext.h"
#include <vector>

namespace nacre {

/// Returns advice for the first entry's launches. Times are predicted for the report's device; without a device, they
/// are estimates (LaunchReport::estimatedMilliseconds).
std::vector<Advice> advise(const CompileReport &report);

/// Adds advice to the report and emits remarks at the model's nodes. Call this function last, so that errors come
/// first.
void giveAdvice(CompileReport &report, mlir::MLIRContext &context);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_ADVICE_H
