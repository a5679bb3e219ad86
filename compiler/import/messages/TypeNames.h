// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts for types, shapes and counts in messages, in the model's terms and layout.

#ifndef NACRE_COMPILER_IMPORT_MESSAGES_TYPENAMES_H
#define NACRE_COMPILER_IMPORT_MESSAGES_TYPENAMES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace nacre::importer {

/// Returns the name of a type: `float`, `int64`, `uint8`, `bool`, ...
std::string getTypeName(mlir::Type elementType);

/// Returns the text of a shape: `1x3x224x224`, or `scalar`.
std::string describeShape(llvm::ArrayRef<int64_t> shape);

/// Return the text of a type: `float[1x3x224x224]`, or `float scalar`.
std::string describe(mlir::ShapedType type);
std::string describe(mlir::Value value);

/// Returns a count with its noun in the right form: `1 blob`, or `2 blobs`.
std::string describeCount(uint64_t count, llvm::StringRef noun);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MESSAGES_TYPENAMES_H
