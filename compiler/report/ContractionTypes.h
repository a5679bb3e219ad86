// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the types in which contractions are computed, and why some of a quantized model are not in integers.
// Why: a layer in floats is slower than its neighbours, and no other output shows this.

#ifndef NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
#define NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H

#include "compiler/report/CompileReport.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace nacre {

/// Removes the notes of nacre-recognize-quantized from the functions of `graph` and returns them.
QuantizedContractions takeQuantizedContractions(mlir::ModuleOp graph);

/// Adds `contractions` to the report. The first call warns if some contractions of a quantized model are computed in
/// floats.
void describeContractions(CompileReport &report, const QuantizedContractions &contractions, mlir::MLIRContext &context);

/// Returns the types of the operands of a contraction's kernel: `int8`, or `fp32 x bf16` if they differ. Empty for
/// other kernels.
std::string contractionTypeOf(plan::KernelOp kernel);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
