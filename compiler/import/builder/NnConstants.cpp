// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of `nn` within the budget, and values that are not tensors: lists and nothing.

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/messages/TypeNames.h"

#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;

namespace nacre::importer {

TypedAttr getScalarAttr(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, nn::isNarrow(type) ? nn::roundTo(type, value) : value);
  // The conversion saturates, and makes 0 of NaN.
  APSInt integer(type.getIntOrFloatBitWidth(), /*isUnsigned=*/type.isUnsignedInteger() || type.isInteger(1));
  bool isExact;
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return IntegerAttr::get(type, integer);
}

bool NnBuilder::allowsConstant(int64_t count, int64_t elementBytes) {
  int64_t bytes;
  if (llvm::MulOverflow(count, elementBytes, bytes) || bytes > shared.maxConstantBytes)
    error() << "a constant of " << describeCount(count, "element") << " must take at most " << shared.maxConstantBytes
            << " bytes, but takes more; raise --max-constant";
  else if (bytes > shared.foldBudget)
    error() << "all constants that the model computes must take at most " << shared.maxConstantBytes
            << " bytes, but take more; raise --max-constant";
  else
    return shared.foldBudget -= bytes, true;
  return false;
}

std::array<uint32_t, 2> NnBuilder::takeRandomKey(std::optional<uint32_t> seed) {
  if (!seed && !std::exchange(shared.hasRemarkedSeed, true))
    emitRemark(loc) << "has no seed; " << shared.seed << " is used (--seed), and every run draws the same numbers";
  return {seed.value_or(shared.seed), shared.randomNodes.take(loc)};
}

uint32_t NodeNumbers::take(Location node) {
  SmallVector<uint32_t, 1> &numbers = known[node];
  if (repeated)
    if (unsigned next = (*repeated)[node]++; next < numbers.size())
      return numbers[next];
  return numbers.emplace_back(count++);
}

/// Returns all elements of a sparse tensor. Elements that are not listed are zero.
static ElementsAttr makeDense(SparseElementsAttr sparse) {
  auto type = cast<RankedTensorType>(sparse.getType());
  nn::ConstantBuilder builder(type);
  std::memset(builder.at(0), 0, storedBytes(type));
  FailureOr<nn::ConstantView> values = nn::ConstantView::get(cast<ElementsAttr>(sparse.getValues()));
  assert(succeeded(values) && "what is listed is dense");
  auto places = sparse.getIndices().getValues<int64_t>();
  for (int64_t element = 0; element < values->getType().getNumElements(); ++element) {
    int64_t at = 0;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      at = at * type.getDimSize(axis) + places[element * type.getRank() + axis];
    std::memcpy(builder.at(at), values->at(element), builder.getElementBytes());
  }
  return std::move(builder).take();
}

Value NnBuilder::constant(ElementsAttr value) {
  if (auto sparse = dyn_cast<SparseElementsAttr>(value)) {
    if (!allowsConstant(value.getNumElements(), bytesOfElement(value.getElementType())))
      return {};
    value = makeDense(sparse);
  }
  return infer<nn::ConstantOp>(value);
}

Value NnBuilder::splat(RankedTensorType type, double value) {
  return constant(DenseElementsAttr::get(type, ArrayRef<Attribute>(getScalarAttr(type.getElementType(), value))));
}

Value NnBuilder::scalar(Value like, double value) {
  return like ? splat(RankedTensorType::get({}, getElementType(like)), value) : Value();
}

Value NnBuilder::integers(Ints values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value NnBuilder::counting(int64_t count) {
  return allowsConstant(count, sizeof(int64_t)) ? integers(axisRange(0, count)) : Value();
}

Value NnBuilder::list(ValueRange elements) {
  if (isMissing(elements))
    return {};
  Type type = TupleType::get(builder.getContext(), elements.getTypes());
  return UnrealizedConversionCastOp::create(builder, loc, type, elements).getResult(0);
}

Value NnBuilder::nothing() {
  return UnrealizedConversionCastOp::create(builder, loc, builder.getNoneType(), ValueRange()).getResult(0);
}

} // namespace nacre::importer
