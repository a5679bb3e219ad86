// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes and the bytes of a tensor, checked.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H
#define NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer::tflite_format {

/// Begins an error at the tensor.
using ReportError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Its sizes must be some.
mlir::LogicalResult checkSizes(const schema::Tensor &tensor, ReportError error);

/// The bytes of the tensor's buffer, which may lie behind the tables; none where it has none.
mlir::FailureOr<llvm::ArrayRef<char>> findBytes(const schema::Model &model, const schema::Tensor &tensor,
                                                llvm::StringRef file, ReportError error);

/// A constant must be as many bytes as its shape says.
mlir::LogicalResult checkBytes(const schema::Tensor &tensor, llvm::ArrayRef<char> bytes, mlir::MLIRContext *context,
                               ReportError error);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TENSORBYTES_H
