// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors in a protobuf file.
//
// Converts payloads of the wire scan to dense elements: views of the file, joined pieces, or decoded base-128 numbers.
// Formats differ only in the fields that store elements. Copies count against a budget for all tensors of the file
// before they are allocated.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/protobuf/WireScan.h"

#include "llvm/ADT/StringRef.h"

namespace nacre::importer {

class WireTensors {
public:
  /// Creates the tensors of a file. `advice` tells users how to store elements in another form than one number at a
  /// time.
  WireTensors(FileBytes file, uint64_t decodeBudget, const char *advice)
      : file(std::move(file)), decodeBudget(decodeBudget), advice(advice) {}

  void setPayloads(std::vector<WirePayload> found) { payloads = std::move(found); }
  /// Returns the payloads with indices [begin, end).
  llvm::ArrayRef<WirePayload> getPayloads(uint64_t begin, uint64_t end) const {
    return llvm::ArrayRef(payloads).slice(begin, end - begin);
  }

  /// Returns a tensor of dense elements. It is a view of the file if the elements are in one piece. Fails after an
  /// error, like the functions below.
  mlir::FailureOr<StoredTensor> join(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                     mlir::Location loc);

  /// Returns the number of base-128 numbers in `chunks`.
  uint64_t countVarints(llvm::ArrayRef<WirePayload> chunks) const;
  /// Decodes base-128 numbers to elements of `type`. There may be fewer numbers than the type has elements.
  mlir::FailureOr<StoredTensor> decode(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                       mlir::Location loc);

  /// Repeats the last element of the tensor until it has as many elements as its type. The tensor must not be empty.
  mlir::FailureOr<StoredTensor> repeatLast(StoredTensor tensor, mlir::Location loc);

private:
  std::shared_ptr<llvm::WritableMemoryBuffer> allocate(uint64_t size, mlir::Location loc);
  llvm::StringRef getBytes(const WirePayload &chunk) const {
    return file->getBuffer().substr(chunk.offset, chunk.length);
  }

  FileBytes file;
  std::vector<WirePayload> payloads;
  uint64_t decodeBudget; ///< remaining budget in bytes
  const char *advice;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H
