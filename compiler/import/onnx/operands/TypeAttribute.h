// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that state an element type by an enumerator of ONNX.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_TYPEATTRIBUTE_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_TYPEATTRIBUTE_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/onnx/graph/File.h"

namespace nacre::importer::onnx_format {

/// Returns the type in attribute `name`, or `missing` if the node does not have it. Returns null after an error.
inline mlir::Type readElementType(OperandBinder &node, llvm::StringRef name, mlir::Type missing) {
  if (!node.has(name))
    return missing;
  int64_t number = node.getInt(name, 0);
  mlir::Type type = fromDataType(number, node.nn.getLoc().getContext());
  if (!type)
    node.error() << "attribute '" << name
                 << "' must be float16, bfloat16, float, double, bool, or an 8- to 64-bit integer, but is '"
                 << getElementTypeName(number) << "'";
  return type;
}

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_TYPEATTRIBUTE_H
