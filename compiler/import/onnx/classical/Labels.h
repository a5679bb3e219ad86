// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels of classes, which a node states as integers or as strings.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_LABELS_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_LABELS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format::classical {

struct Labels {
  llvm::SmallVector<int64_t> integers; ///< empty if the labels are strings
  int64_t count = 0;
};

/// Reads the attributes `integers` and 'classlabels_strings'. Reports an error if the node has both.
mlir::FailureOr<Labels> readLabels(OperandBinder &node, llvm::StringRef integers);

/// Like readLabels(), but also reports an error if there are fewer than two labels.
mlir::FailureOr<Labels> readClasses(OperandBinder &node, llvm::StringRef integers);

/// Sets result 0 to the labels of `classes` [rows], which are indices of labels.
void setLabels(OperandBinder &node, const Labels &labels, mlir::Value classes);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_LABELS_H
