// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels of classes, which a node has as integers or as strings.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_LABELS_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_LABELS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format::trees {

struct Labels {
  llvm::SmallVector<int64_t> integers; ///< empty if the labels are strings
  int64_t count = 0;
};

/// Reads the attributes 'classlabels_int64s' and 'classlabels_strings'; reports an error if the node has both.
mlir::FailureOr<Labels> readLabels(OperandBinder &node);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_LABELS_H
