// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of a layer's parameters, and checks them against the type of the layer.

#include "compiler/import/cnndroid/Parameters.h"

#include "compiler/import/cnndroid/MessagePack.h"
#include "compiler/import/messages/TypeNames.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using llvm::Expected;

namespace nacre::importer::cnndroid_format {

ArrayRef<llvm::StringLiteral> getParameterNames(StringRef type) {
  static constexpr llvm::StringLiteral weights[] = {"weights", "bias"}, labels[] = {"labels"};
  return llvm::StringSwitch<ArrayRef<llvm::StringLiteral>>(type)
      .Cases("Convolution", "FullyConnected", weights)
      .Case("Accuracy", labels)
      .Default({});
}

static Expected<PackedNumbers> readNumbers(MessageReader &reader, size_t rank, StringRef what) {
  Expected<PackedNumbers> numbers = reader.readNumbers(rank);
  if (!numbers)
    return llvm::createStringError(what + ": " + llvm::toString(numbers.takeError()));
  return numbers;
}

static StoredTensor makeTensor(PackedNumbers numbers, ArrayRef<int64_t> shape, Type elementType) {
  StoredTensor tensor;
  tensor.type = RankedTensorType::get(shape, elementType);
  tensor.owner = std::move(numbers.elements);
  tensor.bytes = {tensor.owner->getBufferStart(), tensor.owner->getBufferSize()};
  return tensor;
}

/// Converts labels, which are the class indices of the images. CNNdroid reads the first element of the inner arrays,
/// and drops fractions.
static StoredTensor makeLabels(const PackedNumbers &numbers, MLIRContext *context) {
  const int64_t images = numbers.shape.front();
  const int64_t inner = numbers.shape[1] * numbers.shape[2] * numbers.shape[3];
  auto labels = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(images * sizeof(int64_t));
  const auto *from = reinterpret_cast<const float *>(numbers.elements->getBufferStart());
  auto *to = reinterpret_cast<int64_t *>(labels->getBufferStart());
  for (int64_t image = 0; image < images; ++image) {
    const float label = from[image * inner];
    constexpr float most = 1 << 24; // largest limit below which floats can represent all integers
    to[image] = label >= 0 && label < most ? static_cast<int64_t>(label) : -1;
  }
  return makeTensor({{}, std::move(labels)}, {images}, IntegerType::get(context, 64));
}

Expected<SmallVector<StoredTensor, 2>> readParameters(StringRef type, StringRef bytes, MLIRContext *context) {
  MessageReader reader(bytes);
  const ArrayRef<llvm::StringLiteral> names = getParameterNames(type);
  const bool isFlat = type == "FullyConnected";
  Expected<PackedNumbers> first = readNumbers(reader, isFlat ? 1 : 4, names.front());
  if (!first)
    return first.takeError();
  SmallVector<StoredTensor, 2> result;
  Type f32 = Float32Type::get(context);
  if (names.size() == 1) {
    result.push_back(makeLabels(*first, context));
  } else {
    Expected<PackedNumbers> bias = readNumbers(reader, 1, names.back());
    if (!bias)
      return bias.takeError();
    const int64_t outputs = bias->shape.front();
    SmallVector<int64_t> shape = first->shape;
    if (isFlat ? shape.front() % outputs != 0 : shape.front() != outputs)
      return llvm::createStringError("the bias has " + describeCount(outputs, "number") +
                                     ", one for each output, but the weights " +
                                     (isFlat ? "are " + llvm::Twine(shape.front()) + " numbers, which is no multiple"
                                             : "are for " + describeCount(shape.front(), "output")));
    if (isFlat)
      shape = {outputs, shape.front() / outputs};
    result.push_back(makeTensor(std::move(*first), shape, f32));
    result.push_back(makeTensor(std::move(*bias), {outputs}, f32));
  }
  if (const size_t left = reader.getBytesLeft())
    return llvm::createStringError("must end after the " + names.back() + ", but " + describeCount(left, "byte") +
                                   (left == 1 ? " follows" : " follow"));
  return result;
}

} // namespace nacre::importer::cnndroid_format
