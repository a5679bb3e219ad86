// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compares the iteration axes that operators of nn state with results of the reference interpreter.
// Why:   layouts, counts, batches and slices trust these axes. A wrong one gives wrong numbers far away from its cause.
// How:   draws random nodes. Elements of the operands are moved along one axis, and the results must change as the kind
//        of the axis says. A kind must not be too weak either: for each operator, one node at least must refute the
//        stronger kinds.
// usage: meaning-axes [--seed=N] [--nodes=N] [--operator=nn.name]

#include "compiler/evaluate/Interpreter.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "test/meaning/Node.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>
#include <set>

using namespace llvm;
using namespace nacre;
using namespace nacre::meaning;
using evaluate::Tensor;

static cl::opt<uint64_t> seedOption("seed", cl::init(1));
static cl::opt<unsigned> nodesOption("nodes", cl::init(3000));
static cl::opt<std::string> operatorOption("operator", cl::desc("Nodes of this operator only"));

namespace {

//===----------------------------------------------------------------------===//
// 1. Elements
//===----------------------------------------------------------------------===//

using Indices = std::vector<int64_t>;
using Tensors = SmallVector<Tensor>;

/// Returns the tensor whose index i along `axis` is index `from[i]` of `tensor`.
Tensor take(const Tensor &tensor, int64_t axis, const Indices &from) {
  Tensor result(tensor.getType());
  const int64_t inner = product(tensor.getShape().drop_front(axis + 1)), size = tensor.getShape()[axis];
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t own = i / inner % size;
    result.write()[i] = tensor[i + (from[own] - own) * inner];
  }
  return result;
}

bool isSame(const Tensor &a, const Tensor &b, int64_t i) {
  return (a.isFloat() && std::isnan(a.number(i)) && std::isnan(b.number(i))) || a.integer(i) == b.integer(i);
}

/// True if two tensors are equal, or `isNear` and differ by no more than sums in another order do.
bool areEqual(const Tensor &a, const Tensor &b, bool isNear) {
  double largest = 1;
  for (int64_t i = 0; a.isFloat() && i < a.size(); ++i)
    if (std::isfinite(a.number(i)))
      largest = std::max(largest, std::fabs(a.number(i)));
  for (int64_t i = 0; i < a.size(); ++i)
    if (!isSame(a, b, i) && !(isNear && a.isFloat() && std::fabs(a.number(i) - b.number(i)) <= 1e-9 * largest))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// 2. One node
//===----------------------------------------------------------------------===//

/// Facts that nodes of an operator have shown about the axes of one kind.
struct Evidence {
  bool refutesParallel = false, refutesReduced = false, isTried = false;
};

using AllEvidence = std::map<std::pair<std::string, nn::AxisKind>, Evidence>;

class NodeAxes {
public:
  NodeAxes(mlir::Operation *op, Draw &draw, AllEvidence &evidence)
      : op(op), draw(draw), evidence(evidence), axes(nn::getIterationAxes(op)) {
    for (const Operand &operand : draw.node.operands)
      operands.push_back(operand.value);
    results = evaluate(operands);
  }

  /// Returns what is wrong with the axes; empty if nothing is.
  std::string check() {
    if (!isa<nn::AxesInterface>(op))
      return "states no axes";
    if (std::string wrong = checkCoverage(); !wrong.empty())
      return wrong;
    // Nothing can be seen of tensors without elements.
    if (any_of(operands, [](const Tensor &each) { return each.size() == 0; }) ||
        any_of(results, [](const Tensor &each) { return each.size() == 0; }))
      return "";
    for (const nn::Axis &axis : axes)
      if (std::string wrong = checkAxis(axis); !wrong.empty())
        return wrong;
    return areCopies() ? "" : "reorders elements, but has results that no operand has";
  }

private:
  Tensors evaluate(ArrayRef<Tensor> arguments) const {
    return *evaluate::evaluate(op->getParentOfType<mlir::func::FuncOp>(), arguments);
  }

  std::string checkCoverage() const {
    for (auto [index, operand] : enumerate(op->getOperands()))
      for (int64_t own = 0; own < rankOf(operand); ++own)
        if (count_if(axes, [&, index = index](const nn::Axis &axis) { return axis.operands[index] == own; }) != 1)
          return ("axis " + Twine(own) + " of operand " + Twine(index) + " is not part of exactly one axis").str();
    for (auto [index, result] : enumerate(op->getResults()))
      for (int64_t own = 0; own < rankOf(result); ++own)
        if (count_if(axes, [&, index = index](const nn::Axis &axis) { return axis.results[index] == own; }) != 1)
          return ("axis " + Twine(own) + " of result " + Twine(index) + " is not part of exactly one axis").str();
    return "";
  }

  static int64_t sizeOf(mlir::Value value, int64_t axis) { return axis == nn::Axis::absent ? 1 : shapeOf(value)[axis]; }

  /// Returns the largest size of the values along an axis.
  int64_t sizeOf(const nn::Axis &axis) const {
    int64_t size = 0;
    for (auto [operand, own] : zip_equal(op->getOperands(), axis.operands))
      size = std::max(size, sizeOf(operand, own));
    for (auto [result, own] : zip_equal(op->getResults(), axis.results))
      size = std::max(size, sizeOf(result, own));
    return size;
  }

  /// True if the results follow when the operands' index i along `axis` becomes `from[i]`.
  bool follows(const nn::Axis &axis, const Indices &from, bool isNear) const {
    const auto size = int64_t(from.size());
    Tensors moved = operands;
    for (auto [value, own] : zip_equal(op->getOperands(), axis.operands))
      if (sizeOf(value, own) == size) {
        const unsigned argument = cast<mlir::BlockArgument>(value).getArgNumber();
        moved[argument] = take(operands[argument], own, from);
      }
    const Tensors is = evaluate(moved);
    for (auto [index, own] : enumerate(axis.results)) {
      const bool hasAxis = sizeOf(op->getResult(index), own) == size;
      if (!areEqual(is[index], hasAxis ? take(results[index], own, from) : results[index], isNear))
        return false;
    }
    return true;
  }

  std::string checkAxis(const nn::Axis &axis) {
    const int64_t size = sizeOf(axis);
    const bool hasOperand = any_of(axis.operands, [](int64_t own) { return own != nn::Axis::absent; });
    const bool hasResult = all_of(axis.results, [](int64_t own) { return own != nn::Axis::absent; });
    for (auto [operand, own] : zip_equal(op->getOperands(), axis.operands))
      if (axis.isParallel() && own != nn::Axis::absent && sizeOf(operand, own) != size &&
          !(axis.broadcasts && sizeOf(operand, own) == 1))
        return "an operand is shorter along a parallel axis";
    if (axis.isParallel()) {
      for (auto [result, own] : zip_equal(op->getResults(), axis.results))
        if (sizeOf(result, own) != size && own != nn::Axis::absent)
          return "a result is shorter along a parallel axis";
      if (!hasResult && size > 1)
        return "a result lacks a parallel axis";
    }
    if (size < 2 || !hasOperand)
      return "";
    Indices any(size), order(size);
    for (int64_t i = 0; i < size; ++i) {
      any[i] = int64_t(draw.below(size));
      order[i] = i;
      std::swap(order[i], order[draw.below(i + 1)]);
    }
    // All results must have an axis that is no parallel one, so that the comparison above says something.
    const bool isParallel = hasResult && follows(axis, any, /*isNear=*/false);
    const bool isReduced = follows(axis, order, /*isNear=*/true);
    Evidence &own = evidence[{op->getName().getStringRef().str(), axis.kind}];
    own.isTried = true;
    own.refutesParallel |= !isParallel;
    own.refutesReduced |= !isReduced;
    if (axis.isParallel() && !isParallel)
      return describe(axis) + " is not parallel: another part of the operands is not that part of the results";
    if (axis.kind == nn::AxisKind::Reduced && !isReduced)
      return describe(axis) + " is not reduced: the results depend on the order of elements";
    return "";
  }

  /// False if all axes only move elements, yet a result has an element that no operand has.
  bool areCopies() const {
    const bool onlyMoves =
        all_of(axes, [](const nn::Axis &axis) { return axis.isParallel() || axis.kind == nn::AxisKind::Reordered; });
    if (!onlyMoves || all_of(axes, [](const nn::Axis &axis) { return axis.isParallel(); }) || isa<nn::PadOp>(op))
      return true;
    std::set<int64_t> known;
    for (const Tensor &operand : operands)
      for (int64_t i = 0; i < operand.size(); ++i)
        known.insert(operand.integer(i));
    for (int64_t i = 0; i < results[0].size(); ++i)
      if (!known.count(results[0].integer(i)))
        return false;
    return true;
  }

  static std::string describe(const nn::Axis &axis) {
    std::string text = "the axis of operands";
    for (int64_t own : axis.operands)
      text += own == nn::Axis::absent ? " -" : " " + std::to_string(own);
    text += " and results";
    for (int64_t own : axis.results)
      text += own == nn::Axis::absent ? " -" : " " + std::to_string(own);
    return text;
  }

  mlir::Operation *op;
  Draw &draw;
  AllEvidence &evidence;
  const nn::Axes axes;
  Tensors operands, results;
};

//===----------------------------------------------------------------------===//
// 3. All nodes
//===----------------------------------------------------------------------===//

class Trial {
public:
  Trial()
      : context(mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [](mlir::Diagnostic &) { return mlir::success(); }) {
    context.loadDialect<mlir::func::FuncDialect, nn::NnDialect>();
    for (ArrayRef<Operator> some :
         {elementwiseOperators, movementOperators, indexedOperators, contractionOperators, reductionOperators})
      for (const Operator &each : some)
        if (operatorOption.empty() || operatorOption == each.name)
          shares.insert(shares.end(), each.share, &each);
  }

  void check(uint64_t seed) {
    Draw draw(seed, &context);
    shares[draw.below(shares.size())]->draw(draw);
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(draw.node, &context);
    if (!module)
      return; // The verifier refuses it.
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::Operation *op = function.front().getTerminator()->getPrevNode();
    if (!op || isa<nn::ConstantOp>(op) || !all_of(op->getOperands(), IsaPred<mlir::BlockArgument>))
      return;
    const std::string wrong = NodeAxes(op, draw, evidence).check();
    ++numChecked;
    if (wrong.empty())
      return;
    ++numWrong;
    errs() << op->getName() << " of seed " << seed << ": " << wrong << "\n  " << *op << "\n";
  }

  /// Reports operators that could state a stronger kind.
  void checkKinds() {
    for (const auto &[key, own] : evidence) {
      const auto &[name, kind] = key;
      if (kind == nn::AxisKind::Parallel || !own.isTried || (own.refutesParallel && own.refutesReduced) ||
          (kind == nn::AxisKind::Reduced && own.refutesParallel))
        continue;
      ++numWrong;
      errs() << name << " has axes of kind " << int(kind) << ", but no node shows that they are not "
             << (own.refutesParallel ? "reduced" : "parallel") << "\n";
    }
  }

  unsigned numChecked = 0, numWrong = 0;

private:
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  std::vector<const Operator *> shares;
  AllEvidence evidence;
};

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  Trial trial;
  for (unsigned i = 0; i < nodesOption; ++i)
    trial.check(seedOption * 1000003 + i);
  if (operatorOption.empty())
    trial.checkKinds();
  outs() << trial.numChecked << " nodes, " << trial.numWrong << " wrong\n";
  return trial.numWrong == 0 && trial.numChecked > 0 ? 0 : 1;
}
