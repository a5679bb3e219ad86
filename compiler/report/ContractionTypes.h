// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the types that contractions are computed in, and why those of a quantized model are not all integers.
// Why:   a layer that is computed in floats is slower than its neighbours, and nothing else would say so.

#ifndef NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
#define NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H

#include "compiler/report/CompileReport.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace nacre {

/// Takes the notes of nacre-recognize-quantized from the functions of `graph`.
QuantizedContractions takeQuantizedContractions(mlir::ModuleOp graph);

/// Takes `contractions` into the report. Warns, the first time, if some of a quantized model are computed in floats.
void describeContractions(CompileReport &report, const QuantizedContractions &contractions, mlir::MLIRContext &context);

/// Returns the type of the operands of a contraction's kernel, as `int8`, or of both, as `fp32 x bf16`; empty for other kernels.
std::string contractionTypeOf(plan::KernelOp kernel);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
