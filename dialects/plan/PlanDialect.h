// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `plan` dialect: its operations, enums and attributes.

#ifndef NACRE_DIALECTS_PLAN_PLANDIALECT_H
#define NACRE_DIALECTS_PLAN_PLANDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace nacre::plan {

/// Largest number of nested loops. The runtime has one counter for each level.
constexpr unsigned kMaxLoopDepth = 8;

/// Returns the result of plan.storage or plan.use that the operand of a launch is a view of, through any number of
/// views.
mlir::Value rootOf(mlir::Value operand);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_PLANDIALECT_H
