// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Schema.h.

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

Type toElementType(schema::TensorType type, MLIRContext *context) {
  Builder builder(context);
  auto getUnsigned = [&](unsigned width) { return builder.getIntegerType(width, /*isSigned=*/false); };
  switch (type) {
  case schema::TensorType_FLOAT32:
    return builder.getF32Type();
  case schema::TensorType_FLOAT16:
    return builder.getF16Type();
  case schema::TensorType_BFLOAT16:
    return builder.getBF16Type();
  case schema::TensorType_FLOAT64:
    return builder.getF64Type();
  case schema::TensorType_BOOL:
    return builder.getI1Type();
  case schema::TensorType_INT2:
    return builder.getIntegerType(2);
  case schema::TensorType_INT4:
    return builder.getIntegerType(4);
  case schema::TensorType_INT8:
    return builder.getIntegerType(8);
  case schema::TensorType_INT16:
    return builder.getIntegerType(16);
  case schema::TensorType_INT32:
    return builder.getIntegerType(32);
  case schema::TensorType_INT64:
    return builder.getIntegerType(64);
  case schema::TensorType_UINT4:
    return getUnsigned(4);
  case schema::TensorType_UINT8:
    return getUnsigned(8);
  case schema::TensorType_UINT16:
    return getUnsigned(16);
  case schema::TensorType_UINT32:
    return getUnsigned(32);
  case schema::TensorType_UINT64:
    return getUnsigned(64);
  default:
    return {};
  }
}

StringRef getWord(schema::TensorType type) {
  StringRef name = schema::EnumNameTensorType(type);
  return name.empty() ? "unknown" : name;
}

} // namespace nacre::importer::tflite_format
