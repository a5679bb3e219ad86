// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of tensors that a file of protobuf holds.
//
// What: payloads of the wire scan as dense elements: where they lie in the file, joined, or decoded from numbers of base 128.
// Why:  formats differ in the fields they store elements in, and in nothing else.
// How:  what must be copied is counted against a budget before it is allocated, for all tensors of the file together.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIRETENSORS_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/protobuf/WireScan.h"

#include "llvm/ADT/StringRef.h"

namespace nacre::importer {

class WireTensors {
public:
  /// `advice` is how to store elements instead of one number at a time.
  WireTensors(FileBytes file, uint64_t decodeBudget, const char *advice)
      : file(std::move(file)), decodeBudget(decodeBudget), advice(advice) {}

  void setPayloads(std::vector<WirePayload> found) { payloads = std::move(found); }
  /// Those that the scan has numbered [begin, end).
  llvm::ArrayRef<WirePayload> getPayloads(uint64_t begin, uint64_t end) const {
    return llvm::ArrayRef(payloads).slice(begin, end - begin);
  }

  /// The bytes of dense elements: a view of the file where they are in one piece. Fails after an error, as all below.
  mlir::FailureOr<StoredTensor> join(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                     mlir::Location loc);

  /// How many numbers of base 128 there are.
  uint64_t countVarints(llvm::ArrayRef<WirePayload> chunks) const;
  /// As many elements of `type` as there are numbers, which may be fewer than it has.
  mlir::FailureOr<StoredTensor> decode(llvm::ArrayRef<WirePayload> chunks, mlir::RankedTensorType type,
                                       mlir::Location loc);

  /// The tensor with its last element repeated until it has as many as its type says; it must have one.
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
