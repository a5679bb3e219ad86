// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a serialized ONNX file to the part that protobuf should parse.
//
// What: copies the fields that the importer reads and leaves the bytes of tensors where they are, in the mapped file.
// Why:  weights are never copied, files above 2 GiB work, and what protobuf will allocate is known and refused before
//       it happens: a hostile file of empty messages would otherwise grow a hundredfold in memory.
// How:  one table says, for each field of each message, whether it is copied, entered, left in the file or dropped.

#ifndef NACRE_COMPILER_IMPORT_WIRESCAN_H
#define NACRE_COMPILER_IMPORT_WIRESCAN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace nacre::importer {

/// A run of tensor elements that stays in the file. `field` is the number of the TensorProto field it was found in.
struct WirePayload {
  uint32_t field;
  uint64_t offset;
  uint64_t length;
};

/// What is left for protobuf. A tensor with payloads names them by its field `segment`: [begin, end) are positions in
/// `payloads`. (ONNX reserves that field for tensors split over several messages, which nothing writes.)
struct WireSkeleton {
  std::string bytes;
  std::vector<WirePayload> payloads;
};

enum class WireRoot { Model, Tensor };

/// Scans `file`, the serialized message named by `root`. Fails when the file is malformed, or when parsing
/// what is left would take more than `memoryBudget` bytes.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

/// Reads one base-128 number from the front of `bytes` and drops it. False when there is none.
bool takeVarint(llvm::StringRef &bytes, uint64_t &value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_WIRESCAN_H
