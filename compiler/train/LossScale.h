// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the scale of a loss whose gradients are computed in f16, and steps that are skipped because a gradient overflowed.
// Why:   f16 has no numbers below 6e-8, where most gradients are, and none above 65504. A large factor on the loss moves gradients
//        into its range; how large it may be is known only while training.
// How:   the factor is a variable. Gradients are divided by it as soon as they are f32. If one of them is not finite, all variables
//        keep their values, by a select, and the factor is halved. After 2000 steps without that it is doubled. If it is outside its
//        limits before a step, it has its initial value after the step.

#ifndef NACRE_COMPILER_TRAIN_LOSSSCALE_H
#define NACRE_COMPILER_TRAIN_LOSSSCALE_H

#include "compiler/train/EntryFunction.h"
#include "compiler/train/rules/Writer.h"

namespace nacre::train {

/// Returns the scale before the step; adds the variable if the entry does not have it.
mlir::Value readLossScale(EntryFunction &entry);

/// Returns whether all elements of all gradients are finite, a scalar i1.
mlir::Value areFinite(Writer &write, mlir::ValueRange gradients);

/// Makes each result that assigns a variable, except those of the names `always`, keep the variable's value unless `isGood`.
void keepUnless(mlir::Value isGood, EntryFunction &entry, llvm::ArrayRef<std::string> always);

/// Assigns the next scale and counts skipped steps, as a variable and as an output.
void updateLossScale(EntryFunction &entry, Writer &write, mlir::Value isGood);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_LOSSSCALE_H
