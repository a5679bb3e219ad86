// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor whose elements are in a file or were decoded from one.

#ifndef NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H
#define NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::importer {

/// Tensor whose elements are known at compile time: dense, row-major, little-endian, at any alignment. A boolean takes
/// one byte. Narrow types are packed (NarrowTypes.h).
struct StoredTensor {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  FileBytes owner; ///< owner that keeps `bytes` alive
};

/// Converts a small tensor to a `dense` attribute, and a larger one to a `dense_resource` view of the mapped file. That
/// file stays mapped as long as the context lives. `name` is the key of the resource.
mlir::ElementsAttr makeConstant(const StoredTensor &tensor, llvm::StringRef name);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_STOREDTENSOR_H
