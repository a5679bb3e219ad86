// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the states that training changes.
// Why: such states can be stored in panels, like weights. Packing and the choice of encodings must agree on the set of
//      states.

#ifndef NACRE_COMPILER_ENCODE_PANELS_TRAINEDSTATES_H
#define NACRE_COMPILER_ENCODE_PANELS_TRAINEDSTATES_H

#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// True if `storage` is a trained weight or an optimizer's moment. `storage` may be null.
bool isTrained(plan::StorageOp storage);

/// Returns the trained state if `operand` covers it completely with the same number of columns, or null.
plan::StorageOp findTrained(mlir::Value operand);

/// True if `operand` is a trained state that can be stored in panels, and `wish` is about this input of a kernel.
bool canLieInPanels(const PanelWish &wish, mlir::Value operand);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELS_TRAINEDSTATES_H
