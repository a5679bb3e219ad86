// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor whose elements are in a file or were decoded from one.

#ifndef NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H
#define NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::importer {

/// Elements known at compile time: dense, row-major, little-endian, at any address. Booleans take one byte each; narrow
/// types are packed (NarrowTypes.h).
struct StoredTensor {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  FileBytes owner; ///< keeps `bytes` alive
};

/// Converts small tensors to `dense` attributes, and larger ones to `dense_resource` views of the mapped file. That
/// file stays mapped while the context lives. `name` is the view's key.
mlir::ElementsAttr makeConstant(const StoredTensor &tensor, llvm::StringRef name);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H
