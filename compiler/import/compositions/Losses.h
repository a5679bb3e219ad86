// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses of training that exported models contain.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H

#include "compiler/import/builder/NnBuilder.h"

#include <optional>

namespace nacre::importer {

/// Reduction over the losses of all examples.
enum class LossReduction { None, Sum, Mean };

struct LikelihoodLoss {
  mlir::Value weights;                 ///< one per class, or null
  std::optional<int64_t> ignoredClass; ///< class whose examples have no loss; it may be outside the range of classes
  LossReduction reduction = LossReduction::Mean;
};

/// Returns -weight * logarithm of each target's class. `logarithms` is [N, C, D...]; `targets` are integers [N, D...].
/// The mean is weighted; it is 0 / 0 if all weights are 0. Targets outside the range of classes have no loss.
mlir::Value negativeLogLikelihood(NnBuilder &nn, mlir::Value logarithms, mlir::Value targets,
                                  const LikelihoodLoss &loss);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
