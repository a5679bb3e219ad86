// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of which a file stores only the nonzero elements.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_SPARSETENSOR_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_SPARSETENSOR_H

#include "compiler/import/onnx/graph/File.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace nacre::importer::onnx_format {

/// Returns the elements and their positions, after checking that positions are in range and ascending. A caller that
/// makes a dense tensor counts it as a constant. Emits errors at `loc`.
mlir::FailureOr<mlir::ElementsAttr> readSparse(OnnxFile &file, const onnx::SparseTensorProto &sparse,
                                               mlir::Location loc);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_SPARSETENSOR_H
