// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of Caffe's layers, read from their parameters.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::caffe_format {

/// Returns a parameter for height and width. It is stated by two fields (`pad_h`, `pad_w`), or by one or two values in
/// one field. Reports an error if a value is less than `low`.
llvm::SmallVector<int64_t> readPair(OperandBinder &node, llvm::StringRef both, llvm::StringRef stem, int64_t missing,
                                    int64_t low);

/// Reads `kernel`, `stride` and `pad`, and also `dilation` if `isDilated`.
mlir::FailureOr<Window> readWindow(OperandBinder &node, bool isDilated);

/// Reports an error unless the window fits into operand 0 at least once. The padded input, and the result with
/// `channels` channels, must fit into memory.
bool checkPlaces(OperandBinder &node, const Window &window, int64_t channels);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_OPERATORS_WINDOWS_H
