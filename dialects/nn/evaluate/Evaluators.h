// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the evaluators of several operator families share.

#ifndef NACRE_DIALECTS_NN_EVALUATE_EVALUATORS_H
#define NACRE_DIALECTS_NN_EVALUATE_EVALUATORS_H

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::nn {

/// Returns the strides with which the indices of `result` read a row-major array of `shape`, which broadcasts to
/// `result`.
llvm::SmallVector<int64_t> broadcastStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> result);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_EVALUATORS_H
