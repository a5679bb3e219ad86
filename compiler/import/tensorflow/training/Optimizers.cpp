// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow's optimizers, by TensorFlow's formulas. Other frameworks differ, for example in the place at which they
// add epsilon.
//
// The reader turns assigned variables into values (saved/WrittenVariables.h). So the first operands are the variables
// before the step, and the results are the variables after it.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/graph/TrainedOperands.h"
#include "compiler/import/tensorflow/training/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

/// The variable and its slots.
using Variables = SmallVector<Value, 4>;

/// Operands of a formula: variables and scalars in the order of the node, and the gradient.
struct Step {
  OperandBinder &node;
  NnBuilder &nn;
  Variables variables;
  SmallVector<Value, 6> scalars;
  Value gradient;

  Value square(Value x) const { return nn.mul(x, x); }
  Value root(Value x) const { return nn.unary(UnaryKind::Sqrt, x); }
  Value oneMinus(Value x) const { return nn.sub(nn.scalar(x, 1), x); }
  /// Returns old + (target - old) * (1 - decay).
  Value decayTo(Value old, Value target, Value decay) const {
    return nn.add(old, nn.mul(nn.sub(target, old), oneMinus(decay)));
  }
  bool usesNesterov() const { return node.getFlag("use_nesterov", false); }
};

/// Operands: var, alpha, delta.
Variables stepGradientDescent(const Step &at) {
  return {at.nn.sub(at.variables[0], at.nn.mul(at.gradient, at.scalars[0]))};
}

/// Operands: var, accum, lr, grad, momentum.
Variables stepMomentum(const Step &at) {
  NnBuilder &nn = at.nn;
  Value rate = at.scalars[0], momentum = at.scalars[1];
  Value accumulated = nn.add(nn.mul(at.variables[1], momentum), at.gradient);
  Value step = at.usesNesterov() ? nn.add(at.gradient, nn.mul(accumulated, momentum)) : accumulated;
  return {nn.sub(at.variables[0], nn.mul(step, rate)), accumulated};
}

/// Operands: var, accum, lr, grad, momentum. The accumulator contains past steps, each multiplied by the learning rate
/// of its time.
Variables stepKerasMomentum(const Step &at) {
  NnBuilder &nn = at.nn;
  Value momentum = at.scalars[1], scaled = nn.mul(at.gradient, at.scalars[0]);
  Value accumulated = nn.sub(nn.mul(at.variables[1], momentum), scaled);
  Value step = at.usesNesterov() ? nn.sub(nn.mul(accumulated, momentum), scaled) : accumulated;
  return {nn.add(at.variables[0], step), accumulated};
}

/// Returns the learning rate with both corrections of Adam: rate * sqrt(1 - beta2_power) / (1 - beta1_power).
Value correctRate(const Step &at, Value rate, Value firstPower, Value secondPower) {
  return at.nn.div(at.nn.mul(rate, at.root(at.oneMinus(secondPower))), at.oneMinus(firstPower));
}

/// Operands: var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad.
Variables stepAdam(const Step &at) {
  NnBuilder &nn = at.nn;
  Value beta = at.scalars[3], epsilon = at.scalars[5];
  Value rate = correctRate(at, at.scalars[2], at.scalars[0], at.scalars[1]);
  Value mean = at.decayTo(at.variables[1], at.gradient, beta);
  Value squares = at.decayTo(at.variables[2], at.square(at.gradient), at.scalars[4]);
  Value step = at.usesNesterov() ? nn.add(nn.mul(mean, beta), nn.mul(at.gradient, at.oneMinus(beta))) : mean;
  return {nn.sub(at.variables[0], nn.div(nn.mul(step, rate), nn.add(at.root(squares), epsilon))), mean, squares};
}

/// Operands: var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad.
Variables stepAmsgrad(const Step &at) {
  NnBuilder &nn = at.nn;
  Value rate = correctRate(at, at.scalars[2], at.scalars[0], at.scalars[1]);
  Value mean = at.decayTo(at.variables[1], at.gradient, at.scalars[3]);
  Value squares = at.decayTo(at.variables[2], at.square(at.gradient), at.scalars[4]);
  Value largest = nn.binary(BinaryKind::Max, at.variables[3], squares);
  Value scale = nn.add(at.root(largest), at.scalars[5]);
  return {nn.sub(at.variables[0], nn.div(nn.mul(mean, rate), scale)), mean, squares, largest};
}

/// Operands: var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad.
Variables stepAdaMax(const Step &at) {
  NnBuilder &nn = at.nn;
  Value rate = nn.div(at.scalars[1], at.oneMinus(at.scalars[0]));
  Value mean = at.decayTo(at.variables[1], at.gradient, at.scalars[2]);
  Value largest =
      nn.binary(BinaryKind::Max, nn.mul(at.variables[2], at.scalars[3]), nn.unary(UnaryKind::Abs, at.gradient));
  Value step = nn.div(nn.mul(mean, rate), nn.add(largest, at.scalars[4]));
  return {nn.sub(at.variables[0], step), mean, largest};
}

/// Operands: var, accum, accum_update, lr, rho, epsilon, grad.
Variables stepAdadelta(const Step &at) {
  NnBuilder &nn = at.nn;
  Value decay = at.scalars[1], epsilon = at.scalars[2];
  Value squares = at.decayTo(at.variables[1], at.square(at.gradient), decay);
  Value ratio = nn.div(nn.add(at.variables[2], epsilon), nn.add(squares, epsilon));
  Value update = nn.mul(at.root(ratio), at.gradient);
  return {nn.sub(at.variables[0], nn.mul(update, at.scalars[0])), squares,
          at.decayTo(at.variables[2], at.square(update), decay)};
}

Value addSquares(const Step &at) {
  return at.node.getFlag("update_slots", true) ? at.nn.add(at.variables[1], at.square(at.gradient)) : at.variables[1];
}

/// Operands: var, accum, lr, grad.
Variables stepAdagrad(const Step &at) {
  Value squares = addSquares(at), step = at.nn.div(at.nn.mul(at.gradient, at.scalars[0]), at.root(squares));
  return {at.nn.sub(at.variables[0], step), squares};
}

/// Operands: var, accum, lr, epsilon, grad.
Variables stepAdagradV2(const Step &at) {
  NnBuilder &nn = at.nn;
  Value squares = addSquares(at);
  Value step = nn.div(nn.mul(at.gradient, at.scalars[0]), nn.add(at.root(squares), at.scalars[1]));
  return {nn.sub(at.variables[0], step), squares};
}

/// Returns the new momentum of RMSProp, whose scalars are lr, rho, momentum and epsilon.
Value moveByRoot(const Step &at, Value old, Value squares) {
  NnBuilder &nn = at.nn;
  Value step = nn.div(nn.mul(at.gradient, at.scalars[0]), at.root(nn.add(squares, at.scalars[3])));
  return nn.add(nn.mul(old, at.scalars[2]), step);
}

/// Operands: var, ms, mom, lr, rho, momentum, epsilon, grad.
Variables stepRmsProp(const Step &at) {
  Value squares = at.decayTo(at.variables[1], at.square(at.gradient), at.scalars[1]);
  Value momentum = moveByRoot(at, at.variables[2], squares);
  return {at.nn.sub(at.variables[0], momentum), squares, momentum};
}

/// Operands: var, mg, ms, mom, lr, rho, momentum, epsilon, grad.
Variables stepCenteredRmsProp(const Step &at) {
  Value mean = at.decayTo(at.variables[1], at.gradient, at.scalars[1]);
  Value squares = at.decayTo(at.variables[2], at.square(at.gradient), at.scalars[1]);
  Value momentum = moveByRoot(at, at.variables[3], at.nn.sub(squares, at.square(mean)));
  return {at.nn.sub(at.variables[0], momentum), mean, squares, momentum};
}

struct OptimizerRow {
  const char *op;
  Signature signature;
  Variables (*step)(const Step &);
};

const std::vector<OptimizerRow> &getRows() {
  auto floats = [](std::initializer_list<const char *> names) {
    SmallVector<OperandRule> rules;
    for (const char *name : names)
      rules.push_back({name, Holds::Floats, 'T'});
    return Signature(rules);
  };
  static const std::vector<OptimizerRow> rows = {
      {"ApplyGradientDescent", floats({"var", "alpha", "delta"}), stepGradientDescent},
      {"ApplyMomentum", floats({"var", "accum", "lr", "grad", "momentum"}), stepMomentum},
      {"ApplyKerasMomentum", floats({"var", "accum", "lr", "grad", "momentum"}), stepKerasMomentum},
      {"ApplyAdam", floats({"var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"}),
       stepAdam},
      {"ApplyAdamWithAmsgrad",
       floats({"var", "m", "v", "vhat", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"}),
       stepAmsgrad},
      {"ApplyAdaMax", floats({"var", "m", "v", "beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"}), stepAdaMax},
      {"ApplyAdadelta", floats({"var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"}), stepAdadelta},
      {"ApplyAdagrad", floats({"var", "accum", "lr", "grad"}), stepAdagrad},
      {"ApplyAdagradV2", floats({"var", "accum", "lr", "epsilon", "grad"}), stepAdagradV2},
      {"ApplyRMSProp", floats({"var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}), stepRmsProp},
      {"ApplyCenteredRMSProp", floats({"var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}),
       stepCenteredRmsProp},
  };
  return rows;
}

void importOptimizer(OperandBinder &node, const OptimizerRow &row) {
  node.ignore({"use_locking"});
  const size_t count = countTrainedOperands(row.op);
  Ints shape = getShape(node.getOperand(0));
  Step at{node, node.nn, {}, {}, {}};
  for (auto [index, rule] : llvm::enumerate(row.signature.getRules())) {
    Value operand = node.getOperand(index);
    const bool isGradient = rule.getName() == "grad" || rule.getName() == "delta";
    if (index < count || isGradient) {
      if (!node.checkShape(index, shape, "the shape of " + node.nameOf(0)))
        return;
      isGradient ? void(at.gradient = operand) : at.variables.push_back(operand);
      continue;
    }
    if (getType(operand).getNumElements() != 1) {
      node.error() << node.nameOf(index) << " must have one element, but is " << describe(operand);
      return;
    }
    at.scalars.push_back(node.nn.reshape(operand, {}));
  }
  for (auto [index, value] : llvm::enumerate(row.step(at)))
    node.setResult(index, value);
}

} // namespace

void registerOptimizers(ImportRegistry &registry) {
  for (const OptimizerRow &row : getRows())
    for (const std::string &op : {std::string(row.op), "Resource" + std::string(row.op)})
      registry.add(op, 1, row.signature, [&row](OperandBinder &node) { importOptimizer(node, row); });
}

} // namespace nacre::importer::tensorflow_format
