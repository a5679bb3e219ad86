// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses for training that exported models contain.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H

#include "compiler/import/builder/NnBuilder.h"

#include <optional>

namespace nacre::importer {

/// Reduction of the losses of all examples.
enum class LossReduction { None, Sum, Mean };

struct LikelihoodLoss {
  mlir::Value weights;                 ///< one weight per class, or null
  std::optional<int64_t> ignoredClass; ///< class whose examples have no loss; it need not be a valid class
  LossReduction reduction = LossReduction::Mean;
};

/// Returns -weight * logarithm of the target class of each example. `logarithms` is [N, C, D...], and `targets` are
/// integers [N, D...]. The mean is weighted. It is 0 / 0 if all weights are 0. Examples whose target is not a valid
/// class have no loss.
mlir::Value negativeLogLikelihood(NnBuilder &nn, mlir::Value logarithms, mlir::Value targets,
                                  const LikelihoodLoss &loss);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
