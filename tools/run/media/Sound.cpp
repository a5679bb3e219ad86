// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads WAV files, and converts them to inputs.

#include "tools/run/media/Sound.h"
#include "tools/run/tensors/Tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace nacre::run {
namespace {

constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xfffe;
constexpr uint32_t kUnknownSize = 0xffffffff; // size in files from programs that write to a pipe

uint32_t readNumber(std::string_view bytes, size_t at, size_t width) {
  uint32_t number = 0;
  for (size_t i = 0; i < width; ++i)
    number |= uint32_t(uint8_t(bytes[at + i])) << 8 * i;
  return number;
}

double sampleOf(std::string_view bytes, size_t at, const Sound &sound) {
  const uint32_t width = sound.bytesPerSample;
  if (sound.format == Sound::Format::Float && width == 4) {
    float value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  if (sound.format == Sound::Format::Float) {
    double value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  if (width == 1) // only 8-bit samples are unsigned
    return (int(uint8_t(bytes[at])) - 128) / 128.0;
  return static_cast<int32_t>(readNumber(bytes, at, width) << (32 - 8 * width)) / 2147483648.0;
}

std::string parseFormat(std::string_view chunk, Sound &sound) {
  if (chunk.size() < 16)
    return "its format is not complete";
  uint32_t format = readNumber(chunk, 0, 2);
  if (format == kExtensible && chunk.size() >= 26)
    format = readNumber(chunk, 24, 2);
  sound.channels = readNumber(chunk, 2, 2);
  sound.rate = readNumber(chunk, 4, 4);
  const uint32_t bits = readNumber(chunk, 14, 2), frame = readNumber(chunk, 12, 2);
  sound.bytesPerSample = bits / 8;
  sound.format = format == kFloat ? Sound::Format::Float : Sound::Format::Integer;
  const bool isKnown = format == kPcm ? bits == 8 || bits == 16 || bits == 24 || bits == 32
                                      : format == kFloat && (bits == 32 || bits == 64);
  if (!isKnown)
    return "its samples have format " + std::to_string(format) + " with " + std::to_string(bits) +
           " bits; convert it to 16-bit PCM";
  if (sound.channels == 0 || sound.rate == 0 || frame != sound.channels * sound.bytesPerSample)
    return "its format contradicts itself: " + std::to_string(sound.channels) + " channels, " +
           std::to_string(sound.rate) + " samples per second, " + std::to_string(frame) +
           " bytes for one of each channel";
  return "";
}

/// Returns the number of samples of an input. At most one axis may be longer than 1; returns 0 for other inputs.
size_t lengthOf(const nacre_tensor_info &info) {
  int64_t count = 1;
  uint32_t longer = 0;
  for (uint32_t axis = 0; axis < info.rank; ++axis) {
    count *= info.dims[axis];
    longer += info.dims[axis] != 1;
  }
  return longer <= 1 && count > 0 ? static_cast<size_t>(count) : 0;
}

std::string findInputProblem(const nacre_tensor_info &info) {
  const std::string input = std::string("input '") + info.name + "' ";
  const Dims dims(info.dims, info.dims + info.rank);
  if (lengthOf(info) == 0)
    return input + "takes " + describe(info.type, dims) +
           ", but samples need an input with one axis longer than 1; compute the input (a spectrogram?) and write it "
           "as .npy";
  if (info.type != NACRE_F32 && info.type != NACRE_F16 && !is_small_integer(info.type))
    return input + "takes " + describe(info.type, dims) +
           ", but samples need f32, f16, or integers of 8 or 16 bits; write it as .npy";
  if ((info.type == NACRE_U8 || info.type == NACRE_U16) && info.scale == 1)
    return input + "takes unsigned integers without a scale, which no sample is; write it as .npy";
  if (info.channels)
    return input + "has a scale for each index of an axis; write it as .npy";
  return "";
}

/// Prints a note that a sound was cut or padded, if its length differs from the input's.
void noteLength(const Sound &sound, const std::string &path, const nacre_tensor_info &info, size_t length) {
  if (sound.frames == length)
    return;
  std::fprintf(stderr, "nacre-run: note: '%s' has %zu samples (%u per second), and input '%s' takes %zu: %s\n",
               path.c_str(), sound.frames, sound.rate, info.name, length,
               sound.frames < length ? "zeros follow" : "the rest is cut off");
}

/// Returns the scale of the input's values. Integers without a quantization have the scale of samples: 1/32768 or
/// 1/128.
float scaleOf(const nacre_tensor_info &info) {
  if (!is_small_integer(info.type) || info.scale != 1)
    return info.scale;
  return info.type == NACRE_I16 ? 1 / 32768.0f : 1 / 128.0f;
}

} // namespace

double Sound::sampleAt(size_t frame) const {
  double sum = 0;
  for (uint32_t channel = 0; channel < channels; ++channel)
    sum += sampleOf(data, (frame * channels + channel) * bytesPerSample, *this);
  return sum / channels;
}

std::string parseWav(std::string_view bytes, Sound &sound) {
  bool hasFormat = false;
  for (size_t at = 12; at + 8 <= bytes.size();) { // begins after "RIFF", the size and "WAVE"
    const std::string_view name = bytes.substr(at, 4);
    const uint32_t size = readNumber(bytes, at + 4, 4);
    const size_t left = bytes.size() - at - 8;
    if (name == "data") {
      if (!hasFormat)
        return "its samples come before their format";
      if (size > left && size != kUnknownSize)
        return "it ends early: " + std::to_string(left) + " of " + std::to_string(size) + " bytes of samples are there";
      sound.data = bytes.substr(at + 8, std::min<size_t>(size, left));
      sound.frames = sound.data.size() / (sound.channels * sound.bytesPerSample);
      return sound.frames ? "" : "it has no samples";
    }
    if (size > left)
      break;
    if (name == "fmt ") {
      const std::string problem = parseFormat(bytes.substr(at + 8, size), sound);
      if (!problem.empty())
        return problem;
      hasFormat = true;
    }
    at += 8 + size_t(size) + size % 2;
  }
  return "it ends before its samples";
}

Outcome writeSound(std::string_view bytes, const std::string &path, const MediaOptions &options,
                   const nacre_tensor_info &info, void *data) {
  Sound sound;
  std::string problem = parseWav(bytes, sound);
  if (!problem.empty())
    return usageFailure("'" + path + "' is a WAV sound that cannot be read: " + problem);
  problem = findInputProblem(info);
  if (!problem.empty())
    return usageFailure("'" + path + "' is a WAV sound: " + problem);
  if (options.rate && options.rate != sound.rate)
    return usageFailure("'" + path + "' has " + std::to_string(sound.rate) + " samples per second, but --rate is " +
                        std::to_string(options.rate) + "; convert it, for example with: ffmpeg -i <file> -ar " +
                        std::to_string(options.rate) + " <new file>.wav");
  const size_t length = lengthOf(info), width = findElementType(info.type)->bytesOf(1);
  const float scale = scaleOf(info);
  for (size_t i = 0; i < length; ++i) {
    const float sample = i < sound.frames ? static_cast<float>(sound.sampleAt(i)) : 0;
    if (!std::isfinite(sample))
      return usageFailure("'" + path + "': sample " + std::to_string(i) + " is infinite or NaN");
    const uint32_t bits = element_bits(sample, info.type, scale, info.zero_point);
    std::memcpy(static_cast<char *>(data) + i * width, &bits, width);
  }
  noteLength(sound, path, info, length);
  return std::nullopt;
}

} // namespace nacre::run
