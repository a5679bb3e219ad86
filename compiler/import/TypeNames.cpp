// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and shapes as messages name them.

#include "compiler/import/TypeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {

std::string getTypeName(Type elementType) {
  if (isa<BFloat16Type>(elementType))
    return "bfloat16";
  if (elementType.isF32())
    return "float";
  if (elementType.isF64())
    return "double";
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 1)
    return "bool";
  const char *family = isa<FloatType>(elementType) ? "float" : elementType.isUnsignedInteger() ? "uint" : "int";
  return family + std::to_string(width);
}

std::string describeShape(ArrayRef<int64_t> shape) {
  return shape.empty() ? "scalar"
                       : llvm::join(llvm::map_range(shape, [](int64_t dim) { return std::to_string(dim); }), "x");
}

std::string describe(ShapedType type) {
  std::string name = getTypeName(type.getElementType()), shape = describeShape(type.getShape());
  return type.getRank() ? name + "[" + shape + "]" : name + " " + shape;
}

std::string describe(Value value) {
  if (auto list = dyn_cast<TupleType>(value.getType()))
    return list.size() ? "a sequence of " + std::to_string(list.size()) : std::string("an empty sequence");
  auto type = dyn_cast<ShapedType>(value.getType());
  return type ? describe(type) : std::string("nothing");
}

} // namespace nacre::importer
