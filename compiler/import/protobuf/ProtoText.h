// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of protobuf written as text.
//
// What: turns them into the bytes of the same message, which the format's reader takes as any other file.
// Why:  people write and keep models as text (.pbtxt, .prototxt); there is one reader behind both.
// How:  a walk over the text bounds what protobuf will allocate, and is refused before it happens. Fields that the schema
//       does not have are skipped, as they are in files of bytes.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H

#include "compiler/import/ModelFile.h"

#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace nacre::importer {

/// An upper bound of the memory that reading `text` takes.
uint64_t measureProtoText(llvm::StringRef text);

/// A field that the schema does not have: the name of its message, its own, and the line it is in.
struct UnknownField {
  std::string message, field;
  int line;
};

/// The bytes of the message in `text`, read into `message`, which is empty before and after. `what` is how errors, which
/// are emitted at `loc`, call it: "a TensorFlow graph". What is skipped is added to `unknown`, where it is given.
mlir::FailureOr<FileBytes> encodeProtoText(llvm::StringRef text, google::protobuf::Message &message,
                                           llvm::StringRef what, mlir::Location loc,
                                           std::vector<UnknownField> *unknown = nullptr);

/// The first word of the text that is none of a comment's, and empty where another character comes first.
llvm::StringRef getFirstField(llvm::StringRef text);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_PROTOTEXT_H
