// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what would make a model faster, as far as the compiler can see it and cannot do it itself.
// Why:   who made the model can change it; a compiler that only copes says nothing.
// How:   rules over the rows of the report, each on what is wrong with a launch and how much of a run it costs. What a
//        rule finds in several launches is said once, at the one that costs most, and only if all together matter.

#ifndef NACRE_COMPILER_ADVICE_H
#define NACRE_COMPILER_ADVICE_H

#include "compiler/CompileReport.h"
#include "mlir/IR/MLIRContext.h"
#include <vector>

namespace nacre {

/// Of the first entry's launches. Times are predicted for the report's device; without one the shares are those of a
/// rough roofline.
std::vector<Advice> advise(const CompileReport &report);

/// Has the report have it, and remarks it at the model's nodes. Once all is done: what is wrong with a model comes first.
void giveAdvice(CompileReport &report, mlir::MLIRContext &context);

} // namespace nacre

#endif // NACRE_COMPILER_ADVICE_H
