// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainedValues.h.

#include "compiler/graph/halves/TrainedValues.h"

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

using namespace mlir;

namespace nacre::graph {

namespace {

bool isWide(Type type) { return getElementTypeOrSelf(type).isF32(); }

class TrainedValues {
public:
  explicit TrainedValues(func::FuncOp function) : function(function) {}

  llvm::DenseSet<Operation *> find() {
    if (!readsWeights())
      return {};
    SmallVector<Block *> blocks;
    function->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      addEnds(*block);
    if (assigns() || scale)
      for (Block *block : blocks)
        addSums(*block);
    for (Block *block : blocks) {
      addReaders(*block);
      addReadersOfVectors(*block);
    }
    wide.insert(ofLoss.begin(), ofLoss.end());
    return std::move(wide);
  }

private:
  enum class Through { Elements, Sums };

  /// True if the function has weights. Also finds the loss scale and stores it.
  bool readsWeights() {
    bool found = false;
    for (BlockArgument argument : function.getArguments()) {
      const unsigned number = argument.getArgNumber();
      found |= nn::readRole(function.getArgAttr(number, nn::roleAttr)) == nn::VariableRole::Weight;
      auto name = function.getArgAttrOfType<StringAttr>(number, nn::variableAttr);
      if (name && name.getValue() == nn::lossScaleName)
        scale = argument;
    }
    return found;
  }

  bool assigns() {
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttr(i, nn::variableAttr))
        return true;
    return false;
  }

  //===--- 1. What variables become, and the loss -----------------------------------------------------------------===//

  void addEnds(Block &block) {
    Operation *end = block.getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      if (isLoss(*end, index))
        addBefore(value, ofLoss, Through::Sums);
      else if (scale || (isa<func::ReturnOp>(end) ? bool(function.getResultAttr(index, nn::variableAttr)) : assigns()))
        addBefore(value, wide, Through::Elements);
    }
  }

  /// True if the operand is a loss, or a part of the loss that a loop over parts of the batch adds up.
  bool isLoss(Operation &end, unsigned index) {
    auto type = dyn_cast<RankedTensorType>(end.getOperand(index).getType());
    if (!type || type.getRank() != 0 || !isWide(type))
      return false;
    if (!isa<func::ReturnOp>(end))
      return true;
    auto name = function.getResultAttrOfType<StringAttr>(index, nn::nameAttr);
    return name && name.getValue() == nn::lossName;
  }

  static bool mayKeepWidth(Operation &op) {
    auto known = dyn_cast<nn::OperatorInterface>(op);
    if (!known || op.getNumRegions() > 0 || isa<nn::ConstantOp>(op) || known.getWorkKind() == nn::WorkKind::Contraction)
      return false;
    return known.getWidth() == nn::Width::Same || known.getWidth() == nn::Width::Bounded;
  }

  static bool isOfElements(Operation &op) {
    const nn::WorkKind kind = cast<nn::OperatorInterface>(op).getWorkKind();
    return kind == nn::WorkKind::Elementwise || kind == nn::WorkKind::Permute || kind == nn::WorkKind::Boundary;
  }

  /// Adds the operators that compute `value`, back to products, whose operands are narrow. A search through elementwise
  /// operators also ends at sums, which are added.
  static void addBefore(Value value, llvm::DenseSet<Operation *> &to, Through through) {
    SmallVector<Value> open{value};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !mayKeepWidth(*op) || !to.insert(op).second)
        continue;
      if (through == Through::Sums || isOfElements(*op))
        llvm::append_range(open, op->getOperands());
    }
  }

  //===--- 2. Sums ------------------------------------------------------------------------------------------------===//

  /// Adds sums, mainly of normalizations, and operators that depend only on sums and variables.
  void addSums(Block &block) {
    for (Operation &op : block) {
      if (!mayKeepWidth(op) || !isWide(op.getResult(0).getType()))
        continue;
      auto reduce = dyn_cast<nn::ReduceOp>(op);
      const bool isSum = reduce && llvm::is_contained({nn::ReduceKind::Sum, nn::ReduceKind::Mean}, reduce.getKind());
      if (isSum || (isOfElements(op) && !isa<nn::BroadcastOp>(op) && isOfSums(op)))
        wide.insert(&op);
    }
    // Operators that only sums read, such as squares of a variance, are not stored, so f32 costs nothing. In f16, they
    // might overflow.
    for (Operation &op : llvm::reverse(block))
      if (mayKeepWidth(op) && isOfElements(op) && isWide(op.getResult(0).getType()) && !op.use_empty() &&
          llvm::all_of(op.getUsers(), [this](Operation *user) { return wide.contains(user); }))
        wide.insert(&op);
  }

  bool isOfSums(Operation &op) {
    bool found = false;
    for (Value operand : op.getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!isWide(operand.getType()) || isa_and_nonnull<nn::ConstantOp>(from) || isVariable(operand))
        continue;
      if (!from || !wide.contains(from))
        return false;
      found = true;
    }
    return found;
  }

  bool isVariable(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), nn::variableAttr);
  }

  //===--- 3. The loss's gradient ---------------------------------------------------------------------------------===//

  /// Adds operators that read the loss or its scale, directly or through others, up to products.
  void addReaders(Block &block) {
    for (Operation &op : block)
      if (mayKeepWidth(op) && llvm::any_of(op.getOperands(), [&](Value operand) {
            return operand == scale || ofLoss.contains(operand.getDefiningOp());
          }))
        ofLoss.insert(&op);
  }

  //===--- 4. Vectors of weights ----------------------------------------------------------------------------------===//

  /// Adds operators that read biases and other broadcast weights. A cast of these weights would be a launch for very
  /// few bytes, and kernels compute in f32 anyway.
  void addReadersOfVectors(Block &block) {
    for (Operation &op : block) {
      auto known = dyn_cast<nn::OperatorInterface>(op);
      if (!known || !mayKeepWidth(op) || known.getWorkKind() != nn::WorkKind::Elementwise)
        continue;
      auto result = cast<RankedTensorType>(op.getResult(0).getType());
      if (isWide(result) && llvm::any_of(op.getOperands(), [&](Value operand) {
            return isVariable(operand) && isWide(operand.getType()) &&
                   cast<RankedTensorType>(operand.getType()).getNumElements() < result.getNumElements();
          }))
        wide.insert(&op);
    }
  }

  func::FuncOp function;
  Value scale; ///< Null if there is no loss scale.
  llvm::DenseSet<Operation *> wide, ofLoss;
};

} // namespace

bool isTrainingStep(func::FuncOp function) {
  auto isWeight = [&](unsigned number) {
    return nn::readRole(function.getArgAttr(number, nn::roleAttr)) == nn::VariableRole::Weight;
  };
  auto isScale = [&](unsigned number) {
    auto name = function.getArgAttrOfType<StringAttr>(number, nn::variableAttr);
    return name && name.getValue() == nn::lossScaleName;
  };
  auto isEnd = [&](unsigned number) {
    auto name = function.getResultAttrOfType<StringAttr>(number, nn::nameAttr);
    return function.getResultAttr(number, nn::variableAttr) || (name && name.getValue() == nn::lossName);
  };
  const auto arguments = llvm::seq(function.getNumArguments());
  return llvm::any_of(arguments, isWeight) &&
         (llvm::any_of(arguments, isScale) || llvm::any_of(llvm::seq(function.getNumResults()), isEnd));
}

llvm::DenseSet<Operation *> findTrainedValues(func::FuncOp function) { return TrainedValues(function).find(); }

} // namespace nacre::graph
