// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an ONNX file with the weights that training has changed.
// Why:   the workstation gets back what a device has learned, in the file that it knows.
// How:   field by field: tensors of the state replace the elements of initializers of their names, all else stays as it is. A weight
//        that a node Identity makes of another's initializer becomes an initializer in the node's place.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H

#include "compiler/import/files/StateFile.h"

#include "llvm/Support/raw_ostream.h"

namespace nacre::importer::onnx_format {

/// Writes the model with what `state` has; fails after an error that names the tensor.
mlir::LogicalResult replaceWeights(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                   mlir::Location loc);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
