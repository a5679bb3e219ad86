// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `nn` dialect: its operators, enums and the entry points that other folders use.

#ifndef NACRE_DIALECTS_NN_NNDIALECT_H
#define NACRE_DIALECTS_NN_NNDIALECT_H

#include "dialects/nn/FunctionFacts.h"
#include "dialects/nn/OperatorFacts.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#include "dialects/nn/NnInterfaces.h.inc"

namespace nacre::nn {

/// Name that a function's argument or result has in the model. A result without a name is a count.
inline constexpr llvm::StringLiteral nameAttr = "nn.name";
/// Counts of a result with open axes (Counts.h). For each axis, it has the index of the result that is the count, or
/// -1.
inline constexpr llvm::StringLiteral countsAttr = "nn.counts";

/// Largest number of nested loops, which is also the runtime's limit.
inline constexpr unsigned maxLoopDepth = 8;

} // namespace nacre::nn

#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"

#endif // NACRE_DIALECTS_NN_NNDIALECT_H
