// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of Caffe's layers, read from their parameters.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::caffe_format {

/// Returns a parameter for height and width, from two fields (`pad_h`, `pad_w`), or from one or two numbers in one
/// field. Reports an error if a number is less than `low`.
llvm::SmallVector<int64_t> readPair(OperandBinder &node, llvm::StringRef both, llvm::StringRef stem, int64_t missing,
                                    int64_t low);

/// Reads `kernel`, `stride` and `pad`, and `dilation` if the layer may have one.
mlir::FailureOr<Window> readWindow(OperandBinder &node, bool isDilated);

/// Reports an error unless the window fits into operand 0 at least once. The padded input and the result, which has
/// `channels` channels, must fit into memory.
bool checkPlaces(OperandBinder &node, const Window &window, int64_t channels);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
