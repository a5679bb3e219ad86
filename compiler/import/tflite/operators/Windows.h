// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings have as options, one number for each axis by name.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// The names of options, one for each spatial axis in order; of dilations none where the operator has none.
struct WindowOptions {
  llvm::ArrayRef<const char *> strides, dilations;
};
/// For rows and columns, and for planes as well.
WindowOptions getPlaneOptions(), getVolumeOptions();

/// The numbers of a node's window, without pads; fails after an error.
mlir::FailureOr<Window> readNumbers(TfliteNode &node, Ints kernel, const WindowOptions &options);

/// Whether pads are such that the output has as many cells as the input over the stride; false where there are none.
mlir::FailureOr<bool> readIsSame(TfliteNode &node);

/// The window over an operand with spatial axes behind the first; the result has `channels`.
mlir::FailureOr<Window> readWindow(TfliteNode &node, size_t operand, Ints kernel, const WindowOptions &options,
                                   int64_t channels);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
