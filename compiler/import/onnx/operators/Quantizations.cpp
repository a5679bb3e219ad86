// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between reals and the integers or narrow floats that represent them.

#include "compiler/import/onnx/operators/Quantizations.h"

#include "compiler/import/builder/CodeNotes.h"
#include "compiler/import/compositions/Quantization.h"
#include "compiler/import/onnx/graph/File.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "dialects/nn/NarrowTypes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Returns which elements share a scale. Fails after an error. The axis matters only if there are several scales, so it
/// may be out of range for tensors of rank 0 and 1.
FailureOr<Granularity> readGranularity(OperandBinder &node) {
  Value x = node.getOperand(0), scale = node.getOperand(1);
  int64_t axis = node.getInt("axis", 1), block = node.getInt("block_size", 0);
  if (block < 0)
    return node.error() << "attribute 'block_size' must be 0 or more, but is " << block;
  if (!block && getType(scale).getNumElements() == 1)
    return Granularity();
  FailureOr<int64_t> known = node.getAxis(axis, getRank(x));
  if (failed(known))
    return failure();
  return Granularity{*known, block};
}

/// True if the scale and the zero point have matching shapes. Otherwise, reports an error.
bool checkParameters(OperandBinder &node, Granularity granularity) {
  Value x = node.getOperand(0);
  for (size_t index : {1, 2}) {
    Value parameter = node.getOperand(index);
    if (!parameter)
      continue;
    bool fits = isParameterOf(x, parameter, granularity);
    if (index == 2 && granularity.block)
      fits &= getShape(parameter) == getShape(node.getOperand(1));
    if (fits)
      continue;
    InFlightDiagnostic error = node.error() << node.nameOf(index) << " must have ";
    if (granularity.block)
      error << "the shape of " << describe(x) << ", but one element for each " << granularity.block << " of axis "
            << granularity.axis;
    else
      error << "one element, or one for each of axis " << granularity.axis << " of " << describe(x);
    error << ", but is " << describe(parameter);
    return false;
  }
  return true;
}

/// Returns the float type in attribute `name`, or null if the attribute is missing. Fails after an error.
FailureOr<Type> readFloat(OperandBinder &node, StringRef name) {
  int64_t dataType = node.getInt(name, 0);
  if (!dataType)
    return Type();
  Type type = fromDataType(dataType, node.nn.getLoc().getContext());
  if (!isa_and_nonnull<FloatType>(type))
    return node.error() << "attribute '" << name << "' must be float16, bfloat16, float or double, but is '"
                        << getElementTypeName(dataType) << "'";
  return type;
}

bool isScale(Type type) { return isa<FloatType>(type) && (!nn::isNarrow(type) || isa<Float8E8M0FNUType>(type)); }

/// True if quantized values can have this type: integers of at most `bits` bits, and narrow floats except the types of
/// scales.
bool isCode(Type type, unsigned bits) {
  if (isa<IntegerType>(type))
    return !type.isInteger(1) && type.getIntOrFloatBitWidth() <= bits;
  return nn::isNarrow(type) && !isa<Float8E8M0FNUType>(type);
}

void importDequantizeLinear(OperandBinder &node) {
  Value x = node.getOperand(0), scale = node.getOperand(1);
  FailureOr<Granularity> granularity = readGranularity(node);
  FailureOr<Type> stated = readFloat(node, "output_dtype");
  if (failed(granularity) || failed(stated))
    return;
  if (!isCode(getElementType(x), 64)) {
    node.error() << node.nameOf(0) << " must be an integer or an 8- or 4-bit float, but is " << describe(x);
    return;
  }
  if (!isScale(getElementType(scale))) {
    node.error() << node.nameOf(1) << " must have a floating-point type or float8e8m0, but is " << describe(scale);
    return;
  }
  if (!*stated && nn::isNarrow(getElementType(scale))) {
    node.error() << "attribute 'output_dtype' is required for a scale of type " << getTypeName(getElementType(scale));
    return;
  }
  if (!checkParameters(node, *granularity))
    return;
  noteReadCodes(x, scale, node.getOperand(2), *granularity);
  Type real = *stated ? *stated : getElementType(scale);
  node.setResult(dequantize(node.nn, x, scale, node.getOperand(2), *granularity, real));
}

/// Returns the type of quantized elements, or null after an error.
Type readQuantizedType(OperandBinder &node) {
  Value zero = node.getOperand(2);
  int64_t dataType = node.getInt("output_dtype", 0);
  Type type = dataType ? fromStoredDataType(dataType, node.nn.getLoc().getContext())
              : zero   ? getElementType(zero)
                       : Type(node.nn.types().getIntegerType(8, /*isSigned=*/false));
  if (zero && type != getElementType(zero)) {
    node.error() << "attribute 'output_dtype' must be the type of the zero point, " << describe(zero) << ", but is '"
                 << getElementTypeName(dataType) << "'";
    return {};
  }
  if (type && isCode(type, 16))
    return type;
  if (zero)
    node.error() << node.nameOf(2) << " must be an integer of up to 16 bits or an 8- or 4-bit float, but is "
                 << describe(zero);
  else
    node.error() << "attribute 'output_dtype' must be an integer of up to 16 bits or an 8- or 4-bit float, but is '"
                 << getElementTypeName(dataType) << "'";
  return {};
}

void importQuantizeLinear(OperandBinder &node) {
  Value x = node.getOperand(0), scale = node.getOperand(1);
  bool overflows = !node.getFlag("saturate", true);
  FailureOr<Granularity> granularity = readGranularity(node);
  FailureOr<Type> precision = readFloat(node, "precision");
  Type type = readQuantizedType(node);
  if (failed(granularity) || failed(precision) || !type)
    return;
  Type given = getElementType(scale);
  if (!isScale(given) && !given.isSignlessInteger(32)) {
    node.error() << node.nameOf(1) << " must have a floating-point type, float8e8m0 or int32, but is "
                 << describe(scale);
    return;
  }
  if (!checkParameters(node, *granularity))
    return;
  if (!*precision && isa<FloatType>(given) && !nn::isNarrow(given))
    precision = given;
  if (!*precision)
    precision = isFloat(x) ? getElementType(x) : Type(node.nn.types().getF32Type());
  overflows &= isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  Value codes = quantize(node.nn, x, scale, node.getOperand(2), *granularity, *precision, type, overflows);
  noteMadeCodes(codes, scale, node.getOperand(2), *granularity);
  node.setResult(codes);
}

} // namespace

void addQuantizations(ImportRegistry &registry, int64_t version) {
  registry.add("DequantizeLinear", version,
               {{"x", Holds::Stored, 'T'}, {"x_scale", Holds::Stored}, {"x_zero_point?", Holds::Stored, 'T'}},
               importDequantizeLinear);
  registry.add("QuantizeLinear", version,
               {{"x", Holds::Numbers}, {"y_scale", Holds::Stored}, {"y_zero_point?", Holds::Stored}},
               importQuantizeLinear);
}

void registerQuantizations(ImportRegistry &registry) { addQuantizations(registry, 10); }

} // namespace nacre::importer::onnx_format
