// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores weights with their axes in the order in which they are read.
// Why: constants are transposed once at compile time. But trained weights would be transposed in every run, and their
//      gradients would be transposed back.
// How: 1. find the permutation by which all readers in all functions transpose a weight;
//      2. give its arguments the transposed type, `nn.order`, and initial elements in that order.

#include "compiler/train/EntryFunction.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/evaluate/Evaluate.h"

#include "llvm/ADT/StringMap.h"

namespace nacre::train {
#define GEN_PASS_DEF_TURNVARIABLESPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

/// The transposes that read a weight.
struct Reading {
  DenseI64ArrayAttr permutation; ///< Null if nothing reads the weight.
  bool isOneWay = true;          ///< False if readers have different permutations.

  void add(OpOperand &use) {
    auto transpose = dyn_cast<nn::TransposeOp>(use.getOwner());
    if (!transpose || (permutation && permutation != transpose.getPermutationAttr()))
      isOneWay = false;
    else
      permutation = transpose.getPermutationAttr();
  }
};

struct TurnVariables : impl::TurnVariablesPassBase<TurnVariables> {
  using TurnVariablesPassBase::TurnVariablesPassBase;

  void runOnOperation() override {
    llvm::StringMap<Reading> readings;
    forEachWeight([&](func::FuncOp, StringRef name, BlockArgument weight) {
      for (OpOperand &use : weight.getUses())
        readings[name].add(use);
    });
    llvm::StringMap<ElementsAttr> turned;
    forEachWeight([&](func::FuncOp function, StringRef name, BlockArgument weight) {
      const Reading reading = readings.lookup(name);
      if (reading.permutation && reading.isOneWay)
        turn(function, weight, reading.permutation, turned[name]);
    });
  }

  void forEachWeight(llvm::function_ref<void(func::FuncOp, StringRef, BlockArgument)> action) {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (auto [name, weight] : EntryFunction(function).variables(nn::VariableRole::Weight))
        action(function, name, weight);
  }

  /// Stores `weight` in `order`. `initial` caches the transposed elements, because all functions share them.
  void turn(func::FuncOp function, BlockArgument weight, DenseI64ArrayAttr order, ElementsAttr &initial) {
    const unsigned number = weight.getArgNumber();
    OpBuilder builder(&function.front(), function.front().begin());
    auto transpose = nn::TransposeOp::create(builder, weight.getLoc(), weight, order);
    if (auto old = function.getArgAttrOfType<ElementsAttr>(number, nn::initialAttr); old && !initial) {
      FailureOr<ElementsAttr> now = nn::evaluate(transpose, old);
      if (failed(now)) { // If the elements cannot be read, the weight stays as it is.
        transpose.erase();
        return;
      }
      initial = *now;
    }
    for (Operation *reader : llvm::make_early_inc_range(weight.getUsers()))
      if (reader != transpose) {
        reader->getResult(0).replaceAllUsesWith(weight);
        reader->erase();
      }
    weight.setType(transpose.getType());
    transpose.erase();
    function.setFunctionType(
        builder.getFunctionType(function.front().getArgumentTypes(), function.getFunctionType().getResults()));
    function.setArgAttr(number, nn::orderAttr, order);
    if (initial)
      function.setArgAttr(number, nn::initialAttr, initial);
  }
};

} // namespace

} // namespace nacre::train
