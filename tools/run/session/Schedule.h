// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the learning rate from step to step. The rate is an input of a step, so no schedule is compiled into a model.
// A schedule is a factor of the given rate, which depends only on the step and on the number of all steps.

#ifndef NACRE_TOOLS_RUN_SESSION_SCHEDULE_H
#define NACRE_TOOLS_RUN_SESSION_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace nacre::run {

/// A schedule: `<kind>[:<number>=<value>,...]`.
struct Schedule {
  enum class Kind {
    Constant,
    Step,  // multiplied by `factor` after every `every` epochs
    Cosine // half a wave, down to `least` at the last step
  };
  Kind kind = Kind::Constant;
  double every = 1, factor = 0.1, least = 0;
  double warmup = 0; // steps of a linear increase from 0, at the beginning
};

/// Parses a schedule; returns nullopt if the text is invalid.
std::optional<Schedule> parseSchedule(std::string_view text);

/// Returns the factor in step `step` (counted from 0) of `steps`.
double factorAt(const Schedule &schedule, uint64_t step, uint64_t stepsPerEpoch, uint64_t steps);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_SCHEDULE_H
