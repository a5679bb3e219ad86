// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the sliding window that convolutions and poolings have as options. Options are named separately for each axis.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Names of options, one for each spatial axis in order. `dilations` is empty if the operator has none.
struct WindowOptions {
  llvm::ArrayRef<const char *> strides, dilations;
};
/// Return the names of options for rows and columns, and for planes, rows and columns.
WindowOptions getPlaneOptions(), getVolumeOptions();

/// Returns the sizes of a node's window, without pads; fails after an error.
mlir::FailureOr<Window> readNumbers(TfliteNode &node, Ints kernel, const WindowOptions &options);

/// True if the window is padded so that the output has as many cells as the input divided by the stride. False without
/// pads.
mlir::FailureOr<bool> readIsSame(TfliteNode &node);

/// Returns the window over an operand whose spatial axes follow the first one; the result has `channels`.
mlir::FailureOr<Window> readWindow(TfliteNode &node, size_t operand, Ints kernel, const WindowOptions &options,
                                   int64_t channels);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
