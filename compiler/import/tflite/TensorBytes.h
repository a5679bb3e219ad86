// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the shape and the data of a tensor.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H
#define NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer::tflite_format {

/// Function that begins an error at the tensor.
using ReportError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Reports an error if a size of the tensor is negative or too large.
mlir::LogicalResult checkSizes(const schema::Tensor &tensor, ReportError error);

/// Returns the data of the tensor's buffer, which may be after the tables in the file. Returns an empty list if the
/// tensor has no buffer.
mlir::FailureOr<llvm::ArrayRef<char>> findBytes(const schema::Model &model, const schema::Tensor &tensor,
                                                llvm::StringRef file, ReportError error);

/// Reports an error if a constant does not have as many bytes as its shape needs.
mlir::LogicalResult checkBytes(const schema::Tensor &tensor, llvm::ArrayRef<char> bytes, mlir::MLIRContext *context,
                               ReportError error);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H
