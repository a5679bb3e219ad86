// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The learning rate of steps, which is an input of the model.

#ifndef NACRE_TOOLS_RUN_TRAINING_LEARNINGRATE_H
#define NACRE_TOOLS_RUN_TRAINING_LEARNINGRATE_H

#include "tools/run/session/ModelSession.h"
#include "tools/run/session/Schedule.h"

namespace nacre::run {

class LearningRate {
public:
  /// Finds the input, which has the first rate if the user sets it. Reports an error if a rate is missing, or if
  /// `schedule` would change the rate of a model that reads none.
  Outcome open(const ModelSession &stepper, const Schedule &schedule, bool isSet);

  /// Sets the rate of the next step to the first rate times `factor`.
  void set(double factor);

  /// Returns the rate of the latest step; 0 if the model reads none.
  double latest() const { return rate; }

private:
  const Port *port = nullptr;
  double first = 0, rate = 0;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_LEARNINGRATE_H
