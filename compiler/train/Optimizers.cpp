// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Optimizers.h.

#include "compiler/train/Optimizers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::train {

SmallVector<StringRef> momentsOf(const Optimizer &optimizer) {
  switch (optimizer.kind) {
  case Optimizer::Kind::Sgd:
    return optimizer.momentum != 0 ? SmallVector<StringRef>{"#momentum"} : SmallVector<StringRef>{};
  case Optimizer::Kind::Adam:
  case Optimizer::Kind::AdamW:
    return {"#m", "#v"};
  case Optimizer::Kind::RmsProp:
    return optimizer.momentum != 0 ? SmallVector<StringRef>{"#v", "#momentum"} : SmallVector<StringRef>{"#v"};
  case Optimizer::Kind::Adagrad:
    return {"#v"};
  case Optimizer::Kind::None:
    return {};
  }
  llvm_unreachable("every optimizer keeps something or nothing");
}

bool correctsBySteps(const Optimizer &optimizer) {
  return optimizer.kind == Optimizer::Kind::Adam || optimizer.kind == Optimizer::Kind::AdamW;
}

/// Returns 1 - beta^step as -expm1(step * log(beta)). Elu computes expm1 for negative values. If the power is close to
/// 1, subtracting it from 1 would lose digits. f64 would have enough digits, but GPUs lack f64 functions.
static Value writeCorrection(Writer &w, double beta, Value step, Type elementType) {
  const double exponent = std::max(std::log(beta), -200.0); // e^-200 is 0 in f32, like a power of beta = 0.
  // `step` is clamped, because not every GPU converts 64-bit integers. After 2^30 steps, no correction changes. Only an
  // app can write a count below 1. Such a count would make the correction zero or negative, and so all weights NaN.
  Value counted = w.binary(nn::BinaryKind::Max, w.binary(nn::BinaryKind::Min, step, double(1 << 30)), 1);
  Value number = w.convert(w.convert(counted, w.getBuilder().getI32Type()), elementType);
  return w.neg(w.unary(nn::UnaryKind::Elu, w.mul(number, exponent), /*alpha=*/1));
}

void writeCorrections(Writer &w, const Optimizer &optimizer, Value step, Type elementType, StepNumbers &numbers) {
  numbers.correction1 = writeCorrection(w, optimizer.beta1, step, elementType);
  numbers.correction2 = writeCorrection(w, optimizer.beta2, step, elementType);
}

/// Returns factor * old + (1 - factor) * now, a moving average.
static Value average(Writer &w, double factor, Value old, Value now) {
  return w.add(w.mul(old, factor), w.mul(now, 1 - factor));
}

static Value stepBy(Writer &w, const StepNumbers &numbers, Value weight, Value direction) {
  return w.sub(weight, w.mul(direction, numbers.rate));
}

Value writeUpdate(Writer &w, const Optimizer &optimizer, const StepNumbers &numbers, Value weight, Value gradient,
                  MutableArrayRef<Value> moments) {
  if (optimizer.kind == Optimizer::Kind::AdamW)
    weight = w.sub(weight, w.mul(weight, w.mul(numbers.rate, optimizer.weightDecay)));
  else if (optimizer.weightDecay != 0)
    gradient = w.add(gradient, w.mul(weight, optimizer.weightDecay));
  switch (optimizer.kind) {
  case Optimizer::Kind::Sgd: {
    if (moments.empty())
      return stepBy(w, numbers, weight, gradient);
    moments[0] = w.add(w.mul(moments[0], optimizer.momentum), gradient);
    return stepBy(w, numbers, weight,
                  optimizer.nesterov ? w.add(gradient, w.mul(moments[0], optimizer.momentum)) : moments[0]);
  }
  case Optimizer::Kind::Adam:
  case Optimizer::Kind::AdamW: {
    moments[0] = average(w, optimizer.beta1, moments[0], gradient);
    moments[1] = average(w, optimizer.beta2, moments[1], w.square(gradient));
    Value scale = w.add(w.div(w.sqrt(moments[1]), w.sqrt(numbers.correction2)), optimizer.epsilon);
    return w.sub(weight, w.mul(w.div(moments[0], scale), w.div(numbers.rate, numbers.correction1)));
  }
  case Optimizer::Kind::RmsProp: {
    moments[0] = average(w, optimizer.decay, moments[0], w.square(gradient));
    Value direction = w.div(gradient, w.add(w.sqrt(moments[0]), optimizer.epsilon));
    if (moments.size() == 1)
      return stepBy(w, numbers, weight, direction);
    moments[1] = w.add(w.mul(moments[1], optimizer.momentum), direction);
    return stepBy(w, numbers, weight, moments[1]);
  }
  case Optimizer::Kind::Adagrad:
    moments[0] = w.add(moments[0], w.square(gradient));
    return stepBy(w, numbers, weight, w.div(gradient, w.add(w.sqrt(moments[0]), optimizer.epsilon)));
  case Optimizer::Kind::None:
    break;
  }
  llvm_unreachable("what updates nothing is not asked to");
}

} // namespace nacre::train
