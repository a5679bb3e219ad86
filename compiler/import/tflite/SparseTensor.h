// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that a file gives by the elements that are not zero.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
#define NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H

#include "compiler/import/tflite/TensorBytes.h"

namespace nacre::importer::tflite_format {

/// All elements of a sparse tensor, of `width` bytes each, of which `stored` are those that the file has. Who asks has counted them.
mlir::FailureOr<std::vector<char>> expandSparse(const schema::Tensor &tensor, llvm::ArrayRef<char> stored, size_t width,
                                                ReportError error);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
