// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Couples the probabilities of all pairs of classes to probabilities of classes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer::onnx_format::classical {

/// Returns probabilities [rows, classes], or null after an error. `wins` [rows, pairs] has the probability for each
/// pair that its first class wins. Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...
mlir::Value couplePairs(NnBuilder &nn, mlir::Value wins, int64_t classes);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H
