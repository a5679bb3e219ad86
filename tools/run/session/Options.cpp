// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Options.h. A table lists the options, each with a function that stores its value.

#include "tools/run/session/Options.h"
#include "tools/NearestName.h"
#include "tools/phone/Phone.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace nacre::run {

namespace {

template <typename T> bool parseNumber(std::string_view text, T &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parsePositive(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == 0 && std::isfinite(value) && value >= 0;
}

/// Modes to which an option belongs. Options of different modes cannot be combined.
enum class About { Both, Runs, Training };

/// Handling of an option, and of the file that it names, with --device.
enum class OnPhone {
  Here,   ///< Done by this program, before or after the run.
  There,  ///< Passed to nacre-try.
  Sent,   ///< The file is copied to the phone, and nacre-try reads it.
  Refused ///< Only possible without --device.
};

struct Row {
  const char *name;
  OnPhone phone;
  const char *value; // expected value in messages; nullptr for a flag
  bool (*store)(Options &, const std::string &);
  About about = About::Both;
  bool mayBeFlag = false; // true if the value is optional; the next argument is then never the value
};

constexpr const char *kScheduleForm =
    "constant, step:every=<epochs>,factor=<X> or cosine:least=<X>, each with an optional warmup=<steps>";

bool storeSchedule(Options &options, const std::string &value) {
  const std::optional<Schedule> schedule = parseSchedule(value);
  options.training.schedule = schedule.value_or(Schedule());
  return schedule.has_value();
}

constexpr Row kRows[] = {
    {"input", OnPhone::Here, "NAME=FILE", [](Options &o, const std::string &v) { return o.inputs.push_back(v), true; }},
    {"set", OnPhone::Here, "NAME=NUMBER", [](Options &o, const std::string &v) { return o.sets.push_back(v), true; }},
    {"state", OnPhone::Refused, "NAME=FILE", [](Options &o, const std::string &v) { return o.states.push_back(v), true; }, About::Runs},
    {"resume", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.resumeFile = v, !v.empty(); }},
    {"weights", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.weightsFile = v, !v.empty(); }},
    {"weights-file", OnPhone::Sent, "a file", [](Options &o, const std::string &v) { return o.apartFile = v, !v.empty(); }},
    {"save", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.saveFile = v, !v.empty(); }},
    {"expect", OnPhone::Here, "NAME=FILE", [](Options &o, const std::string &v) { return o.expects.push_back(v), true; }, About::Runs},
    {"output", OnPhone::Here, "a folder", [](Options &o, const std::string &v) { return o.outputFolder = v, !v.empty(); },
     About::Runs},
    {"save-inputs", OnPhone::Here, "a folder", [](Options &o, const std::string &v) { return o.inputsFolder = v, !v.empty(); },
     About::Runs},
    {"resize", OnPhone::Here, "a size in pixels, 256 or 320x240",
     [](Options &o, const std::string &v) { return o.media.parseResize(v); }, About::Runs},
    {"crop", OnPhone::Here, nullptr, [](Options &o, const std::string &) { return o.media.parseCrop(); }, About::Runs},
    {"mean", OnPhone::Here, "a number, or three with commas", [](Options &o, const std::string &v) { return o.media.parseMean(v); },
     About::Runs},
    {"std", OnPhone::Here, "a number above 0, or three with commas",
     [](Options &o, const std::string &v) { return o.media.parseStd(v); }, About::Runs},
    {"range", OnPhone::Here, "a number above 0", [](Options &o, const std::string &v) { return o.media.parseRange(v); }, About::Runs},
    {"layout", OnPhone::Here, "nchw or nhwc", [](Options &o, const std::string &v) { return o.media.parseLayout(v); }, About::Runs},
    {"channels", OnPhone::Here, "rgb, bgr or gray", [](Options &o, const std::string &v) { return o.media.parseChannels(v); },
     About::Runs},
    {"rate", OnPhone::Here, "a whole number of samples per second, at least 1",
     [](Options &o, const std::string &v) { return o.media.parseRate(v); }, About::Runs},
    {"rtol", OnPhone::Here, "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.relative); }, About::Runs},
    {"atol", OnPhone::Here, "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.absolute); }, About::Runs},
    {"seed", OnPhone::Here, "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.seed); }},
    {"threads", OnPhone::There, "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.threads); }},
    {"max-iterations", OnPhone::There, "a whole number",
     [](Options &o, const std::string &v) { return parseNumber(v, o.maxIterations); }},
    {"runs", OnPhone::There, "a whole number, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.runs) && o.runs; }, About::Runs},
    {"min-seconds", OnPhone::There, "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.minSeconds); }, About::Runs},
    {"evict", OnPhone::There, "a whole number of MiB, at most 65536",
     [](Options &o, const std::string &v) { return parseNumber(v, o.evictMebibytes) && o.evictMebibytes <= 65536; },
     About::Runs},
    {"entry", OnPhone::Here, "a name", [](Options &o, const std::string &v) { return o.entry = v, !v.empty(); }, About::Runs},
    {"trace", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.traceFile = v, !v.empty(); }, About::Runs},
    {"gpu", OnPhone::There, nullptr, [](Options &o, const std::string &) { return o.gpu = true; }},
    {"gpu-cut", OnPhone::There, "a whole number of percent, 0 to 100",
     [](Options &o, const std::string &v) {
       o.gpu = parseNumber(v, o.gpuCut) && o.gpuCut <= 100;
       o.gpuCut = NACRE_GPU_CUT(o.gpuCut);
       return o.gpu;
     }},
    {"gpu-device", OnPhone::There, "a whole number",
     [](Options &o, const std::string &v) {
       o.gpu = parseNumber(v, o.gpuDevice) && o.gpuDevice < UINT32_MAX;
       ++o.gpuDevice;
       return o.gpu;
     }},
    {"gpu-sequential", OnPhone::There, nullptr, [](Options &o, const std::string &) { return o.gpu = o.gpuSequential = true; }},
    {"gpu-self-test", OnPhone::There, nullptr, [](Options &o, const std::string &) { return o.gpu = o.gpuSelfTest = true; }},
    {"tune", OnPhone::There, "a whole number of milliseconds, at least 1",
     [](Options &o, const std::string &v) {
       return o.gpu = parseNumber(v, o.tuneMilliseconds) && o.tuneMilliseconds > 0;
     }},
    {"cache", OnPhone::Refused, "a folder", [](Options &o, const std::string &v) { return o.cacheFolder = v, !v.empty(); }},
    {"list-devices", OnPhone::Refused, nullptr, [](Options &o, const std::string &) { return o.listDevices = true; }, About::Runs},
    {"info", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.infoFile = v, o.info = true; }, About::Runs,
     true},
    {"benchmark", OnPhone::There, nullptr, [](Options &o, const std::string &) { return o.benchmark = true; }, About::Runs},
    {"device", OnPhone::Here, "adb or adb:<serial>", [](Options &o, const std::string &v) { return o.onPhone = phone::parseDevice(v, o.phoneSerial); }, About::Runs},
    {"report", OnPhone::Here, "a file", [](Options &o, const std::string &v) { return o.reportFile = v, !v.empty(); }, About::Runs},
    {"profile", OnPhone::Here, "a file", [](Options &o, const std::string &v) { return o.profileFile = v, o.profile = true; },
     About::Runs, true},
    {"train", OnPhone::Refused, nullptr, [](Options &o, const std::string &) { return o.train = true; }},
    {"label", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.training.labels.push_back(v), !v.empty(); },
     About::Training},
    {"epochs", OnPhone::Refused, "a whole number, at most 2^30",
     [](Options &o, const std::string &v) {
       return parseNumber(v, o.training.epochs) && o.training.epochs <= 1u << 30;
     },
     About::Training},
    {"test-input", OnPhone::Refused, "NAME=FILE",
     [](Options &o, const std::string &v) { return o.training.testInputs.push_back(v), true; }, About::Training},
    {"test-label", OnPhone::Refused, "a file",
     [](Options &o, const std::string &v) { return o.training.testLabels.push_back(v), !v.empty(); }, About::Training},
    {"schedule", OnPhone::Refused, kScheduleForm, storeSchedule, About::Training},
    {"accumulate", OnPhone::Refused, "a whole number, 1 to 2^30",
     [](Options &o, const std::string &v) {
       return parseNumber(v, o.training.accumulate) && o.training.accumulate && o.training.accumulate <= 1u << 30;
     },
     About::Training},
    {"order", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.training.orderFile = v, !v.empty(); },
     About::Training},
    {"batch-axis", OnPhone::Refused, "NAME:AXIS",
     [](Options &o, const std::string &v) { return o.training.batchAxes.push_back(v), true; }, About::Training},
    {"steps", OnPhone::Refused, "a whole number, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.training.steps) && o.training.steps; },
     About::Training},
    {"save-every", OnPhone::Refused, "a whole number of steps, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.training.saveEvery) && o.training.saveEvery; },
     About::Training},
    {"log", OnPhone::Refused, "a file", [](Options &o, const std::string &v) { return o.training.logFile = v, !v.empty(); },
     About::Training},
    {"help", OnPhone::Here, nullptr, [](Options &o, const std::string &) { return o.help = true; }},
    {"version", OnPhone::Here, nullptr, [](Options &o, const std::string &) { return o.version = true; }},
};

const Row *findRow(std::string_view name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::vector<std::string> optionNames() {
  std::vector<std::string> names;
  for (const Row &row : kRows)
    names.emplace_back(row.name);
  return names;
}

} // namespace

Outcome parseOptions(int count, char **arguments, Options &options) {
  bool sawSeconds = false;
  std::vector<const Row *> seen;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.substr(0, 2) != "--") {
      if (!options.library.empty())
        return usageFailure("there must be one library, but there is also '" + std::string(argument) + "'");
      options.library = argument;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name(argument.substr(2, equals == argument.npos ? equals : equals - 2));
    const Row *row = findRow(name);
    if (!row)
      return usageFailure(nacre::tools::unknownOption(name, optionNames()));
    std::string value;
    if (equals != argument.npos)
      value = argument.substr(equals + 1);
    else if (row->value && !row->mayBeFlag && i + 1 < count)
      value = arguments[++i];
    if (!row->value && equals != argument.npos)
      return usageFailure("--" + name + " takes no value");
    const bool isEmpty = row->mayBeFlag && equals != argument.npos && value.empty();
    if (isEmpty || !row->store(options, value))
      return usageFailure("--" + name + " must be " + row->value + ", but is '" + value + "'");
    sawSeconds |= name == "min-seconds";
    seen.push_back(row);
    if (row->phone == OnPhone::There)
      options.phoneWords.push_back("--" + name + (row->value ? "=" + value : ""));
    else if (row->phone == OnPhone::Sent)
      options.phoneWords.push_back("--" + name + "=" + kSentName);
  }
  if (options.onPhone)
    for (const Row *row : seen)
      if (row->phone == OnPhone::Refused)
        return usageFailure("--" + std::string(row->name) + " cannot be combined with --device");
  for (const Row *row : seen)
    if (row->about == (options.train ? About::Runs : About::Training))
      return usageFailure("--" + std::string(row->name) +
                          (options.train ? " cannot be combined with --train" : " requires --train"));
  if (!options.onPhone && !options.reportFile.empty())
    options.profile = true;
  if (options.runs != 0 && !sawSeconds)
    options.minSeconds = 0;
  if (options.library.empty() && !options.help && !options.version && !options.listDevices)
    return usageFailure("a library compiled by nacre-compile is required; see --help");
  return std::nullopt;
}

} // namespace nacre::run
