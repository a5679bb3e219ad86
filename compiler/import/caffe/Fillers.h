// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random weights for layers without weights in a file, as the network initializes them for training.
//
// So the speed of a network can be measured before it is trained, although its results are meaningless. Speed may
// depend on the values. Weights of usual size keep values in the range of a trained network.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H
#define NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/compositions/Random.h"

namespace nacre::importer::caffe_format {

/// Initialization of a blob.
struct Filler {
  llvm::StringRef parameter;      ///< parameter of the layer that states the filler; may be empty
  std::optional<double> constant; ///< value if that parameter is missing; `nullopt` means `xavier`
};

/// Returns a constant of `type`, or null after an error. `said` has the fields of the parameter in `filler`; it is null
/// if the network does not state the parameter.
mlir::Value fill(NnBuilder &nn, mlir::RankedTensorType type, mlir::DictionaryAttr said, const Filler &filler,
                 RandomKey key);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_FILLERS_H
