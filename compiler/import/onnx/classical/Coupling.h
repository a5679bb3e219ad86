// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilities of classes, coupled from those of all pairs of classes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer::onnx_format::classical {

/// Returns probabilities [rows, classes]. `wins` [rows, pairs] are the probabilities that the first class of each pair
/// wins. Pairs have the order (0, 1), (0, 2), ..., (1, 2), ... Null after an error.
mlir::Value couplePairs(NnBuilder &nn, mlir::Value wins, int64_t classes);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_COUPLING_H
