// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the states that training changes.
// Why: they can lie in panels, as weights do. Packing and the choice of encodings must agree on which states these are.

#ifndef NACRE_COMPILER_ENCODE_TRAINEDSTATES_H
#define NACRE_COMPILER_ENCODE_TRAINEDSTATES_H

#include "compiler/encode/PanelWishes.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// True for a trained weight or an optimizer's moment. `storage` may be null.
bool isTrained(plan::StorageOp storage);

/// Returns the trained state that `operand` covers completely with the same number of columns; otherwise null.
plan::StorageOp findTrained(mlir::Value operand);

/// True if `operand`, the input of a kernel that `wish` is about, is a trained state that can lie in panels.
bool canLieInPanels(const PanelWish &wish, mlir::Value operand);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_TRAINEDSTATES_H
