// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are in no file, drawn as the network says that training should begin.
//
// Why:  how fast a network is can be measured before it is trained; what it computes then means nothing. Weights of the usual
//       size keep numbers in the range that a trained network has, since speed may depend on it.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H
#define NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/compositions/Random.h"

namespace nacre::importer::caffe_format {

/// How a blob is filled.
struct Filler {
  llvm::StringRef parameter;      ///< of the layer, which says it; empty where there is none
  std::optional<double> constant; ///< where the network does not say; none: as `xavier`
};

/// A constant of `type`; `said` are the fields of the parameter, null where the network does not say. Null after an error.
mlir::Value fill(NnBuilder &nn, mlir::RankedTensorType type, mlir::DictionaryAttr said, const Filler &filler,
                 RandomKey key);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H
