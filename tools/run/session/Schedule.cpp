// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses schedules, and computes their factors.

#include "tools/run/session/Schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace nacre::run {
namespace {

/// Removes the text before `end`, and `end`, from `text`. Returns the text before `end`.
std::string_view takeUntil(std::string_view &text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view front = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return front;
}

bool readNumber(Schedule &schedule, std::string_view key, std::string_view value) {
  double Schedule::*field = nullptr;
  if (key == "warmup")
    field = &Schedule::warmup;
  else if (key == "every" && schedule.kind == Schedule::Kind::Step)
    field = &Schedule::every;
  else if (key == "factor" && schedule.kind == Schedule::Kind::Step)
    field = &Schedule::factor;
  else if (key == "least" && schedule.kind == Schedule::Kind::Cosine)
    field = &Schedule::least;
  if (!field)
    return false;
  const std::string digits(value);
  char *end = nullptr;
  schedule.*field = std::strtod(digits.c_str(), &end);
  const bool isWhole = field == &Schedule::warmup || field == &Schedule::every;
  const double number = schedule.*field;
  return !digits.empty() && *end == 0 && std::isfinite(number) && number >= 0 &&
         (!isWhole || number == std::floor(number)) && (field != &Schedule::every || number >= 1);
}

} // namespace

std::optional<Schedule> parseSchedule(std::string_view text) {
  Schedule schedule;
  const std::string_view kind = takeUntil(text, ':');
  if (kind == "step")
    schedule.kind = Schedule::Kind::Step;
  else if (kind == "cosine")
    schedule.kind = Schedule::Kind::Cosine;
  else if (kind != "constant")
    return std::nullopt;
  while (!text.empty()) {
    std::string_view value = takeUntil(text, ',');
    const std::string_view key = takeUntil(value, '=');
    if (!readNumber(schedule, key, value))
      return std::nullopt;
  }
  return schedule;
}

double factorAt(const Schedule &schedule, uint64_t step, uint64_t stepsPerEpoch, uint64_t steps) {
  const double done = static_cast<double>(step);
  if (done < schedule.warmup)
    return (done + 1) / schedule.warmup;
  switch (schedule.kind) {
  case Schedule::Kind::Constant:
    return 1;
  case Schedule::Kind::Step:
    return std::pow(schedule.factor,
                    std::floor(std::floor(done / static_cast<double>(stepsPerEpoch)) / schedule.every));
  case Schedule::Kind::Cosine: {
    const double length = static_cast<double>(steps) - schedule.warmup - 1;
    const double way = length > 0 ? std::min((done - schedule.warmup) / length, 1.0) : 0;
    return schedule.least + (1 - schedule.least) * (1 + std::cos(way * std::acos(-1.0))) / 2;
  }
  }
  return 1;
}

} // namespace nacre::run
