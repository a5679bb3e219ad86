// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the types in which contractions are computed, and why some contractions of a quantized model are not in
// integers, or some of a model of halves not in f16.
// Why: a layer in floats is slower than its neighbours, and no other output shows this.

#ifndef NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
#define NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H

#include "compiler/report/CompileReport.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace nacre {

/// Removes the attributes that nacre-recognize-quantized added from the functions of `graph`, and returns their
/// contents.
QuantizedContractions takeQuantizedContractions(mlir::ModuleOp graph);

/// Adds `contractions` to the report. The first call warns if some contractions of a quantized model are computed in
/// floats.
void describeContractions(CompileReport &report, const QuantizedContractions &contractions, mlir::MLIRContext &context);

/// Returns the contents of notes of nacre-narrow-floats: pairs of a location and a reason.
std::vector<FloatContraction> describeWideProducts(llvm::ArrayRef<mlir::ArrayAttr> notes);

/// Returns the operand types of a contraction's kernel, such as `int8`, or `fp32 x bf16` if they differ. Returns an
/// empty text for other kernels.
std::string contractionTypeOf(plan::KernelOp kernel);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_CONTRACTIONTYPES_H
