// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which memory is state that training changes.
// Why:   it can lie in panels, as weights do: who packs, and who chooses encodings, must agree on what that is.

#ifndef NACRE_COMPILER_ENCODE_TRAINEDSTATES_H
#define NACRE_COMPILER_ENCODE_TRAINEDSTATES_H

#include "compiler/encode/PanelWishes.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// Whether it is a weight that is trained, or a moment beside one. `storage` may be null.
bool isTrained(plan::StorageOp storage);

/// The state of that kind that an operand is all of, with the same columns; null where it is something else.
plan::StorageOp findTrained(mlir::Value operand);

/// Whether `operand`, which a kernel of that wish reads as the input that it wishes in panels, is such a state.
bool canLieInPanels(const PanelWish &wish, mlir::Value operand);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_TRAINEDSTATES_H
