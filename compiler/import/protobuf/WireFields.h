// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a protobuf message field by field, and builds another message from fields. If a few tensors of a file change,
// all other bytes stay the same, including unknown fields. A field is a view of the bytes from which it was read.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIREFIELDS_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIREFIELDS_H

#include "compiler/import/protobuf/Wire.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/StringSaver.h"

namespace nacre::importer {

using WireFieldBytes = FieldView<llvm::StringRef>;

/// Calls `visit` for each field until it returns false. Returns false if `visit` does, or if the message is damaged.
bool forEachField(llvm::StringRef message, llvm::function_ref<bool(const WireFieldBytes &)> visit);

/// Message in pieces. Most pieces are views, so the memory to which they refer must live as long as this object.
class WirePieces {
public:
  explicit WirePieces(llvm::StringSaver &saver) : saver(saver) {}

  void add(llvm::StringRef bytes) { pieces.push_back(bytes); }
  /// Adds a field with a body: a string, bytes, or a message.
  void add(uint32_t number, llvm::StringRef body);
  void add(uint32_t number, const WirePieces &message);

  uint64_t size() const;
  llvm::ArrayRef<llvm::StringRef> get() const { return pieces; }

private:
  void addTag(uint32_t number, uint64_t length);

  llvm::StringSaver &saver;
  llvm::SmallVector<llvm::StringRef> pieces;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIREFIELDS_H
