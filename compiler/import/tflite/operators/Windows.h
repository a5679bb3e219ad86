// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the sliding window of convolutions and poolings from their options. Each axis has its own options.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Names of options, one for each spatial axis in order. `dilations` is empty if the operator has no dilations.
struct WindowOptions {
  llvm::ArrayRef<const char *> strides, dilations;
};
/// Return the names of options for rows and columns, and for planes, rows and columns.
WindowOptions getPlaneOptions(), getVolumeOptions();

/// Returns a node's window, with its sizes, strides and dilations, but without pads. Fails after an error.
mlir::FailureOr<Window> readNumbers(TfliteNode &node, Ints kernel, const WindowOptions &options);

/// Returns true if the padding is SAME: the output has as many elements as the input divided by the stride. Returns
/// false if it is VALID. Fails after an error.
mlir::FailureOr<bool> readIsSame(TfliteNode &node);

/// Returns the window over the operand `operand`, whose spatial axes follow axis 0. The result has `channels` channels.
mlir::FailureOr<Window> readWindow(TfliteNode &node, size_t operand, Ints kernel, const WindowOptions &options,
                                   int64_t channels);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_WINDOWS_H
