// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads MessagePack arrays of numbers, in which CNNdroid's converters store parameters.
//
// An array of numbers, nested as deep as the caller asks for, becomes one tensor. MessagePack repeats the size of each
// inner array, and puts a byte before each number. So a file may be uneven, contain other things than numbers, or
// announce more than it contains. The sizes of the first array of each level are the shape. Memory is allocated only if
// the remaining bytes can hold all elements. It is at most four times the size of the file.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_MESSAGEPACK_H
#define NACRE_COMPILER_IMPORT_CNNDROID_MESSAGEPACK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace nacre::importer::cnndroid_format {

struct PackedNumbers {
  llvm::SmallVector<int64_t> shape;             ///< each size is at least 1
  std::unique_ptr<llvm::MemoryBuffer> elements; ///< elements as f32, row-major
};

class MessageReader {
public:
  explicit MessageReader(llvm::StringRef bytes) : bytes(bytes) {}

  /// Reads the next object: arrays nested `rank` deep with numbers inside. Integers and doubles are converted to f32.
  llvm::Expected<PackedNumbers> readNumbers(size_t rank);

  /// Returns the number of bytes after the objects read so far.
  size_t getBytesLeft() const { return bytes.size() - at; }

private:
  llvm::Expected<llvm::SmallVector<int64_t>> readShape(size_t rank);
  llvm::Expected<int64_t> takeArrayHeader();
  llvm::Error takeLevel(llvm::ArrayRef<int64_t> shape, float *&to);
  llvm::Expected<float> takeNumber();
  template <typename T> llvm::Expected<T> take();
  llvm::Error fail(size_t where, const llvm::Twine &message) const;

  llvm::StringRef bytes;
  size_t at = 0;
};

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_MESSAGEPACK_H
