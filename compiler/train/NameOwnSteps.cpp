// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the operators of a training step that the model itself contains, in the same way as generated ones.
// Why: reports and profiles identify the parts of a step by the suffixes of these names.
// How: it compares nodes by name, because an operator has no other reference to its node:
//      1. nodes that only `train` contains are not part of the forward pass;
//      2. among these, nodes that assign a variable or do not depend on the network belong to the update;
//      3. a node whose result only updates read is the gradient of a weight. All others are gradients of other tensors.

#include "compiler/train/Passes.h"
#include "compiler/train/TrainingOptions.h"
#include "dialects/nn/Variables.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::train {
#define GEN_PASS_DEF_NAMEOWNSTEPSPASS
#include "compiler/train/Passes.h.inc"
} // namespace nacre::train

using namespace mlir;

namespace nacre::train {

namespace {

constexpr StringLiteral ends[] = {" dX", " dW"};

/// Returns the name of an operator's node, without the suffix that the backward pass has added.
StringRef nodeOf(Operation *op) {
  auto named = op ? dyn_cast<NameLoc>(op->getLoc()) : NameLoc();
  StringRef name = named ? named.getName().getValue() : StringRef();
  for (StringRef end : ends)
    if (name.consume_back(end))
      break;
  return name;
}

struct Node {
  SmallVector<Operation *> ops;
  bool isForward = false, isUpdate = false, dependsOnNetwork = false;
  StringRef end; ///< Suffix to add to its name.
};

class StepNames {
public:
  explicit StepNames(func::FuncOp train) : train(train) {}

  void run(const llvm::StringSet<> &forward) {
    train.walk([&](Operation *op) {
      if (StringRef name = nodeOf(op); !name.empty() && !isa<nn::ConstantOp>(op))
        nodes[name].ops.push_back(op);
    });
    for (auto &[name, node] : nodes)
      node.isForward = forward.contains(name);
    findAssigning();
    followNetwork();
    for (auto &[name, node] : nodes)
      node.isUpdate |= !node.isForward && !node.dependsOnNetwork;
    for (auto &[name, node] : nodes)
      node.end = node.isForward ? "" : node.isUpdate ? " update" : makesGradient(name, node) ? " dW" : " dX";
    for (auto &[name, node] : nodes)
      if (!node.isForward)
        rename(node, name);
  }

private:
  Node *find(Operation *op) {
    auto place = nodes.find(nodeOf(op));
    return place == nodes.end() ? nullptr : &place->second;
  }

  void findAssigning() {
    Operation *end = train.front().getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands()))
      if (train.getResultAttr(index, nn::variableAttr)) {
        assigned.insert(value);
        if (Node *node = find(value.getDefiningOp()))
          node->isUpdate |= !node->isForward;
      }
  }

  /// Visits all operators once, because operators come after their operands. Operators inside a loop depend on all
  /// operands of the loop.
  void followNetwork() {
    train.walk<WalkOrder::PreOrder>([&](Operation *op) {
      Node *node = find(op);
      if (!node)
        return;
      auto follow = [&](Operation *source) {
        const Node *read = find(source);
        node->dependsOnNetwork |= read && (read->isForward || read->dependsOnNetwork);
      };
      for (Value operand : op->getOperands())
        follow(operand.getDefiningOp());
      follow(op->getParentOp());
    });
  }

  /// True if only updates read the results of the node, and one result has the type of a variable that such an update
  /// assigns.
  bool makesGradient(StringRef name, const Node &node) {
    bool isGradient = false;
    for (Operation *op : node.ops)
      for (Operation *user : op->getUsers()) {
        if (nodeOf(user) == name)
          continue;
        const Node *reader = find(user);
        if (!reader || !reader->isUpdate)
          return false;
        isGradient |= llvm::any_of(reader->ops, [&](Operation *other) {
          return llvm::any_of(other->getResults(), [&](Value value) {
            return assigned.contains(value) && llvm::is_contained(op->getResultTypes(), value.getType());
          });
        });
      }
    return isGradient;
  }

  static void rename(const Node &node, StringRef name) {
    for (Operation *op : node.ops) {
      auto text = StringAttr::get(op->getContext(), name + node.end);
      op->setLoc(NameLoc::get(text, cast<NameLoc>(op->getLoc()).getChildLoc()));
    }
  }

  func::FuncOp train;
  llvm::MapVector<StringRef, Node> nodes;
  llvm::SetVector<Value> assigned;
};

struct NameOwnSteps : impl::NameOwnStepsPassBase<NameOwnSteps> {
  void runOnOperation() override {
    auto train = getOperation().lookupSymbol<func::FuncOp>(trainEntry);
    if (!train)
      return;
    llvm::StringSet<> forward;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function != train)
        function.walk([&](Operation *op) { forward.insert(nodeOf(op)); });
    StepNames(train).run(forward);
  }
};

} // namespace

} // namespace nacre::train
