// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts protobuf messages in text form to binary form.
//
// People write and store models as text (.pbtxt, .prototxt). This code converts them to the bytes of the same message,
// so that a format needs one reader for both. A scan of the text computes an upper bound of the memory that protobuf
// will allocate, and too large text is rejected in advance. Unknown fields are skipped, as in binary files, unless the
// reader must know them.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/Location.h"
#include <cstdint>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace nacre::importer {

/// Properties of the messages of a schema.
struct ProtoTextRules {
  /// Upper bound of the memory for a message in bytes, with the objects that the reader makes from it.
  uint64_t messageCost = 256;
  /// Returns true if unknown fields of `message` are errors, because they may change the meaning of other fields. Null
  /// means that unknown fields are never errors.
  bool (*mustKnowFields)(llvm::StringRef message) = nullptr;
};

/// Returns an upper bound of the memory for reading `text`, in bytes.
uint64_t measureProtoText(llvm::StringRef text, const ProtoTextRules &rules = {});

/// Returns the bytes of the message in `text`. Parses it by means of `message`, which is empty before and afterwards.
/// Emits errors at `loc`; they call the message `what`: "a TensorFlow graph".
mlir::FailureOr<FileBytes> encodeProtoText(llvm::StringRef text, google::protobuf::Message &message,
                                           llvm::StringRef what, mlir::Location loc, const ProtoTextRules &rules = {});

/// Returns the first word of the text after comments, or an empty text if another character comes first.
llvm::StringRef getFirstField(llvm::StringRef text);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
