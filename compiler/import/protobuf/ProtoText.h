// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts protobuf messages in text form.
//
// People write and keep models as text (.pbtxt, .prototxt). Here they become the bytes of the same message, so that a
// format has one reader for both. A scan of the text bounds the memory that protobuf will allocate, and large text is
// rejected in advance. Fields that the schema does not have are skipped, as in binary files, unless the reader must
// know them.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/Location.h"
#include <cstdint>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace nacre::importer {

/// Properties of a schema's messages.
struct ProtoTextRules {
  /// Upper bound of the bytes of a message, with the objects that the reader makes from it.
  uint64_t messageCost = 256;
  /// Returns whether unknown fields of the message are errors, because they may change the meaning of others; null:
  /// never.
  bool (*mustKnowFields)(llvm::StringRef message) = nullptr;
};

/// Returns an upper bound of the memory that reading `text` takes.
uint64_t measureProtoText(llvm::StringRef text, const ProtoTextRules &rules = {});

/// Returns the bytes of the message in `text`, parsed into `message`, which is empty before and after. Errors, which
/// are emitted at `loc`, call it `what`: "a TensorFlow graph".
mlir::FailureOr<FileBytes> encodeProtoText(llvm::StringRef text, google::protobuf::Message &message,
                                           llvm::StringRef what, mlir::Location loc, const ProtoTextRules &rules = {});

/// Returns the first word of the text after comments; empty if another character comes first.
llvm::StringRef getFirstField(llvm::StringRef text);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
