// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearningRate.h.

#include "tools/run/training/LearningRate.h"
#include "dialects/NumberText.h"

#include <cmath>
#include <cstring>

namespace nacre::run {

Outcome LearningRate::open(const ModelSession &stepper, const Schedule &schedule, bool isSet) {
  for (const Port &input : stepper.inputs)
    if (input.name == "learning_rate" && input.tensor.type == NACRE_F32 && input.tensor.count == 1)
      port = &input;
  if (port && !isSet)
    return usageFailure("--train requires a learning rate, as in --set=learning_rate=0.01");
  if (!port && schedule.kind != Schedule::Kind::Constant)
    return usageFailure("--schedule requires a model whose steps read a learning rate");
  if (!port)
    return std::nullopt;
  first = readElement(NACRE_F32, port->data, 0);
  if (!std::isfinite(first) || first < 0)
    return usageFailure("--set=learning_rate must be a number from 0 on, but is " + describeNumber(first));
  return std::nullopt;
}

void LearningRate::set(double factor) {
  if (!port)
    return;
  rate = first * factor;
  const auto narrow = static_cast<float>(rate);
  std::memcpy(port->data, &narrow, sizeof narrow);
}

} // namespace nacre::run
