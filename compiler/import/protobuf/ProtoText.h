// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of protobuf written as text.
//
// What: turns them into the bytes of the same message, which the format's reader takes as any other file.
// Why:  people write and keep models as text (.pbtxt, .prototxt); there is one reader behind both.
// How:  a walk over the text bounds what protobuf will allocate, and is refused before it happens. Fields that the schema
//       does not have are skipped, as they are in files of bytes, but where a reader must know them.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/Location.h"
#include <cstdint>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace nacre::importer {

/// What a reader knows of the messages of its schema.
struct ProtoTextRules {
  /// An upper bound of what one message takes, with what the reader makes of it.
  uint64_t messageCost = 256;
  /// Whether a field of the message called so must be known, because it may change what the others mean; null: of none.
  bool (*mustKnowFields)(llvm::StringRef message) = nullptr;
};

/// An upper bound of the memory that reading `text` takes.
uint64_t measureProtoText(llvm::StringRef text, const ProtoTextRules &rules = {});

/// The bytes of the message in `text`, read into `message`, which is empty before and after. `what` is how errors, which
/// are emitted at `loc`, call it: "a TensorFlow graph".
mlir::FailureOr<FileBytes> encodeProtoText(llvm::StringRef text, google::protobuf::Message &message,
                                           llvm::StringRef what, mlir::Location loc, const ProtoTextRules &rules = {});

/// The first word of the text that is none of a comment's, and empty where another character comes first.
llvm::StringRef getFirstField(llvm::StringRef text);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
