// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  predicts the noise that fp16 causes in the outputs of entries.
// Why:   users want to know it, and the choice of faster options needs it.

#ifndef NACRE_COMPILER_ENCODE_NOISE_ENTRYNOISE_H
#define NACRE_COMPILER_ENCODE_NOISE_ENTRYNOISE_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace nacre::encode {

/// Returns the ratio of signal to noise, in decibels, of all outputs that have noise and can be predicted. Reads all
/// weights of `module`, which takes about a second for 60 million numbers.
llvm::MapVector<plan::StorageOp, double> predictNoise(mlir::ModuleOp module);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_ENTRYNOISE_H
