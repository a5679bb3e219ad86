// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What training minimizes, as models keep it that were exported with it.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H

#include "compiler/import/builder/NnBuilder.h"

#include <optional>

namespace nacre::importer {

/// What becomes of the losses of all examples.
enum class LossReduction { None, Sum, Mean };

struct LikelihoodLoss {
  mlir::Value weights;                 ///< one for each class, or null
  std::optional<int64_t> ignoredClass; ///< examples of it cost nothing; it may be no class at all
  LossReduction reduction = LossReduction::Mean;
};

/// -weight * logarithm, of the class that each target names. `logarithms` is [N, C, D...], `targets` [N, D...] of
/// integers. The mean is that by weight: over nothing it is 0 / 0. A target that names no class costs nothing.
mlir::Value negativeLogLikelihood(NnBuilder &nn, mlir::Value logarithms, mlir::Value targets,
                                  const LikelihoodLoss &loss);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_LOSSES_H
