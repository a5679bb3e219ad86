// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding windows of Caffe's layers, as their parameters spell them.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::caffe_format {

/// A parameter along the height and the width: each by a field of its own (`pad_h`, `pad_w`), or one or two numbers for both.
/// Reports an error where one is less than `low`.
llvm::SmallVector<int64_t> readPair(OperandBinder &node, llvm::StringRef both, llvm::StringRef stem, int64_t missing,
                                    int64_t low);

/// `kernel`, `stride` and `pad`, and `dilation` where the layer may have one.
mlir::FailureOr<Window> readWindow(OperandBinder &node, bool isDilated);

/// Reports an error unless the window has a place in operand 0, and the padded input and the result, which has `channels`
/// channels, fit into memory.
bool checkPlaces(OperandBinder &node, const Window &window, int64_t channels);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
