// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of one layer for its handler, from the file or random.
//
// Files of the older form give every blob four axes, and an untrained network has no blobs. Blobs are the operands
// after the bottoms. A blob is reshaped if it has as many elements as the layer needs. For a layer without blobs, the
// view may add the key of random weights.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
#define NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/caffe/Fillers.h"

namespace nacre::importer::caffe_format {

/// Names of attributes that the view adds to layers with blobs: the number of bottoms, and the two integers of a random
/// key.
inline constexpr const char *bottomCount = "bottoms", *randomKey = "random key";

/// True if layers of this type have weights.
bool hasBlobs(llvm::StringRef type);

class Blobs {
public:
  /// Reports an error unless there are between 1 and `mostBottoms` bottoms.
  explicit Blobs(OperandBinder &node, size_t mostBottoms = 1);

  /// Returns the number of bottoms, which precede the blobs.
  size_t getNumBottoms() const { return bottoms; }

  /// Returns blob `index` with the shape `shape`, or null after an error. Random weights are filled by `filler`.
  mlir::Value get(size_t index, Ints shape, const Filler &filler);

private:
  OperandBinder &node;
  size_t bottoms;
  std::optional<RandomKey> key; ///< set if the weights are random
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
