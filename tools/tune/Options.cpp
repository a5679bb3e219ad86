// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tune/Options.h"
#include "tools/NearestName.h"
#include "tools/phone/Phone.h"

#include <charconv>
#include <climits>

namespace nacre::tune {

using tools::Outcome;
using tools::usageFailure;

const char *const kHelp =
    R"(OVERVIEW: Measures the cores and the GPU of this machine, or of an Android
phone, and writes a device profile for nacre-compile.

USAGE: nacre-tune --base=<profile.json> [options]

OPTIONS:

Profile:

  --base=<file>         Profile of a similar device; it supplies all figures
                        that are not measured
  -o <file>             Profile to write (default: the standard output)

GPUs:

  --gpu=<auto|no|N>     auto: any GPU; no: none; N: device N of nacre-run
                        --list-devices, from 0 (default: auto)
  --kernels=<folder>    Folder of the GPU kernels compiled for the measured
                        machine (default: ../lib/nacre/tune next to the
                        program, of a phone ../lib/nacre/<target>/tune)

Phones:
An Android phone that adb reaches is measured by nacre-try, which is copied to
it with the kernels, and removed afterwards.

  --device=<adb[:serial]>
                        Measure this phone (default serial: the only phone)

General:

  --help                Print this text
  --version             Print the version

EXAMPLES
  nacre-tune --base=/usr/share/nacre/devices/snapdragon-778g.json -o mine.json
      measure for a few seconds; run nothing else meanwhile
  nacre-compile model.onnx --place=auto --device=mine.json
      place a model with this profile
  nacre-tune --base=mine.json --device=adb -o phone.json
      measure the Android phone that adb reaches; what is not measured is
      from the profile of a phone with a similar GPU

EXIT STATUS
  0  the profile is written
  2  the command line is wrong, a file cannot be read or written, the
     requested GPU cannot be measured, or there is no phone for --device
  3  a command of adb, or the measurement on the phone, failed
  4  memory ran out
  130  Ctrl-C ended --device
)";

namespace {

Outcome parseGpu(const std::string &value, Options &options) {
  options.gpu = -1;
  if (value == "auto")
    return std::nullopt;
  if (value == "no") {
    options.gpu = std::nullopt;
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *options.gpu);
  if (error != std::errc() || end != value.data() + value.size() || *options.gpu < 0 || *options.gpu == INT_MAX)
    return usageFailure("--gpu must be auto, no or the number of a device, but is '" + value + "'");
  return std::nullopt;
}

Outcome parseDevice(const std::string &value, Options &options) {
  options.onPhone = phone::parseDevice(value, options.phoneSerial);
  return options.onPhone ? std::nullopt
                         : Outcome(usageFailure("--device must be adb or adb:<serial>, but is '" + value + "'"));
}

Outcome parseKernels(const std::string &value, Options &options) {
  options.kernels = value;
  return value.empty() ? Outcome(usageFailure("--kernels must be a folder, but is ''")) : std::nullopt;
}

struct Row {
  const char *name;
  Outcome (*store)(const std::string &value, Options &options);
};

constexpr Row kRows[] = {
    {"base", [](const std::string &v, Options &o) { return o.basePath = v, Outcome(); }},
    {"gpu", parseGpu},
    {"kernels", parseKernels},
    {"device", parseDevice},
};

Outcome parseWord(const std::string &word, Options &options) {
  if (word.rfind("--", 0) != 0)
    return usageFailure("unexpected argument '" + word + "'; see --help");
  const size_t equals = word.find('=');
  const std::string name = word.substr(2, equals - 2);
  for (const Row &row : kRows)
    if (name == row.name && equals != word.npos)
      return row.store(word.substr(equals + 1), options);
  return usageFailure(tools::unknownOption(name, {"base", "gpu", "kernels", "device", "help", "version"}));
}

} // namespace

Outcome parseOptions(int count, char **words, Options &options) {
  for (int i = 1; i < count && !options.help && !options.version; ++i) {
    const std::string word = words[i];
    options.help = word == "--help";
    options.version = word == "--version";
    if (word == "-o" && i + 1 < count)
      options.outputPath = words[++i];
    else if (!options.help && !options.version)
      if (Outcome failure = parseWord(word, options))
        return failure;
  }
  if (options.help || options.version)
    return std::nullopt;
  if (options.basePath.empty())
    return usageFailure("--base=<profile.json> is required: it supplies the figures that are not measured; see --help");
  return options.outputPath.empty() ? Outcome(usageFailure("-o must be a file, but is ''")) : std::nullopt;
}

} // namespace nacre::tune
