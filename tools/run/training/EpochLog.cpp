// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints epochs, and writes them as JSON.

#include "tools/run/training/EpochLog.h"

#include "dialects/Count.h"
#include "dialects/OutputFile.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>

namespace nacre::run {
namespace {

std::string format(const char *pattern, double a, double b = 0) {
  char text[120];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

/// Returns text such as "test loss 0.03, accuracy 0.99".
std::string describe(const Tally &tally, const char *which) {
  std::string skipped = tally.skipped ? describeCount(tally.skipped, "step") + " skipped" : "";
  if (!tally.runs && tally.skipped)
    return skipped;
  std::string text = which + format("loss %.6g", tally.loss());
  if (tally.counted)
    text += which == std::string() ? format(", accuracy %.4f", tally.accuracy())
                                   : ", " + (which + format("accuracy %.4f", tally.accuracy()));
  if (tally.norms)
    text += format(", gradient norm %.4g (at most %.4g)", tally.norm(), tally.largestNorm);
  if (tally.skipped)
    text += ", " + skipped;
  return text;
}

/// Returns the text of a member that follows others in a JSON object. JSON has neither infinity nor NaN, so they become
/// null.
std::string member(const std::string &name, double value) {
  return ", \"" + name + "\": " + (std::isfinite(value) ? format("%.9g", value) : "null");
}

std::string jsonOf(const Tally &tally, const std::string &prefix) {
  std::string text = member(prefix + "loss", tally.loss());
  if (tally.counted)
    text += member(prefix + "accuracy", tally.accuracy());
  if (tally.norms)
    text += member("gradient_norm", tally.norm()) + member("largest_gradient_norm", tally.largestNorm);
  if (tally.maySkip)
    text += ", \"skipped_steps\": " + std::to_string(tally.skipped);
  return text;
}

/// Returns the peak memory of this process in bytes.
long long peakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024LL * usage.ru_maxrss;
}

} // namespace

EpochLog::~EpochLog() {
  clearProgress();
  if (file)
    std::fclose(file);
}

Outcome EpochLog::open(const std::string &to, bool appends) {
  if (to.empty())
    return std::nullopt;
  path = to;
  const int opened = openLog(to, appends);
  file = opened < 0 ? nullptr : fdopen(opened, appends ? "a" : "w");
  if (!file)
    return usageFailure("cannot write '" + to + "': " + std::strerror(errno));
  return std::nullopt;
}

Outcome EpochLog::writeLine(const std::string &json) {
  if (file && (std::fprintf(file, "%s\n", json.c_str()) < 0 || std::fflush(file) != 0))
    return usageFailure("cannot write '" + path + "': " + std::strerror(errno));
  return std::nullopt;
}

double EpochLog::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void EpochLog::clearProgress() {
  if (isShown)
    std::fprintf(stderr, "\r\033[K");
  isShown = false;
}

Outcome EpochLog::test(uint64_t done, const Tally &tested) {
  std::printf("%s\n", describe(tested, "test ").c_str());
  std::fflush(stdout);
  return writeLine("{\"epoch\": " + std::to_string(done) + jsonOf(tested, "test_") + "}");
}

void EpochLog::beginEpoch(uint64_t number, uint64_t of, uint64_t stepCount) {
  epoch = number;
  epochs = of;
  steps = stepCount;
  begin = shown = std::chrono::steady_clock::now();
}

void EpochLog::showProgress(uint64_t step, const Tally &tally) {
  static const bool isTerminal = isatty(STDERR_FILENO) != 0;
  constexpr auto pause = std::chrono::milliseconds(500);
  const auto now = std::chrono::steady_clock::now();
  if (!isTerminal || now - shown < pause)
    return;
  shown = now;
  std::fprintf(stderr, "\r\033[Kepoch %llu of %llu, step %llu of %llu: %s", static_cast<unsigned long long>(epoch),
               static_cast<unsigned long long>(epochs), static_cast<unsigned long long>(step),
               static_cast<unsigned long long>(steps), describe(tally, "").c_str());
  isShown = true;
}

Outcome EpochLog::endEpoch(uint64_t step, const Tally &tally, const Tally *tested, double rate) {
  clearProgress();
  const double taken = seconds();
  std::string line = "epoch " + std::to_string(epoch) + " of " + std::to_string(epochs);
  if (step % steps != 0)
    line += ", to step " + std::to_string(step % steps) + " of " + std::to_string(steps);
  line += ": " + describe(tally, "");
  if (tested)
    line += ", " + describe(*tested, "test ");
  std::printf("%s, learning rate %.6g, %.1f s\n", line.c_str(), rate, taken);
  std::fflush(stdout);
  std::string json = "{\"epoch\": " + std::to_string(epoch) + ", \"step\": " + std::to_string(step) + jsonOf(tally, "");
  if (tested)
    json += jsonOf(*tested, "test_");
  return writeLine(json + format(", \"learning_rate\": %.7g, \"seconds\": %.6f", rate, taken) +
                   ", \"peak_memory_bytes\": " + std::to_string(peakMemory()) + "}");
}

} // namespace nacre::run
