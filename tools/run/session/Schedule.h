// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how the learning rate changes from step to step.
// Why:   the rate is an input of a step, so that no schedule is compiled into a model.
// How:   a factor of the rate that was set, of the step and of how many there will be; it remembers nothing.

#ifndef NACRE_TOOLS_RUN_SESSION_SCHEDULE_H
#define NACRE_TOOLS_RUN_SESSION_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace nacre::run {

/// `<kind>[:<number>=<value>,...]`
struct Schedule {
  enum class Kind {
    Constant,
    Step,  // times `factor` after every `every` epochs
    Cosine // half a wave, down to `least` at the last step
  };
  Kind kind = Kind::Constant;
  double every = 1, factor = 0.1, least = 0;
  double warmup = 0; // steps of a straight way up from 0, before all else
};

/// Nothing where the words mean none.
std::optional<Schedule> parseSchedule(std::string_view text);

/// Of step number `step`, counted from 0, of `steps`.
double factorAt(const Schedule &schedule, uint64_t step, uint64_t stepsPerEpoch, uint64_t steps);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_SCHEDULE_H
