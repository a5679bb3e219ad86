// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TensorFacts.h.

#include "compiler/import/tflite/TensorFacts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/APSInt.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {

/// True if all zero points are within the type's range.
static bool areWithin(ArrayRef<int64_t> zeros, IntegerType type) {
  const bool isUnsigned = type.isUnsigned();
  if (isUnsigned && type.getWidth() == 64)
    return llvm::all_of(zeros, [](int64_t zero) { return zero >= 0; });
  int64_t low = llvm::APSInt::getMinValue(type.getWidth(), isUnsigned).getExtValue();
  int64_t high = llvm::APSInt::getMaxValue(type.getWidth(), isUnsigned).getExtValue();
  return llvm::all_of(zeros, [&](int64_t zero) { return zero >= low && zero <= high; });
}

/// Returns the tensor's quantization as a list of scales, zero points and the axis. Returns null if the tensor is not
/// quantized.
static FailureOr<Attribute> makeQuantization(const schema::Tensor &tensor, IntegerType type, Location loc) {
  const schema::QuantizationParameters *stated = tensor.quantization();
  if (!stated || (toArray(stated->scale()).empty() && stated->details_type() == schema::QuantizationDetails_NONE))
    return Attribute();
  StringRef name = toText(tensor.name()).take_front(200);
  if (stated->details_type() != schema::QuantizationDetails_NONE)
    return emitError(loc) << "'" << name << "' must have its scales along one axis, but does not, which is "
                          << "not supported";
  ArrayRef<float> scales = toArray(stated->scale());
  SmallVector<int64_t> zeros(toArray(stated->zero_point()));
  if (zeros.empty())
    zeros = {0};
  if (zeros.size() == 1)
    zeros.resize(scales.size(), zeros.front());
  ArrayRef<int32_t> shape = toArray(tensor.shape());
  // A tensor of rank 1 has only axis 0, although some files name another axis.
  const int32_t axis = shape.size() == 1 ? 0 : stated->quantized_dimension();
  const bool isWhole = scales.size() == 1 || (axis >= 0 && static_cast<size_t>(axis) < shape.size() &&
                                              static_cast<size_t>(shape[axis]) == scales.size());
  if (!isWhole || zeros.size() != scales.size())
    return emitError(loc) << "'" << name
                          << "' must have one scale and zero point, or one per index of an axis, but has "
                          << scales.size() << " and " << zeros.size() << " for axis " << axis << " of [" << shape
                          << "]";
  if (llvm::any_of(scales, [](float scale) { return !std::isfinite(scale) || scale <= 0; }))
    return emitError(loc) << "'" << name << "' must have positive scales";
  if (!areWithin(zeros, type))
    return emitError(loc) << "'" << name << "' must have zero points within the range of its type";
  Builder builder(loc.getContext());
  return Attribute(builder.getArrayAttr(
      {builder.getDenseF32ArrayAttr(scales), builder.getDenseI64ArrayAttr(zeros), builder.getI64IntegerAttr(axis)}));
}

FailureOr<Attribute> makeFacts(const schema::Tensor &tensor, const std::optional<SmallVector<int64_t>> &shape,
                               Location loc) {
  Type elementType = toElementType(tensor.type(), loc.getContext());
  Attribute none = UnitAttr::get(loc.getContext());
  if (!elementType)
    return none;
  Type type = shape ? Type(RankedTensorType::get(*shape, elementType)) : Type(UnrankedTensorType::get(elementType));
  FailureOr<Attribute> quantization = Attribute();
  if (auto integer = dyn_cast<IntegerType>(elementType); integer && integer.getWidth() > 1)
    quantization = makeQuantization(tensor, integer, loc);
  if (failed(quantization))
    return failure();
  return Attribute(ArrayAttr::get(loc.getContext(), {TypeAttr::get(type), *quantization ? *quantization : none}));
}

TensorFacts readFacts(Attribute attribute) {
  TensorFacts facts;
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return facts;
  facts.type = cast<TensorType>(cast<TypeAttr>(list[0]).getValue());
  if (auto numbers = dyn_cast<ArrayAttr>(list[1]))
    facts.quantization =
        Quantization{cast<DenseF32ArrayAttr>(numbers[0]).asArrayRef(), cast<DenseI64ArrayAttr>(numbers[1]).asArrayRef(),
                     cast<IntegerAttr>(numbers[2]).getInt()};
  return facts;
}

} // namespace nacre::importer::tflite_format
