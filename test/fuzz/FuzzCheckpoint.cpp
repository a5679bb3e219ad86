// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as the index of a TensorFlow checkpoint, and as the data that it indexes: every tensor is read, or
//        is an error.
// Why:   the index says where tensors are and how large; no later code checks again. A checksum guards its blocks,
//        so those are set right first: chance would not get past them.

#include "compiler/import/tensorflow/checkpoint/Checksum.h"
#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Endian.h"
#include <cstdint>

using namespace nacre::importer;
using namespace nacre::importer::tensorflow_format;

/// The number of base 128 at `at`, and moves `at` after it.
static uint64_t takeNumber(const std::string &file, size_t &at) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < file.size(); shift += 7) {
    auto byte = static_cast<uint8_t>(file[at++]);
    value |= uint64_t(byte & 127) << shift;
    if (byte < 128)
      break;
  }
  return value;
}

/// Writes the checksum that the block at a place should have; where it lies outside, nothing.
static bool sum(std::string &file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset || file.size() - offset - size < 5)
    return false;
  uint32_t crc = maskCrc(computeCrc32c(llvm::StringRef(file).substr(offset, size + 1)));
  llvm::support::endian::write32le(&file[offset + size + 1], crc);
  return true;
}

/// Sets right the magic number, and the checksums of the index block and of those data blocks that it names first.
static void repair(std::string &file) {
  constexpr size_t footerBytes = 48, mostBlocks = 4;
  if (file.size() < footerBytes)
    return;
  llvm::support::endian::write64le(&file[file.size() - 8], 0xdb4775248b80fb57);
  size_t at = file.size() - footerBytes;
  takeNumber(file, at);
  takeNumber(file, at);
  uint64_t offset = takeNumber(file, at), size = takeNumber(file, at);
  if (!sum(file, offset, size))
    return;
  size_t next = offset;
  for (size_t block = 0; block < mostBlocks && next < offset + size; ++block) {
    takeNumber(file, next);
    uint64_t keyBytes = takeNumber(file, next);
    takeNumber(file, next);
    if (keyBytes > file.size())
      return;
    next += keyBytes;
    uint64_t dataOffset = takeNumber(file, next), dataSize = takeNumber(file, next);
    if (!sum(file, dataOffset, dataSize))
      return;
  }
  sum(file, offset, size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) {});
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  std::string file(reinterpret_cast<const char *>(data), size);
  repair(file);
  FileBytes bytes = llvm::MemoryBuffer::getMemBufferCopy(file);
  auto bundle = TensorBundle::read(
      bytes, [&](uint32_t, uint32_t, mlir::Location) -> mlir::FailureOr<FileBytes> { return bytes; }, loc);
  if (failed(bundle))
    return 0;
  uint64_t sum = 0;
  for (const SortedTable::Entry &entry : (*bundle)->getEntries()) {
    auto tensor = (*bundle)->read(entry.key, "", loc);
    if (succeeded(tensor))
      for (char byte : tensor->bytes)
        sum += static_cast<uint8_t>(byte);
    auto strings = (*bundle)->readStrings(entry.key, loc);
    if (succeeded(strings))
      for (llvm::StringRef text : *strings)
        sum += text.size();
  }
  volatile uint64_t keep = sum; // the reads must not be optimized away
  (void)keep;
  return 0;
}
