// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adagrad, Adam and Momentum: they compute new values of tensors from gradients.
//
// The first operands are the learning rate and the number of steps. Then lists follow: the tensors, their gradients,
// and statistics of earlier steps. The results are the same lists without the gradients.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/training/Handlers.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format::training {
namespace {

/// A tensor with its gradient and its statistics.
struct Moved {
  Value x, gradient, rate;
  SmallVector<Value, 2> kept;
};

/// Function that updates one tensor. Returns the new tensor, and then its new statistics.
using Formula = llvm::function_ref<SmallVector<Value, 3>(const Moved &)>;

/// Applies the formula to each tensor, which has `numKept` statistics.
void moveAll(OperandBinder &node, size_t numKept, Formula formula) {
  NnBuilder &nn = node.nn;
  const size_t lists = 2 + numKept, number = (node.getNumOperands() - 2) / lists;
  for (size_t index : {0, 1})
    if (getType(node.getOperand(index)).getNumElements() != 1) {
      node.error() << node.nameOf(index) << " must have one element, but is " << describe(node.getOperand(index));
      return;
    }
  if (number * lists + 2 != node.getNumOperands()) {
    node.error() << "must have " << describeCount(lists, "operand") << " per tensor after the first two, but has "
                 << node.getNumOperands() - 2;
    return;
  }
  for (size_t tensor = 0; tensor < number; ++tensor) {
    auto operand = [&](size_t list) { return 2 + list * number + tensor; };
    Value x = node.getOperand(operand(0));
    for (size_t list = 0; list < lists; ++list) {
      Value other = node.getOperand(operand(list));
      if (other && x && other.getType() == x.getType())
        continue;
      node.error() << node.nameOf(operand(list)) << " must be like " << node.nameOf(operand(0)) << ", "
                   << (x ? describe(x) : "which is missing") << ", but is " << (other ? describe(other) : "left out");
      return;
    }
    Moved moved = {
        x, node.getOperand(operand(1)), nn.cast(nn.reshape(node.getOperand(0), /*shape=*/{}), getElementType(x)), {}};
    // The norm coefficient is a weight decay: it adds a multiple of the tensor to its gradient.
    if (double norm = node.getFloat("norm_coefficient", 0))
      moved.gradient = nn.add(nn.mul(x, norm), moved.gradient);
    for (size_t list = 2; list < lists; ++list)
      moved.kept.push_back(node.getOperand(operand(list)));
    for (auto [list, result] : llvm::enumerate(formula(moved)))
      node.setResult(list * number + tensor, result);
  }
}

/// Returns `first` in step 0, and `later` in all other steps.
Value byStep(OperandBinder &node, Value later, Value first) {
  Value step = node.nn.reshape(node.getOperand(1), /*shape=*/{});
  return node.nn.select(node.nn.binary(nn::BinaryKind::Greater, step, 0), later, first);
}

void importAdagrad(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const double decay = node.getFloat("decay_factor", 0), epsilon = node.getFloat("epsilon", 1e-6f);
  moveAll(node, 1, [&](const Moved &moved) -> SmallVector<Value, 3> {
    Value step = nn.cast(nn.reshape(node.getOperand(1), /*shape=*/{}), getElementType(moved.x));
    Value rate = nn.div(moved.rate, nn.add(nn.mul(step, decay), 1));
    Value squares = nn.add(moved.kept[0], nn.mul(moved.gradient, moved.gradient));
    Value scale = nn.add(nn.unary(nn::UnaryKind::Sqrt, squares), epsilon);
    return {nn.sub(moved.x, nn.div(nn.mul(moved.gradient, rate), scale)), squares};
  });
}

void importAdam(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const double alpha = node.getFloat("alpha", 0.9f), beta = node.getFloat("beta", 0.999f);
  const double epsilon = node.getFloat("epsilon", 1e-6f), post = node.getFloat("norm_coefficient_post", 0);
  // Returns 1 - power(base, step) in f64, because the difference would lose three digits in f32.
  auto correction = [&](double base) {
    Value step = nn.cast(nn.reshape(node.getOperand(1), /*shape=*/{}), nn.types().getF64Type());
    Value power = nn.unary(nn::UnaryKind::Exp, nn.mul(step, std::log(base)));
    return nn.sub(nn.scalar(power, 1), power);
  };
  moveAll(node, 2, [&](const Moved &moved) -> SmallVector<Value, 3> {
    Value square = nn.mul(moved.gradient, moved.gradient);
    Value mean = nn.add(nn.mul(moved.kept[0], alpha), nn.mul(moved.gradient, 1 - alpha));
    Value squares = nn.add(nn.mul(moved.kept[1], beta), nn.mul(square, 1 - beta));
    Value corrected = nn.div(nn.unary(nn::UnaryKind::Sqrt, correction(beta)), correction(alpha));
    Value rate = byStep(node, nn.mul(moved.rate, nn.cast(corrected, getElementType(moved.x))), moved.rate);
    Value scale = nn.add(nn.unary(nn::UnaryKind::Sqrt, squares), epsilon);
    Value next = nn.sub(moved.x, nn.mul(nn.div(mean, scale), rate));
    return {post == 0 ? next : nn.mul(next, 1 - post), mean, squares};
  });
}

void importMomentum(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 0);
  const bool isNesterov = node.getChoice("mode", {"standard", "nesterov"}) == "nesterov";
  moveAll(node, 1, [&](const Moved &moved) -> SmallVector<Value, 3> {
    Value share = byStep(node, nn.scalar(moved.x, beta), nn.scalar(moved.x, 1));
    Value velocity = nn.add(nn.mul(moved.kept[0], alpha), nn.mul(moved.gradient, share));
    Value step = isNesterov ? nn.add(moved.gradient, nn.mul(velocity, alpha)) : velocity;
    return {nn.sub(moved.x, nn.mul(step, moved.rate)), velocity};
  });
}

} // namespace

void registerOptimizers(ImportRegistry &registry) {
  const Signature signature = {{"R", Holds::Floats}, {"T", Holds::Indices}, {"inputs...", Holds::Floats}};
  registry.add("Adagrad", 1, signature, importAdagrad);
  registry.add("Adam", 1, signature, importAdam);
  registry.add("Momentum", 1, signature, importMomentum);
}

} // namespace nacre::importer::onnx_format::training
