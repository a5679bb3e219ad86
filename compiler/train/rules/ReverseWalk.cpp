// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReverseWalk.h.

#include "compiler/train/rules/ReverseWalk.h"

#include "compiler/train/rules/GradientRules.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::train {

//===----------------------------------------------------------------------===//
// Active values
//===----------------------------------------------------------------------===//

/// Marks the active values in the bodies of a loop, whose arguments depend on values that the previous iteration
/// yields. Repeats until nothing changes.
void ActiveValues::followLoop(Operation *loop) {
  for (bool isNew = true; isNew;) {
    isNew = false;
    auto add = [&](Value value) { isNew |= isFloat(value) && values.insert(value).second; };
    for (Region &region : loop->getRegions())
      follow(region.front());
    auto carry = [&](ValueRange initial, ValueRange arguments, ValueRange finals, nn::YieldOp yield) {
      for (auto [first, argument, final, next] : llvm::zip(initial, arguments, finals, yield.getCarried()))
        if (contains(first) || contains(next)) {
          add(argument);
          add(final);
        }
    };
    if (auto counted = dyn_cast<nn::ForOp>(loop)) {
      for (auto [rows, argument] : llvm::zip(counted.getScanned(), counted.getScannedArguments()))
        if (contains(rows))
          add(argument);
      carry(counted.getInitial(), counted.getCarriedArguments(), counted.getFinals(), counted.getYield());
      for (auto [stack, row] : llvm::zip(counted.getStacks(), counted.getYield().getStacked()))
        if (contains(row))
          add(stack);
    } else {
      auto open = cast<nn::WhileOp>(loop);
      carry(open.getInitial(), open.getCarriedArguments(), open.getFinals(), open.getYield());
      for (auto [stack, row] : llvm::zip(open.getStacks(), open.getYield().getStacked()))
        if (contains(row))
          add(stack);
    }
  }
}

static llvm::iterator_range<Block::iterator> operatorsOf(Block &block) {
  const bool hasTerminator = !block.empty() && block.back().hasTrait<OpTrait::IsTerminator>();
  return llvm::make_range(block.begin(), hasTerminator ? std::prev(block.end()) : block.end());
}

void ActiveValues::follow(Block &block) {
  for (Operation &op : operatorsOf(block)) {
    if (isa<nn::ForOp, nn::WhileOp>(op)) {
      followLoop(&op);
    } else if (auto branch = dyn_cast<nn::IfOp>(op)) {
      follow(branch.getThenRegion().front());
      follow(branch.getElseRegion().front());
      for (auto [result, a, b] :
           llvm::zip(branch.getValues(), branch.getThenYield().getCarried(), branch.getElseYield().getCarried()))
        if (isFloat(result) && (contains(a) || contains(b)))
          values.insert(result);
    } else if (llvm::any_of(op.getOperands(), [&](Value operand) { return contains(operand); })) {
      for (Value result : op.getResults())
        if (isFloat(result))
          values.insert(result);
    }
  }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void ReverseWalk::give(Value value, Value gradient) {
  if (!gradient || !active.contains(value))
    return;
  assert(gradient.getType() == value.getType() && "a gradient is of the type of its value");
  Value &sum = gradients[value];
  sum = sum ? Writer(builder, gradient.getLoc()).add(sum, gradient) : gradient;
}

Value ReverseWalk::lookupOrZeros(Value value) {
  Value gradient = lookup(value);
  return gradient ? gradient : Writer(builder, value.getLoc()).zeros(typeOf(value));
}

LogicalResult ReverseWalk::run(Block &block) {
  SmallVector<Operation *> operators;
  for (Operation &op : llvm::reverse(operatorsOf(block)))
    operators.push_back(&op);
  LogicalResult result = success();
  auto hasGradient = [&](Value value) { return bool(lookup(value)); };
  for (Operation *op : operators) {
    if (llvm::none_of(op->getResults(), hasGradient))
      continue;
    const Rule rule = findRule(op);
    Adjoint adjoint(op, *this);
    if (!rule)
      adjoint.cut();
    else if (failed(rule(op, adjoint))) {
      result = failure();
      // Continue with zeros, so that errors also name earlier operators without a rule.
      for (Value operand : op->getOperands())
        if (active.contains(operand))
          give(operand, Writer(builder, op->getLoc()).zeros(typeOf(operand)));
    }
  }
  return result;
}

void ReverseWalk::replace(Value from, Value to) {
  active.replace(from, to);
  if (auto found = gradients.find(from); found != gradients.end()) {
    Value gradient = found->second;
    gradients.erase(found);
    gradients[to] = gradient;
  }
}

void Adjoint::nameWritten(Value operand) {
  Operation *last = walk.getLastWritten();
  Location loc = write.getLoc(); // A rule may have replaced the operator by another loop.
  if (auto node = dyn_cast<NameLoc>(loc)) {
    StringRef end = walk.isMadeOfWeights(operand) ? " dW" : " dX";
    auto name = NameLoc::get(StringAttr::get(loc.getContext(), node.getName().getValue() + end));
    for (Operation *written = last; written && written != named; written = written->getPrevNode())
      if (written->getLoc() == loc)
        written->setLoc(name);
  }
  named = last;
}

LogicalResult Adjoint::refuse(const Twine &what) {
  std::string which = what.str();
  return emitError(op->getLoc()) << "must have a gradient to be trained through, but "
                                 << (which.empty() ? "'" + op->getName().stripDialect().str() + "'" : which)
                                 << " has none; train only weights after it (--trainable)";
}

} // namespace nacre::train
