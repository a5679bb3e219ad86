// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of one layer as its handler asks for them.
//
// Why:  files of the form before give every blob four axes.
// How:  a blob is an operand after the bottoms, which is reshaped where it has as many elements as the layer asks for.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
#define NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H

#include "compiler/import/OperandBinder.h"

namespace nacre::importer::caffe_format {

/// The attribute that the view adds to layers with blobs.
inline constexpr const char *bottomCount = "bottoms";

/// Whether layers of this type have weights.
bool hasBlobs(llvm::StringRef type);

class Blobs {
public:
  explicit Blobs(OperandBinder &node);

  /// How many bottoms there are, before the blobs.
  size_t getNumBottoms() const { return bottoms; }

  /// Blob `index` with the shape `shape`; null after an error.
  mlir::Value get(size_t index, Ints shape);

private:
  OperandBinder &node;
  size_t bottoms;
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
