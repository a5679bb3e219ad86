// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands tensors that a file stores as their non-zero elements.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
#define NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H

#include "compiler/import/tflite/TensorBytes.h"

namespace nacre::importer::tflite_format {

/// Returns all elements of a sparse tensor, of `width` bytes each; `stored` are those in the file. The caller must have
/// bounded their number.
mlir::FailureOr<std::vector<char>> expandSparse(const schema::Tensor &tensor, llvm::ArrayRef<char> stored, size_t width,
                                                ReportError error);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
