// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model, with what the user says about them: each has a static shape, or a value.

#ifndef NACRE_COMPILER_IMPORT_ONNX_INPUTS_H
#define NACRE_COMPILER_IMPORT_ONNX_INPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/onnx/Reader.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace nacre::importer::onnx_format {

struct SettledInput {
  llvm::StringRef name;
  mlir::RankedTensorType type;
  mlir::ElementsAttr value; ///< null where the value comes when the model runs
};

/// Settles all inputs that are not initializers, in the model's order. A symbolic dimension takes the size that
/// `--shape` gives it for any input; a first one without takes 1, with a remark. Fails after reporting an error.
mlir::FailureOr<llvm::SmallVector<SettledInput>> settleInputs(const OnnxModel &model, const ImportOptions &options);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_INPUTS_H
