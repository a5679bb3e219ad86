// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a serialized protobuf file to the part that protobuf should parse.
//
// What: copies the fields that an importer reads and leaves the bytes of tensors where they are, in the mapped file.
// Why:  weights are never copied, files above 2 GiB work, and what protobuf will allocate is known and refused before
//       it happens: a hostile file of empty messages would otherwise grow a hundredfold in memory.
// How:  a format's schema says, for each field of each message, whether it is copied, entered, left in the file or
//       dropped. Messages may nest in their own kind, to a depth that no stack minds.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIRESCAN_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIRESCAN_H

#include "compiler/import/protobuf/Wire.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nacre::importer {

/// What happens to a field of a message.
enum class WireKeep : uint8_t {
  Copy,    ///< a number or a string
  Numbers, ///< a list of numbers, packed or not
  Enter,   ///< a message of the schema
  Leave,   ///< elements of a tensor: stay in the file
  Refuse,  ///< what the reader does not have; WireSchema::refusal says what to do
};

/// One field of the message numbered `in`. Fields that are not listed are dropped.
struct WireField {
  uint8_t in;
  uint32_t number;
  WireKeep keep;
  uint8_t child = 0; ///< the message that Enter finds there
};

/// What a reader wants of the messages of a format, which number them as they like.
struct WireSchema {
  llvm::ArrayRef<WireField> fields;
  /// For each message, an upper bound of what protobuf's class for it takes.
  llvm::ArrayRef<uint16_t> costs;
  /// The format's name with its article, for messages: "an ONNX model".
  const char *name;
  /// The field that names the payloads of the message they were found in: [begin, end), fields 1 and 2 of a message,
  /// are positions in WireSkeleton::payloads. A message with fields to leave enters none that has some.
  uint32_t payloadsField;
  const char *refusal = "";
};

/// A run of tensor elements that stays in the file. `field` is the number of the field it was found in.
struct WirePayload {
  uint32_t field;
  uint64_t offset;
  uint64_t length;
};

/// What is left for protobuf.
struct WireSkeleton {
  std::string bytes;
  std::vector<WirePayload> payloads;
};

/// How deep messages may nest.
constexpr unsigned maxWireDepth = 64;

/// Returns how many bytes of memory the structure of a file may take: 100 times the file, more than any message with content needs (a node
/// of TensorFlow with short names takes 50 times its bytes, an empty message up to 400 times), and at most 1 GiB and three times the file,
/// which is enough for a million nodes and their names.
constexpr uint64_t getStructureBudget(uint64_t fileBytes) {
  return std::min(fileBytes * 100 + (uint64_t(12) << 20), fileBytes * 3 + (uint64_t(1) << 30));
}

/// Returns how many bytes of memory the elements of tensors may take that cannot stay in the file, because they are not dense there.
constexpr uint64_t getDecodeBudget(uint64_t fileBytes) { return fileBytes + (uint64_t(16) << 20); }

/// Scans `file`, a serialized message `root` of the schema. Fails when the file is malformed, or when parsing what is
/// left would take more than `memoryBudget` bytes.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, const WireSchema &schema, uint8_t root,
                                      uint64_t memoryBudget);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIRESCAN_H
