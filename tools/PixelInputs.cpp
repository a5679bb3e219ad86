// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/PixelInputs.h"

#include "tools/NearestName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace llvm;

namespace nacre::tools {
namespace {

using importer::PixelInput;
using importer::PixelOrder;

constexpr StringLiteral kKeys[] = {"mean", "std", "range", "pixels", "channels", "layout"};

Error wrong(const PixelInput &input, const Twine &what) {
  return createStringError("--preprocess=" + input.text + ": " + what);
}

Error readNumbers(const PixelInput &input, StringRef key, StringRef value, SmallVectorImpl<float> &numbers) {
  numbers.clear();
  SmallVector<StringRef> words;
  value.split(words, ',');
  for (StringRef word : words) {
    double number;
    if (word.getAsDouble(number) || !std::isfinite(static_cast<float>(number)))
      return wrong(input, "'" + word + "' must be a number, as in " + key + "=0.5 or " + key + "=0.485,0.456,0.406");
    numbers.push_back(static_cast<float>(number));
  }
  return Error::success();
}

Error readField(PixelInput &input, StringRef key, StringRef value) {
  if (key == "mean")
    return readNumbers(input, key, value, input.mean);
  if (key == "std") {
    if (Error error = readNumbers(input, key, value, input.deviation))
      return error;
    return all_of(input.deviation, [](float number) { return number > 0; }) ? Error::success()
                                                                            : wrong(input, "std must be above 0");
  }
  if (key == "range") {
    SmallVector<float> numbers;
    if (Error error = readNumbers(input, key, value, numbers))
      return error;
    input.range = numbers.front();
    return numbers.size() == 1 && input.range > 0
               ? Error::success()
               : wrong(input, "range must be one number above 0, the value of white");
  }
  if (key == "pixels") {
    input.pixels = StringSwitch<std::optional<PixelOrder>>(value)
                       .Case("gray", PixelOrder::Gray)
                       .Case("rgb", PixelOrder::Rgb)
                       .Case("bgr", PixelOrder::Bgr)
                       .Case("rgba", PixelOrder::Rgba)
                       .Case("bgra", PixelOrder::Bgra)
                       .Default(std::nullopt);
    return input.pixels ? Error::success()
                        : wrong(input, "pixels must be rgb, bgr, rgba, bgra or gray, but is '" + value + "'");
  }
  if (key == "channels") {
    input.channels = value == "bgr" ? PixelOrder::Bgr : PixelOrder::Rgb;
    return value == "rgb" || value == "bgr" ? Error::success()
                                            : wrong(input, "channels must be rgb or bgr, but is '" + value + "'");
  }
  input.channelsLast = value == "nhwc";
  return value == "nchw" || value == "nhwc" ? Error::success()
                                            : wrong(input, "layout must be nchw or nhwc, but is '" + value + "'");
}

Expected<PixelInput> parsePixelInput(StringRef text) {
  PixelInput input;
  input.text = text.str();
  std::vector<std::pair<StringRef, StringRef>> fields;
  for (size_t colon = text.rfind(':'); colon != text.npos; colon = text.rfind(':')) {
    auto [key, value] = text.drop_front(colon + 1).split('=');
    if (!is_contained(kKeys, key)) {
      const bool isMistyped = text.drop_front(colon + 1).contains('=');
      if (!isMistyped)
        break; // the text belongs to the name
      return wrong(input, "'" + key + "' must be mean, std, range, pixels, channels or layout" +
                              didYouMean(key, std::vector<std::string>(std::begin(kKeys), std::end(kKeys))));
    }
    fields.emplace_back(key, value);
    text = text.take_front(colon);
  }
  if (text.empty() || text.contains('='))
    return wrong(input, "must be input:mean=0.485,0.456,0.406:std=0.229,0.224,0.225, or only the input");
  input.input = text.str();
  for (const auto &field : fields) {
    const auto isSame = [key = field.first](const auto &other) { return other.first == key; };
    if (count_if(fields, isSame) > 1)
      return wrong(input, field.first + " stands twice");
    if (Error error = readField(input, field.first, field.second))
      return error;
  }
  return input;
}

} // namespace

Expected<std::vector<PixelInput>> parsePixelInputs(ArrayRef<std::string> texts) {
  std::vector<PixelInput> inputs;
  for (const std::string &text : texts) {
    Expected<PixelInput> input = parsePixelInput(text);
    if (!input)
      return input.takeError();
    for (const PixelInput &other : inputs)
      if (other.input == input->input)
        return wrong(*input, "another --preprocess names this input; remove one");
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace nacre::tools
