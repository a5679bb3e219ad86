// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of one layer as its handler asks for them: those of the file, or drawn.
//
// Why:  files of the form before give every blob four axes; a network that is not trained has none at all.
// How:  a blob is an operand after the bottoms, which is reshaped where it has as many elements as the layer asks for. Where
//       a layer has none, the view may have told it a key to draw them by.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
#define NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/caffe/Fillers.h"

namespace nacre::importer::caffe_format {

/// The attributes that the view adds to layers with blobs: how many bottoms there are; two numbers to draw by.
inline constexpr const char *bottomCount = "bottoms", *randomKey = "random key";

/// Whether layers of this type have weights.
bool hasBlobs(llvm::StringRef type);

class Blobs {
public:
  /// Reports an error unless there is a bottom, and `mostBottoms` at most.
  explicit Blobs(OperandBinder &node, size_t mostBottoms = 1);

  /// How many bottoms there are, before the blobs.
  size_t getNumBottoms() const { return bottoms; }

  /// Blob `index` with the shape `shape`; null after an error.
  mlir::Value get(size_t index, Ints shape, const Filler &filler);

private:
  OperandBinder &node;
  size_t bottoms;
  std::optional<RandomKey> key; ///< where the weights are drawn
};

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_BLOBS_H
