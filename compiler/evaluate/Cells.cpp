// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and data are read and written like everywhere in the compiler (dialects/nn/ConstantData.h), so that data
// has only one interpretation.

#include "compiler/evaluate/Cells.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace nacre::evaluate {

Tensor::Tensor(RankedTensorType type)
    : type(type), cells(std::make_shared<std::vector<Cell>>(type.getNumElements(), Cell{})) {}

Tensor Tensor::withType(Type other) const {
  Tensor result = *this;
  result.type = cast<RankedTensorType>(other);
  return result;
}

Tensor Tensor::asStored() const {
  // other operators do not make narrow floats
  if (!isFloat() || getElementType().isF64() || nn::isNarrow(getElementType()))
    return *this;
  Tensor result(type);
  Cell *to = result.write();
  for (int64_t i = 0; i < size(); ++i)
    to[i].number = roundTo(getElementType(), number(i));
  return result;
}

double roundTo(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return float(value);
  if (type.isF16())
    return nn::decode(nn::formatF16, nn::encode(nn::formatF16, value, /*saturates=*/false));
  if (type.isBF16())
    return nn::decode(nn::formatBF16, nn::encode(nn::formatBF16, value, /*saturates=*/false));
  return nn::roundTo(type, value);
}

unsigned codeOf(Type type, double value) {
  if (type.isF16())
    return nn::encode(nn::formatF16, value, /*saturates=*/false);
  if (type.isBF16())
    return nn::encode(nn::formatBF16, value, /*saturates=*/false);
  if (const nn::FloatFormat *format = nn::findFormat(type))
    return nn::encode(*format, value, /*saturates=*/false);
  return nn::encodeScale(value, nn::ScaleRounding::Nearest, /*saturates=*/true);
}

int64_t wrapTo(Type type, int64_t value) {
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return value != 0;
  if (width == 64)
    return value;
  const auto bits = uint64_t(value) << (64 - width);
  return type.isUnsignedInteger() ? int64_t(bits >> (64 - width)) : int64_t(bits) >> (64 - width);
}

FailureOr<Tensor> fromConstant(ElementsAttr constant) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return failure();
  Tensor result(view->getType());
  Cell *to = result.write();
  constexpr int64_t atOnce = 4096;
  double numbers[atOnce];
  int64_t integers[atOnce];
  for (int64_t begin = 0; begin < result.size(); begin += atOnce) {
    const int64_t count = std::min(atOnce, result.size() - begin);
    if (result.isFloat()) {
      view->read(begin, 1, count, numbers);
      for (int64_t i = 0; i < count; ++i)
        to[begin + i].number = numbers[i];
    } else {
      view->read(begin, 1, count, integers);
      for (int64_t i = 0; i < count; ++i)
        to[begin + i].integer = integers[i];
    }
  }
  return result;
}

Tensor fromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  // The attribute lives as long as the context, but `bytes` may not.
  auto attribute = DenseResourceElementsAttr::get(
      type, "bytes", UnmanagedAsmResourceBlob::allocateInferAlign(bytes, /*deleter=*/{}, /*dataIsMutable=*/false));
  FailureOr<Tensor> tensor = fromConstant(attribute);
  attribute.getRawHandle().getResource()->setBlob(AsmResourceBlob());
  assert(succeeded(tensor) && "there are as many bytes as the type asks for");
  return *tensor;
}

std::vector<char> toBytes(const Tensor &tensor) {
  nn::ConstantBuilder builder(tensor.getType());
  const Type element = tensor.getElementType();
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (tensor.isFloat() && nn::isNarrow(element))
      builder.write(i, ArrayRef<uint8_t>(uint8_t(codeOf(element, tensor.number(i)))));
    else if (tensor.isFloat())
      builder.write(i, ArrayRef<double>(tensor.number(i)));
    else
      builder.write(i, ArrayRef<int64_t>(tensor.integer(i)));
  const char *bytes = builder.at(0);
  std::vector<char> elements(bytes, bytes + tensor.size() * builder.getElementBytes());
  if (!nn::isPacked(element))
    return elements;
  std::vector<char> packed(nn::packedBytes(tensor.getType()));
  nn::packElements(element, elements, packed);
  return packed;
}

} // namespace nacre::evaluate
