// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/ProgressLine.h"

#include "llvm/ADT/Twine.h"
#include <cmath>

using namespace llvm;

namespace nacre::tools {

static constexpr double kLeastSeconds = 2;

/// Returns a time as text, rounded so coarsely that a varying estimate does not change the text often.
static std::string rounded(double seconds) {
  if (seconds >= 100)
    return (Twine(std::lround(seconds / 60)) + " min").str();
  const int64_t step = seconds >= 20 ? 5 : 1;
  return (Twine(std::lround(seconds / double(step)) * step) + " s").str();
}

std::string ProgressLine::describe(Phase phase, unsigned done, unsigned total, Time now) {
  const auto since = [&](Time then) { return std::chrono::duration<double>(now - then).count(); };
  if (shown != phase || done == 0) {
    shown = phase;
    phaseBegin = now;
  }
  std::string text = phaseWord(phase).str();
  if (total)
    text += (" " + Twine(done) + "/" + Twine(total)).str();
  if (since(begin) >= kLeastSeconds)
    text += (", " + Twine(int64_t(since(begin))) + " s").str();
  const double inPhase = since(phaseBegin);
  if (inPhase >= kLeastSeconds && done >= 2 && done < total)
    text += ", about " + rounded(inPhase / done * (total - done)) + " left";
  return text;
}

bool ProgressLine::isTimeForLine(Time now) {
  if (now - lineBefore < std::chrono::seconds(30))
    return false;
  lineBefore = now;
  return true;
}

} // namespace nacre::tools
