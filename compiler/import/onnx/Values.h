// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a model to constants of the IR, and values that the user sets.

#ifndef NACRE_COMPILER_IMPORT_ONNX_VALUES_H
#define NACRE_COMPILER_IMPORT_ONNX_VALUES_H

#include "compiler/import/onnx/File.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace nacre::importer::onnx_format {

/// Small tensors become `dense` attributes; larger ones `dense_resource` views of the mapped file, which stays mapped
/// as long as the context lives. `name` is the view's key.
mlir::ElementsAttr makeConstant(const OnnxTensor &tensor, llvm::StringRef name);

/// What the model says of an input: its element type, and its dimensions where it states them.
struct InputType {
  mlir::Type elementType;
  std::optional<llvm::SmallVector<int64_t>> shape; ///< ShapedType::kDynamic where a dimension is symbolic
};

/// Reads the value of an input: numbers separated by commas, or the path of a .npy or .pb file. It must agree with
/// `type`; one number without a known shape is a scalar, several are 1-D.
mlir::FailureOr<mlir::ElementsAttr> readInputValue(llvm::StringRef text, const InputType &type, mlir::Location loc);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_VALUES_H
