// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of types and shapes in messages.

#include "compiler/import/messages/TypeNames.h"

#include "compiler/import/messages/ComplexValues.h"
#include "dialects/Count.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::importer {

std::string getTypeName(Type elementType) {
  if (isa<BFloat16Type>(elementType))
    return "bfloat16";
  if (elementType.isF32())
    return "float";
  if (elementType.isF64())
    return "double";
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() <= 8)
    return llvm::TypeSwitch<Type, const char *>(elementType)
        .Case([](Float8E4M3FNType) { return "float8e4m3fn"; })
        .Case([](Float8E4M3FNUZType) { return "float8e4m3fnuz"; })
        .Case([](Float8E5M2Type) { return "float8e5m2"; })
        .Case([](Float8E5M2FNUZType) { return "float8e5m2fnuz"; })
        .Case([](Float8E8M0FNUType) { return "float8e8m0"; })
        .Default("float4e2m1");
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
  if (!value)
    return "nothing";
  if (isComplex(value)) {
    auto parts = cast<ShapedType>(cast<TupleType>(value.getType()).getType(0));
    std::string name = "complex" + std::to_string(2 * parts.getElementTypeBitWidth());
    return parts.getRank() ? name + "[" + describeShape(parts.getShape()) + "]" : name + " scalar";
  }
  if (auto list = dyn_cast<TupleType>(value.getType()))
    return list.size() ? "a sequence of " + std::to_string(list.size()) : std::string("an empty sequence");
  if (isa<UnrankedTensorType>(value.getType())) // a list that is stored as one tensor
    return "a sequence of at most " +
           std::to_string(cast<ShapedType>(value.getDefiningOp()->getOperand(0).getType()).getDimSize(0));
  auto type = dyn_cast<ShapedType>(value.getType());
  return type ? describe(type) : std::string("nothing");
}

std::string describeCount(uint64_t count, StringRef noun) { return nacre::describeCount(count, noun); }

} // namespace nacre::importer
