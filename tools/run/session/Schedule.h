// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the learning rate from step to step. The rate is an input of the entry `train`, so a model contains no
// schedule. A schedule is a factor for the given rate. It depends only on the step and on the number of all steps.

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
    Cosine // half a cosine wave, from 1 down to `least` at the last step
  };
  Kind kind = Kind::Constant;
  double every = 1, factor = 0.1, least = 0;
  double warmup = 0; // number of steps at the beginning in which the rate grows linearly from 0
};

/// Parses a schedule; returns nullopt if the text is invalid.
std::optional<Schedule> parseSchedule(std::string_view text);

/// Returns the factor in the step `step` (counted from 0) of `steps` steps.
double factorAt(const Schedule &schedule, uint64_t step, uint64_t stepsPerEpoch, uint64_t steps);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_SCHEDULE_H
