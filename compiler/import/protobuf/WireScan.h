// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a serialized protobuf file to the part that protobuf should parse.
//
// The scan copies the fields that an importer reads, and leaves the data of tensors in the mapped file. So weights are
// never copied, and files above 2 GiB work. Large allocations of protobuf are rejected in advance. Otherwise, a hostile
// file of empty messages could take a hundred times its size in memory. The schema of a format says, for each field of
// each message, whether it is copied, entered, left in the file or dropped. Messages may contain messages of the same
// kind, to a depth that is safe for the stack.

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

/// Treatment of a field of a message.
enum class WireKeep : uint8_t {
  Copy,    ///< number or string, which is copied
  Numbers, ///< list of numbers, packed or not, which is copied
  Enter,   ///< message of the schema, whose fields are scanned, too
  Leave,   ///< elements of a tensor, which stay in the file
  Refuse,  ///< unsupported field, which is an error with the advice in WireSchema::refusal
};

/// Field of the message with index `in`. Fields that are not listed are dropped.
struct WireField {
  uint8_t in;
  uint32_t number;
  WireKeep keep;
  uint8_t child = 0; ///< index of the message in the field, for Enter
};

/// Fields that a reader needs from the messages of a format. The reader chooses the indices of messages.
struct WireSchema {
  llvm::ArrayRef<WireField> fields;
  /// Upper bound of the size of protobuf's class in bytes, for each message.
  llvm::ArrayRef<uint16_t> costs;
  /// Name of the format with its article, for messages: "an ONNX model".
  const char *name;
  /// Field number of a field that is added to a message with payloads. It holds a message whose fields 1 and 2 are a
  /// range [begin, end) of WireSkeleton::payloads. A message with fields to leave must not enter another such message.
  uint32_t payloadsField;
  const char *refusal = "";
};

/// Range of tensor elements that stays in the file. `field` is the field number of the field that contains it.
struct WirePayload {
  uint32_t field;
  uint64_t offset;
  uint64_t length;
};

/// Part of the file that protobuf parses.
struct WireSkeleton {
  std::string bytes;
  std::vector<WirePayload> payloads;
};

/// Largest depth of nested messages.
constexpr unsigned maxWireDepth = 64;

/// Returns the limit of memory for the structure of a file, in bytes: about 100 times the file, but at most 1 GiB plus
/// three times the file. 1 GiB is enough for a million nodes and their names. Messages with content need less: a
/// TensorFlow node with short names takes 50 times its size. Empty messages take up to 400 times their size, so hostile
/// files exceed the limit.
constexpr uint64_t getStructureBudget(uint64_t fileBytes) {
  return std::min(fileBytes * 100 + (uint64_t(12) << 20), fileBytes * 3 + (uint64_t(1) << 30));
}

/// Returns the limit of memory for tensors that cannot stay in the file because they are not dense there, in bytes.
constexpr uint64_t getDecodeBudget(uint64_t fileBytes) { return fileBytes + (uint64_t(16) << 20); }

/// Scans `file`, a serialized message with index `root` in the schema. Fails if the file is malformed, or if parsing
/// the result would take more than `memoryBudget` bytes.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, const WireSchema &schema, uint8_t root,
                                      uint64_t memoryBudget);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIRESCAN_H
