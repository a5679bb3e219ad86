// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/tensorflow/operands/IndexType.h"

namespace nacre::importer::tensorflow_format {

mlir::Type readIndexType(OperandBinder &node, llvm::StringRef attribute, unsigned missing, bool hasNarrow) {
  mlir::Type type = node.getType(attribute, node.nn.types().getIntegerType(missing));
  if (type.isSignlessInteger(32) || type.isSignlessInteger(64) || (hasNarrow && type.isInteger(16)))
    return type;
  node.error() << "attribute '" << attribute << "' must be " << (hasNarrow ? "int16, int32" : "int32")
               << " or int64, but is " << getTypeName(type);
  return {};
}

} // namespace nacre::importer::tensorflow_format
