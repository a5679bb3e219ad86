// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors in a protobuf file.
//
// Converts payloads of the wire scan to dense elements: views of the file, joined pieces, or decoded base-128 numbers.
// Formats only differ in the fields that store elements. Copies count against a budget for all tensors of the file
// before they are allocated.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/protobuf/WireScan.h"

#include "llvm/ADT/StringRef.h"

namespace nacre::importer {

class WireTensors {
public:
  /// Makes the tensors of a file. `advice` tells users how to store elements other than number by number.
  WireTensors(FileBytes file, uint64_t decodeBudget, const char *advice)
      : file(std::move(file)), decodeBudget(decodeBudget), advice(advice) {}

  void setPayloads(std::vector<WirePayload> found) { payloads = std::move(found); }
  /// Returns the payloads that the scan numbered [begin, end).
  llvm::ArrayRef<WirePayload> getPayloads(uint64_t begin, uint64_t end) const {
    return llvm::ArrayRef(payloads).slice(begin, end - begin);
  }

  /// Returns the bytes of dense elements. They are a view of the file if they are in one piece. Fails after an error,
  /// like the functions below.
  mlir::FailureOr<StoredTensor> join(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                     mlir::Location loc);

  /// Returns the number of base-128 numbers.
  uint64_t countVarints(llvm::ArrayRef<WirePayload> chunks) const;
  /// Decodes as many elements of `type` as there are numbers, which may be fewer than its size.
  mlir::FailureOr<StoredTensor> decode(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                       mlir::Location loc);

  /// Repeats the last element of the tensor until the tensor has the size of its type. It must have an element.
  mlir::FailureOr<StoredTensor> repeatLast(StoredTensor tensor, mlir::Location loc);

private:
  std::shared_ptr<llvm::WritableMemoryBuffer> allocate(uint64_t size, mlir::Location loc);
  llvm::StringRef getBytes(const WirePayload &chunk) const {
    return file->getBuffer().substr(chunk.offset, chunk.length);
  }

  FileBytes file;
  std::vector<WirePayload> payloads;
  uint64_t decodeBudget; ///< bytes that may still be allocated
  const char *advice;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H
