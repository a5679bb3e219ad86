// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of tflite.fbs as flatc generates them, and the element types of their tensors.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H
#define NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <tflite_generated.h>

namespace nacre::importer::tflite_format {

/// Returns the element type of a tensor; null for strings, complex numbers and invalid types.
mlir::Type toElementType(schema::TensorType type, mlir::MLIRContext *context);

/// Returns the name of a type in the format.
llvm::StringRef getWord(schema::TensorType type);

/// Returns the text of a field, or "" if the field is absent.
inline llvm::StringRef toText(const flatbuffers::String *text) {
  return text ? llvm::StringRef(text->c_str(), text->size()) : llvm::StringRef();
}

/// Returns the entries of a field, or an empty list if the field is absent.
template <typename T> llvm::ArrayRef<T> toArray(const flatbuffers::Vector<T> *entries) {
  static_assert(FLATBUFFERS_LITTLEENDIAN, "entries are read as they are stored");
  return entries ? llvm::ArrayRef<T>(reinterpret_cast<const T *>(entries->Data()), entries->size())
                 : llvm::ArrayRef<T>();
}

/// Returns the schema's code of an operator. Older files have only the first field. Newer files have small codes in
/// both fields.
inline int32_t getBuiltin(const schema::OperatorCode &code) {
  return std::max<int32_t>(code.deprecated_builtin_code(), code.builtin_code());
}

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H
