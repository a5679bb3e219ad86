// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands sparse tensors, of which a file stores only some elements.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
#define NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H

#include "compiler/import/tflite/TensorBytes.h"

namespace nacre::importer::tflite_format {

/// Returns all elements of a sparse tensor, with `width` bytes each. `stored` has the elements in the file. The caller
/// must check that the tensor is not too large for memory.
mlir::FailureOr<std::vector<char>> expandSparse(const schema::Tensor &tensor, llvm::ArrayRef<char> stored, size_t width,
                                                ReportError error);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_SPARSETENSOR_H
