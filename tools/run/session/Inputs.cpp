// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are mapped, checked against the tensor, and copied to the session's own buffer.

#include "tools/run/session/Inputs.h"
#include "tools/run/session/Random.h"
#include "tools/run/session/Text.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace nacre::run {
namespace {

/// Fills a port with random values that every model accepts. Integers are 0 or 1, which are valid indices and masks.
void fillFromSeed(Port &port, uint64_t seed) {
  const size_t width =
      findElementType(port.tensor.type)->isPacked() ? 1 : findElementType(port.tensor.type)->bytesOf(1);
  uint64_t state = seed;
  for (size_t i = 0; i < port.tensor.bytes() / width; ++i) {
    const uint64_t random = nextRandom(state);
    const float real = static_cast<float>(random >> 40) / float(1 << 23) - 1;
    uint64_t bits = random & 1;
    switch (port.tensor.type) {
    case NACRE_F32:
      std::memcpy(&bits, &real, sizeof real);
      break;
    case NACRE_F64: {
      const double wide = real;
      std::memcpy(&bits, &wide, sizeof wide);
      break;
    }
    case NACRE_BF16: {
      uint32_t wide;
      std::memcpy(&wide, &real, sizeof wide);
      bits = wide >> 16;
      break;
    }
    case NACRE_F16: // a random fraction and sign, and an exponent from 2^-8 to 2^-1
      bits = (random & 0x83ff) | (7 + (random >> 16 & 7)) << 10;
      break;
    case NACRE_F8E4M3FN:
    case NACRE_F8E4M3FNUZ:
    case NACRE_F8E5M2:
    case NACRE_F8E5M2FNUZ: // values below 2, and never the code of NaN
      bits = (random & 0x97) | 0x28;
      break;
    case NACRE_F8E8M0: // 2^-7 to 1
      bits = 127 - (random & 7);
      break;
    case NACRE_U8:
    case NACRE_I8:
    case NACRE_U4: // packed types may have any bytes
    case NACRE_I4:
    case NACRE_F4E2M1:
    case NACRE_U2:
    case NACRE_I2:
      bits = random;
      break;
    default:
      break;
    }
    std::memcpy(static_cast<char *>(port.data) + i * width, &bits, width);
  }
}

std::string quotedNames(const std::vector<Port> &ports) {
  std::string names;
  for (const Port &port : ports)
    names += (names.empty() ? "'" : ", '") + printableText(port.name) + "'";
  return names.empty() ? "none" : names;
}

template <typename T> bool fillWith(Port &port, double number) {
  const T value = static_cast<T>(number);
  for (size_t i = 0; i < port.tensor.count; ++i)
    std::memcpy(static_cast<char *>(port.data) + i * sizeof(T), &value, sizeof(T));
  return static_cast<double>(value) == number || std::is_floating_point_v<T>;
}

bool fillWithNumber(Port &port, double number) {
  constexpr double most = 9007199254740992; // 2^53: larger integers are not exact in f64
  if (!(std::fabs(number) <= most) && isInteger(port.tensor.type))
    return false;
  switch (port.tensor.type) {
  case NACRE_F32:
    return fillWith<float>(port, number);
  case NACRE_F64:
    return fillWith<double>(port, number);
  case NACRE_I64:
    return fillWith<int64_t>(port, number);
  case NACRE_I32:
    return std::fabs(number) <= INT32_MAX && fillWith<int32_t>(port, number);
  case NACRE_BOOL:
    return (number == 0 || number == 1) && fillWith<uint8_t>(port, number);
  default:
    return false;
  }
}

} // namespace

Port *splitNamed(const std::string &text, std::vector<Port> &ports, std::string &rest) {
  Port *port = nullptr;
  for (Port &candidate : ports) {
    const size_t length = candidate.name.size();
    const bool matches = text.compare(0, length, candidate.name) == 0 && text.size() > length && text[length] == '=';
    if (matches && (!port || length > port->name.size()))
      port = &candidate;
  }
  if (port)
    rest = text.substr(port->name.size() + 1);
  return port;
}

static Failure unknownName(const std::string &text, const char *option, const char *form,
                           const std::vector<Port> &ports) {
  return usageFailure(std::string(option) + " must be " + form + " with one of the names " + quotedNames(ports) +
                      ", but is '" + text + "'");
}

Outcome splitNamedFile(const std::string &text, const char *option, std::vector<Port> &ports, Port *&port,
                       std::string &file) {
  port = splitNamed(text, ports, file);
  return port ? std::nullopt : Outcome(unknownName(text, option, "NAME=FILE", ports));
}

Outcome setNumber(const std::string &text, std::vector<Port> &ports) {
  std::string digits;
  Port *port = splitNamed(text, ports, digits);
  if (!port)
    return unknownName(text, "--set", "NAME=NUMBER", ports);
  char *end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != 0 || !fillWithNumber(*port, number))
    return usageFailure("--set=" + printableText(port->name) + " must be a number that " +
                        describe(port->tensor.type, port->tensor.dims) + " has, but is '" + digits + "'");
  return std::nullopt;
}

/// Reads a file into the port that `text` names. `what` is the kind of the ports, for messages.
static Outcome fillFromFile(const std::string &text, const char *option, const char *what, std::vector<Port> &ports) {
  Port *port;
  std::string path;
  FileTensor tensor;
  if (Outcome failure = splitNamedFile(text, option, ports, port, path))
    return failure;
  if (Outcome failure = readTensorLike(port->tensor, path, tensor))
    return failure;
  if (tensor.view.type != port->tensor.type || tensor.view.dims != port->tensor.dims)
    return usageFailure(what + (" '" + printableText(port->name)) + "' must be " +
                        describe(port->tensor.type, port->tensor.dims) + ", but '" + path + "' holds " +
                        describe(tensor.view.type, tensor.view.dims));
  if (tensor.view.count != 0)
    std::memcpy(port->data, tensor.view.data, tensor.view.bytes());
  return std::nullopt;
}

Outcome loadStateFiles(ModelSession &session, const Options &options) {
  if (!options.resumeFile.empty())
    if (Outcome failure = session.loadState(options.resumeFile, NACRE_STATE_ALL))
      return failure;
  if (!options.weightsFile.empty())
    return session.loadState(options.weightsFile, NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC);
  return std::nullopt;
}

static Outcome fillStates(ModelSession &session, const Options &options) {
  if (options.states.empty())
    return std::nullopt;
  // States without a file keep their values.
  if (Outcome failure = session.readStates())
    return failure;
  for (const std::string &text : options.states)
    if (Outcome failure = fillFromFile(text, "--state", "state", session.states))
      return failure;
  return session.writeStates();
}

/// Reads the file of --input. Sets `media` to its kind if it is not an array.
static Outcome fillInput(const std::string &text, std::vector<Port> &inputs, const Options &options, MediaFiller filler,
                         Media &media) {
  Port *port;
  std::string path;
  if (Outcome failure = splitNamedFile(text, "--input", inputs, port, path))
    return failure;
  MappedFile file;
  if (filler) {
    if (Outcome failure = file.open(path))
      return failure;
    media = findMedia(file.bytes());
  }
  if (media.kind != MediaKind::None)
    return filler(*port, media, file.bytes(), path, options);
  return fillFromFile(text, "--input", "input", inputs);
}

/// Reports an error if there are options about pictures or sounds, but no such inputs.
static Outcome checkMediaOptions(const Options &options, bool hasPicture, bool hasSound) {
  if (!options.media.pictureOption.empty() && !hasPicture)
    return usageFailure(options.media.pictureOption + " is about pictures, but no --input is a JPEG or PNG file");
  if (options.media.rate && !hasSound)
    return usageFailure("--rate is about sounds, but no --input is a WAV file");
  return std::nullopt;
}

Outcome fillPorts(std::vector<Port> &inputs, const Options &options, MediaFiller filler) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint64_t state = options.seed * 1000 + i;
    fillFromSeed(inputs[i], nextRandom(state));
  }
  for (const std::string &text : options.sets)
    if (Outcome failure = setNumber(text, inputs))
      return failure;
  bool hasPicture = false, hasSound = false;
  for (const std::string &text : options.inputs) {
    Media media;
    if (Outcome failure = fillInput(text, inputs, options, filler, media))
      return failure;
    hasPicture |= media.isPicture();
    hasSound |= media.kind == MediaKind::Wav;
  }
  return checkMediaOptions(options, hasPicture, hasSound);
}

Outcome fillInputs(ModelSession &session, const Options &options, MediaFiller filler) {
  if (Outcome failure = fillPorts(session.inputs, options, filler))
    return failure;
  if (Outcome failure = loadStateFiles(session, options))
    return failure;
  return fillStates(session, options);
}

} // namespace nacre::run
