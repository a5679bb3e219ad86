// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of elements to other types, by value or bit by bit.

#include "compiler/import/onnx/graph/File.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Returns the type in attribute `to`, or null after an error.
Type readTarget(OperandBinder &node) {
  int64_t dataType = node.getInt("to", 0);
  Type type = fromStoredDataType(dataType, node.nn.getLoc().getContext());
  if (!type)
    node.error() << "attribute 'to' must be bool, a float, or a 2- to 64-bit integer, but is '"
                 << getElementTypeName(dataType) << "'";
  return type;
}

void castTo(OperandBinder &node, Type type) {
  bool overflows = !node.getFlag("saturate", true);
  StringRef mode = node.getChoice("round_mode", {"up", "down", "nearest"});
  nn::ScaleRounding rounding = mode == "up"     ? nn::ScaleRounding::Up
                               : mode == "down" ? nn::ScaleRounding::Down
                                                : nn::ScaleRounding::Nearest;
  // Attributes that do not apply to the type are ignored.
  if (!isa<Float8E8M0FNUType>(type))
    rounding = nn::ScaleRounding::Up;
  overflows &= isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  node.setResult(node.nn.cast(node.getOperand(0), type, overflows, rounding));
}

void importCast(OperandBinder &node) {
  if (Type type = readTarget(node))
    castTo(node, type);
}

/// Imports a cast before version 6, when the type was given by name.
void importCast1(OperandBinder &node) {
  std::string word = node.getString("to", "").lower();
  for (int64_t dataType = 1; !word.empty() && dataType <= onnx::TensorProto::BFLOAT16; ++dataType)
    if (Type type = fromDataType(dataType, node.nn.getLoc().getContext()); type && getElementTypeName(dataType) == word)
      return node.setResult(node.nn.cast(node.getOperand(0), type));
  if (!node.hasFailed())
    node.error() << "attribute 'to' must be FLOAT16, FLOAT, DOUBLE, BOOL, or an 8- to 64-bit integer, but is '"
                 << node.getString("to", "") << "'";
}

void importCastLike(OperandBinder &node) { castTo(node, getElementType(node.getOperand(1))); }

void importBitCast(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type to = readTarget(node);
  if (!to)
    return;
  // A boolean is a byte with the value 0 or 1.
  Type byte = nn.types().getIntegerType(8, /*isSigned=*/false);
  auto widthOf = [](Type type) { return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth(); };
  if (widthOf(getElementType(x)) != widthOf(to)) {
    node.error() << "attribute 'to' must have the same width as the operand's type, " << describe(x) << ", but is '"
                 << getTypeName(to) << "'";
    return;
  }
  if (getElementType(x).isInteger(1))
    x = nn.cast(x, byte);
  node.setResult(to.isInteger(1) ? nn.cast(nn.bitcast(x, byte), to) : nn.bitcast(x, to));
}

} // namespace

void registerCasts(ImportRegistry &registry) {
  registry.add("BitCast", 26, {{"input", Holds::Stored}}, importBitCast);
  registry.add("Cast", 1, {{"input"}}, importCast1);
  registry.add("Cast", 6, {{"input", Holds::Stored}}, importCast);
  registry.add("CastLike", 15, {{"input", Holds::Stored}, {"target_type", Holds::Stored}}, importCastLike);
}

} // namespace nacre::importer::onnx_format
