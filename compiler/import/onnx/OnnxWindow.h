// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share: ONNX's attributes to the numbers of `nn`.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ONNXWINDOW_H
#define NACRE_COMPILER_IMPORT_ONNX_ONNXWINDOW_H

#include "compiler/import/OperandBinder.h"

namespace nacre::importer {

struct OnnxWindow {
  llvm::SmallVector<int64_t> kernel, strides, pads, dilations;
  llvm::SmallVector<int64_t> overhang; ///< cells past the high pads that ceil_mode asks for
};

/// Reads `strides`, `pads` or `auto_pad`, `dilations` and `ceil_mode` of a node whose window covers `kernel` cells of
/// the axes `spatial`. Fails after reporting an error.
mlir::FailureOr<OnnxWindow> readWindow(OperandBinder &node, Ints spatial, Ints kernel);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ONNX_ONNXWINDOW_H
