// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PixelInputs.h. The parts of this file are:
// 1. Finds the picture's axes in the input.
// 2. Builds the operators that convert pixels to values.

#include "compiler/import/entry/PixelInputs.h"

#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"
#include "dialects/nn/codes/Quantization.h"

using namespace mlir;

namespace nacre::importer {
namespace {

//===----------------------------------------------------------------------===//
// 1. Pictures
//===----------------------------------------------------------------------===//

/// Axes of an input that is a picture, or a batch of pictures.
struct PictureAxes {
  int64_t channel, height; ///< the axis of the width follows the axis of the height
  int64_t channels;
};

InFlightDiagnostic error(func::FuncOp function, const PixelInput &option) {
  return emitError(function.getLoc()) << "--preprocess=" << option.text << ": ";
}

std::string quoteInputs(func::FuncOp function) {
  std::string text;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto name = function.getArgAttrOfType<StringAttr>(index, nn::nameAttr);
        name && !function.getArgAttr(index, nn::variableAttr))
      text += (text.empty() ? "'" : ", '") + name.str() + "'";
  return text.empty() ? "none" : text;
}

FailureOr<unsigned> findArgument(func::FuncOp function, const PixelInput &option, const ModelView &model) {
  const std::string name = model.normalizeName(option.input);
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto known = function.getArgAttrOfType<StringAttr>(index, nn::nameAttr);
    if (known && known.getValue() == name && !function.getArgAttr(index, nn::variableAttr))
      return index;
  }
  return error(function, option) << "must name an input, but there is no '" << option.input << "'; inputs are "
                                 << quoteInputs(function);
}

FailureOr<PictureAxes> findAxes(func::FuncOp function, const PixelInput &option, RankedTensorType type) {
  const int64_t rank = type.getRank(), first = rank - 3;
  if (rank != 3 && rank != 4)
    return error(function, option)
           << "must name a picture with three axes, or a batch of pictures with four, but it is " << describe(type);
  auto isColor = [&](int64_t axis) { return type.getDimSize(axis) == 1 || type.getDimSize(axis) == 3; };
  const bool canBeFirst = isColor(first) && option.channelsLast != true,
             canBeLast = isColor(rank - 1) && option.channelsLast != false;
  if (!canBeFirst && !canBeLast)
    return error(function, option) << "must have an axis of 1 or 3 channels before or after height and width, but is "
                                   << describe(type);
  if (canBeFirst && canBeLast)
    return error(function, option) << "can have its channels first or last, since it is " << describe(type)
                                   << "; add :layout=nchw or :layout=nhwc";
  const int64_t channel = canBeFirst ? first : rank - 1;
  return PictureAxes{channel, canBeFirst ? first + 1 : first, type.getDimSize(channel)};
}

/// Returns the size of a pixel in bytes.
int64_t countBytes(PixelOrder order) {
  switch (order) {
  case PixelOrder::Gray:
    return 1;
  case PixelOrder::Rgb:
  case PixelOrder::Bgr:
    return 3;
  case PixelOrder::Rgba:
  case PixelOrder::Bgra:
    return 4;
  }
  llvm_unreachable("an order");
}

bool isBlueFirst(PixelOrder order) { return order == PixelOrder::Bgr || order == PixelOrder::Bgra; }

/// Checks that the options fit the number of `channels` of the network.
LogicalResult checkChannels(func::FuncOp function, const PixelInput &option, PixelOrder pixels, int64_t channels) {
  if ((pixels == PixelOrder::Gray) != (channels == 1))
    return error(function, option) << "the network has " << describeCount(static_cast<uint64_t>(channels), "channel")
                                   << (channels == 1 ? ", so pixels must be gray" : ", so pixels must not be gray");
  for (const auto *numbers : {&option.mean, &option.deviation})
    if (numbers->size() != 1 && static_cast<int64_t>(numbers->size()) != channels)
      return error(function, option) << (numbers == &option.mean ? "mean" : "std")
                                     << " must have one number, or one for each of "
                                     << describeCount(static_cast<uint64_t>(channels), "channel") << ", but has "
                                     << numbers->size();
  return success();
}

//===----------------------------------------------------------------------===//
// 2. From pixels to values
//===----------------------------------------------------------------------===//

class PixelValues {
public:
  PixelValues(OpBuilder &builder, Location loc, const PixelInput &option)
      : builder(builder), loc(loc), option(option) {}

  /// Returns the colors of pixels in the network's order.
  Value select(Value pixels, PixelOrder order, int64_t channels) const {
    auto type = cast<RankedTensorType>(pixels.getType());
    const bool turns = channels == 3 && isBlueFirst(order) != isBlueFirst(option.channels);
    if (!turns && type.getShape().back() == channels)
      return pixels;
    SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()), steps(type.getRank(), 1);
    sizes.back() = channels;
    starts.back() = turns ? 2 : 0;
    steps.back() = turns ? -1 : 1;
    return nn::SliceOp::create(builder, loc, pixels, starts, sizes, steps);
  }

  /// Computes (pixel * range / 255 - mean) / std as one product and one sum. With a division per pixel, the conversion
  /// would take longer than the rest of the kernel that reads the pixels.
  Value scale(Value pixels) const {
    SmallVector<float> factors, offsets;
    for (size_t channel = 0; channel < std::max(option.mean.size(), option.deviation.size()); ++channel) {
      auto of = [&](ArrayRef<float> numbers) { return double(numbers[numbers.size() == 1 ? 0 : channel]); };
      factors.push_back(static_cast<float>(option.range / white / of(option.deviation)));
      offsets.push_back(static_cast<float>(-of(option.mean) / of(option.deviation)));
    }
    Value value = convert(pixels, builder.getF32Type());
    if (!llvm::all_of(factors, [](float factor) { return factor == 1; }))
      value = binary(nn::BinaryKind::Mul, value, factors);
    if (!llvm::all_of(offsets, [](float offset) { return offset == 0; }))
      value = binary(nn::BinaryKind::Add, value, offsets);
    return value;
  }

  /// Computes the function of scale() by the operators of its definition, for values that are rounded to codes. If a
  /// value is halfway between two codes, its last bit decides.
  Value scaleAsDefined(Value pixels) const {
    Value value = convert(pixels, builder.getF32Type());
    if (option.range != white) {
      value = option.range == 1 ? value : binary(nn::BinaryKind::Mul, value, option.range);
      value = binary(nn::BinaryKind::Div, value, float(white));
    }
    if (!llvm::all_of(option.mean, [](float mean) { return mean == 0; }))
      value = binary(nn::BinaryKind::Sub, value, option.mean);
    if (!llvm::all_of(option.deviation, [](float deviation) { return deviation == 1; }))
      value = binary(nn::BinaryKind::Div, value, option.deviation);
    return value;
  }

  Value convert(Value value, Type elementType) const {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == elementType)
      return value;
    return nn::CastOp::create(builder, loc, type.clone(elementType), value, false, nn::ScaleRounding::Up);
  }

  /// Quantizes values to codes.
  Value quantize(Value value, Type elementType, const nn::Quantization &codes) const {
    auto scalar = [&](Type type, Attribute number) {
      return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(RankedTensorType::get({}, type), number));
    };
    Value step = scalar(builder.getF32Type(), builder.getF32FloatAttr(codes.scales.front()));
    Value zero = scalar(elementType, IntegerAttr::get(elementType, codes.zeros.front()));
    return nn::QuantizeOp::create(builder, loc, cast<RankedTensorType>(value.getType()).clone(elementType), value, step,
                                  zero, 0, 0, /*overflows=*/false);
  }

private:
  static constexpr double white = 255;

  Value binary(nn::BinaryKind kind, Value value, ArrayRef<float> numbers) const {
    SmallVector<int64_t> shape;
    if (numbers.size() > 1)
      shape.push_back(static_cast<int64_t>(numbers.size())); // channels are the last axis
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    Value constant = nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, numbers));
    return nn::BinaryOp::create(builder, loc, kind, value, constant);
  }

  OpBuilder &builder;
  Location loc;
  const PixelInput &option;
};

/// Returns the scale and zero point of an input of integers, or `nullopt` for an input of floats. Reports an error if
/// pixels cannot be converted to the input's type.
FailureOr<std::optional<nn::Quantization>> readCodes(func::FuncOp function, unsigned argument,
                                                     const PixelInput &option) {
  auto type = cast<RankedTensorType>(function.getArgument(argument).getType());
  if (isa<FloatType>(type.getElementType()) && !nn::isNarrow(type.getElementType()))
    return std::optional<nn::Quantization>();
  auto note = function.getArgAttrOfType<DictionaryAttr>(argument, nn::quantizationAttr);
  if (!note || nn::readQuantization(note).isPerAxis())
    return error(function, option) << "must name an input of floats, or of integers with one scale, but it is "
                                   << describe(type);
  return std::optional<nn::Quantization>(nn::readQuantization(note));
}

LogicalResult takePixels(func::FuncOp function, const PixelInput &option, const ModelView &model) {
  FailureOr<unsigned> index = findArgument(function, option, model);
  if (failed(index))
    return failure();
  BlockArgument argument = function.getArgument(*index);
  const auto type = cast<RankedTensorType>(argument.getType());
  FailureOr<PictureAxes> axes = findAxes(function, option, type);
  FailureOr<std::optional<nn::Quantization>> codes = readCodes(function, *index, option);
  if (failed(axes) || failed(codes))
    return failure();
  const PixelOrder order = option.pixels.value_or(axes->channels == 1 ? PixelOrder::Gray : PixelOrder::Rgb);
  if (failed(checkChannels(function, option, order, axes->channels)))
    return failure();

  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  SmallVector<int64_t> shape(type.getShape().drop_back(3));
  shape.append({type.getDimSize(axes->height), type.getDimSize(axes->height + 1), countBytes(order)});
  SmallVector<OpOperand *> readers;
  for (OpOperand &use : argument.getUses())
    readers.push_back(&use);
  argument.setType(RankedTensorType::get(shape, builder.getIntegerType(8, /*isSigned=*/false)));
  const PixelValues values(builder, argument.getLoc(), option);
  Value colors = values.select(argument, order, axes->channels);
  Value value = *codes ? values.quantize(values.scaleAsDefined(colors), type.getElementType(), **codes)
                       : values.convert(values.scale(colors), type.getElementType());
  if (axes->channel < axes->height) {
    SmallVector<int64_t> permutation = {2, 0, 1};
    if (type.getRank() == 4)
      permutation = {0, 3, 1, 2};
    value = nn::TransposeOp::create(builder, argument.getLoc(), value, permutation);
  }
  for (OpOperand *reader : readers)
    reader->set(value);
  function.removeArgAttr(*index, nn::quantizationAttr);
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), function.getFunctionType().getResults()));
  return success();
}

} // namespace

LogicalResult takePixels(func::FuncOp function, ArrayRef<PixelInput> options, const ModelView &model) {
  for (const PixelInput &option : options)
    if (failed(takePixels(function, option, model)))
      return failure();
  return success();
}

} // namespace nacre::importer
