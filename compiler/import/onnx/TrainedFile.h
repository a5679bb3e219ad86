// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an ONNX file with the weights that training has changed. So the result of training on a device can be used in
// the original form of the model. The elements of initializers are replaced by the tensors of the same name in the
// state. All other fields stay the same. If an Identity node makes a weight from the initializer of another one, the
// weight becomes an initializer that replaces the node.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H

#include "compiler/import/files/StateFile.h"

#include "llvm/Support/raw_ostream.h"

namespace nacre::importer::onnx_format {

/// Writes the model with the tensors of `state` to `to`. Reports an error that names the tensor if that fails.
mlir::LogicalResult replaceWeights(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                   mlir::Location loc);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
