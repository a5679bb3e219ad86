// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between integers and the reals they stand for, computed in floating point.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/Handlers.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

/// `parameter`, which is operand `index` or made from it, and has one element or one for each of `axis`, so that it
/// broadcasts against operand 0.
Value alignParameter(OperandBinder &node, size_t index, Value parameter, int64_t axis) {
  Value x = node.getOperand(0);
  if (!parameter)
    return {};
  if (getType(parameter).getNumElements() == 1)
    return node.nn.reshape(parameter, {});
  if (getRank(parameter) == 1 && getRank(x) > axis && getShape(parameter)[0] == getShape(x)[axis])
    return node.nn.alignToAxis(parameter, axis, getRank(x));
  node.error() << node.nameOf(index) << " must have one element, or one for each of axis " << axis << " of "
               << describe(x) << ", but is " << describe(node.getOperand(index));
  return {};
}

/// The axis that scales belong to. It only matters where there are several, so rank 0 and 1 may have any.
FailureOr<int64_t> readAxis(OperandBinder &node) {
  node.ignore({"saturate"}); // of 8-bit floats
  int64_t axis = node.getInt("axis", 1), rank = getRank(node.getOperand(0));
  if (node.getInt("block_size", 0) != 0)
    return node.error() << "attribute 'block_size' must be 0, one scale for the tensor or for each of an axis, but is "
                        << node.getInt("block_size", 0) << "; quantize the model without blocks";
  if (getType(node.getOperand(1)).getNumElements() == 1)
    return 0;
  return node.getAxis(axis, rank);
}

void importDequantizeLinear(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), scale = node.getOperand(1), zero = node.getOperand(2);
  FailureOr<int64_t> axis = readAxis(node);
  if (failed(axis))
    return;
  Type real = getElementType(scale);
  Value centred = nn.cast(x, real);
  if (zero)
    centred = nn.sub(centred, nn.cast(alignParameter(node, 2, zero, *axis), real));
  node.setResult(nn.mul(centred, alignParameter(node, 1, scale, *axis)));
}

void importQuantizeLinear(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), scale = node.getOperand(1), zero = node.getOperand(2);
  FailureOr<int64_t> axis = readAxis(node);
  if (failed(axis))
    return;
  node.ignore({"precision"});
  if (!zero && node.getInt("output_dtype", 0) != 0) {
    node.error() << "attribute 'output_dtype' must be 0, but is " << node.getInt("output_dtype", 0)
                 << "; say the type by a zero point of it";
    return;
  }
  Type integer = zero ? getElementType(zero) : Type(nn.types().getIntegerType(8, /*isSigned=*/false));
  auto integerType = dyn_cast<IntegerType>(integer);
  if (!integerType || integerType.getWidth() > 16) {
    node.error() << node.nameOf(2) << " must be an integer of 8 or 16 bits, but is " << describe(zero);
    return;
  }
  Type real = getElementType(x);
  Value rounded = nn.unary(UnaryKind::Round, nn.div(x, alignParameter(node, 1, nn.cast(scale, real), *axis)));
  if (zero)
    rounded = nn.add(rounded, nn.cast(alignParameter(node, 2, zero, *axis), real));
  bool isUnsigned = integerType.isUnsigned();
  double low = APSInt::getMinValue(integerType.getWidth(), isUnsigned).getExtValue();
  double high = APSInt::getMaxValue(integerType.getWidth(), isUnsigned).getExtValue();
  node.setResult(nn.cast(clamp(nn, rounded, low, high), integer));
}

} // namespace

void registerQuantizations(ImportRegistry &registry) {
  registry.add("DequantizeLinear", 10,
               {{"x", Holds::Integers, 'T'}, {"x_scale", Holds::Floats}, {"x_zero_point?", Holds::Integers, 'T'}},
               importDequantizeLinear);
  registry.add("QuantizeLinear", 10,
               {{"x", Holds::Floats}, {"y_scale", Holds::Floats}, {"y_zero_point?", Holds::Integers}},
               importQuantizeLinear);
}

} // namespace nacre::importer::onnx_format
