// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an ONNX file with the weights that training has changed. A workstation gets back the result of training on a
// device in the file that it knows. Elements of initializers are replaced by the state's tensors of the same name; all
// other fields stay the same. A weight that a node Identity makes of another's initializer becomes an initializer, and
// replaces that node.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H

#include "compiler/import/files/StateFile.h"

#include "llvm/Support/raw_ostream.h"

namespace nacre::importer::onnx_format {

/// Writes the model with the tensors of `state`. Reports an error that names the tensor if that fails.
mlir::LogicalResult replaceWeights(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                   mlir::Location loc);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINEDFILE_H
