// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of tflite.fbs as flatc writes them, and the types of their tensors as ours.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H
#define NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <tflite_generated.h>

namespace nacre::importer::tflite_format {

/// The elements of a tensor; null for strings, complex numbers and what is none.
mlir::Type toElementType(schema::TensorType type, mlir::MLIRContext *context);

/// The format's word for it.
llvm::StringRef getWord(schema::TensorType type);

/// The text of a field, empty where it is absent.
inline llvm::StringRef toText(const flatbuffers::String *text) {
  return text ? llvm::StringRef(text->c_str(), text->size()) : llvm::StringRef();
}

/// The entries of a field, none where it is absent.
template <typename T> llvm::ArrayRef<T> toArray(const flatbuffers::Vector<T> *entries) {
  static_assert(FLATBUFFERS_LITTLEENDIAN, "entries are read as they are stored");
  return entries ? llvm::ArrayRef<T>(reinterpret_cast<const T *>(entries->Data()), entries->size())
                 : llvm::ArrayRef<T>();
}

/// The number of an operator. Older files have the first field alone; newer ones have what fits into it twice.
inline int32_t getBuiltin(const schema::OperatorCode &code) {
  return std::max<int32_t>(code.deprecated_builtin_code(), code.builtin_code());
}

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_SCHEMA_H
