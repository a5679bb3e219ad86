// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales the loss if gradients are computed in f16, and skips steps in which a gradient overflows.
// Why: f16 has no values below 6e-8, where most gradients are, and no values above 65504. A large factor on the loss
//      moves gradients into this range. The largest usable factor becomes known only during training.
// How: the factor is a variable. Gradients are divided by it as soon as they are f32. If one of them is not finite, a
//      select keeps the values of all variables, and the factor is halved. After 2000 good steps in a row it is
//      doubled. A factor outside of its limits is reset to its initial value.

#ifndef NACRE_COMPILER_TRAIN_LOSSSCALE_H
#define NACRE_COMPILER_TRAIN_LOSSSCALE_H

#include "compiler/train/EntryFunction.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Returns the scale before the step. Adds the variable for it if the entry does not have one.
mlir::Value readLossScale(EntryFunction &entry);

/// Returns a scalar i1: true if all elements of all gradients are finite.
mlir::Value areFinite(Writer &write, mlir::ValueRange gradients);

/// Makes variables keep their old values if `isGood` is false, except for the variables in `always`.
void keepUnless(mlir::Value isGood, EntryFunction &entry, llvm::ArrayRef<std::string> always);

/// Assigns the next scale. Counts skipped steps, as a variable and as an output.
void updateLossScale(EntryFunction &entry, Writer &write, mlir::Value isGood);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_LOSSSCALE_H
