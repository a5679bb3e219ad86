// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces chains of elementwise operators from one 8-bit tensor to another by a table of 256 entries. Such a function
// of one byte has only 256 values. One or two instructions look up many of them simultaneously, whereas a sigmoid of a
// quantized tensor takes 40 instructions in floats. Also, all engines and CPUs then give the same results.
//
// 1. Find the only operand of a chain that is not a splat constant.
// 2. Evaluate the chain for all values of this operand, like constant folding.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/evaluate/Evaluate.h"
#include "llvm/ADT/SetVector.h"
#include <cstring>
#include <numeric>

namespace nacre::graph {
#define GEN_PASS_DEF_TABULATEFUNCTIONSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

constexpr int64_t entries = 256;

//===----------------------------------------------------------------------===//
// 1. Chains
//===----------------------------------------------------------------------===//

bool isOfBytes(Value value) { return typeOf(value).getElementType().isInteger(8); }

/// True if machines compute `op` by a polynomial or a division, which takes many instructions.
bool isCostly(Operation *op) {
  using Kind = nn::UnaryKind;
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return binary.getKind() == nn::BinaryKind::Pow || binary.getKind() == nn::BinaryKind::Div;
  auto unary = dyn_cast<nn::UnaryOp>(op);
  return unary && !llvm::is_contained({Kind::Abs, Kind::Neg, Kind::Sqrt, Kind::Reciprocal, Kind::Floor, Kind::Ceil,
                                       Kind::Round, Kind::Sign, Kind::Relu, Kind::LeakyRelu, Kind::Not, Kind::BitNot,
                                       Kind::IsNaN, Kind::IsInf},
                                      unary.getKind());
}

struct Chain {
  Value source;
  llvm::SetVector<Operation *> operators; ///< Operators in order: users come after the operators that they use.
};

class ChainReader {
public:
  explicit ChainReader(Operation *end) : end(end) {}

  /// Returns the chain that ends at `end`. Returns `nullopt` if there is no chain, or if it is cheap.
  std::optional<Chain> read() {
    if (!add(end) || !chain.source || llvm::none_of(chain.operators, isCostly))
      return std::nullopt;
    return chain;
  }

private:
  bool add(Operation *op) {
    if (chain.operators.contains(op))
      return true;
    auto known = dyn_cast<nn::OperatorInterface>(op);
    constexpr unsigned mostOperators = 40;
    if (!known || known.getWorkKind() != nn::WorkKind::Elementwise || isa<nn::BroadcastOp>(op) ||
        op->getNumResults() != 1 || chain.operators.size() > mostOperators || !nn::canEvaluate(op) ||
        typeOf(op->getResult(0)).getShape() != typeOf(end->getResult(0)).getShape())
      return false;
    for (Value operand : op->getOperands())
      if (!getSplat(operand) && !addOperand(operand))
        return false;
    chain.operators.insert(op);
    return true;
  }

  bool addOperand(Value operand) {
    if (!isOfBytes(operand))
      return operand.getDefiningOp() && add(operand.getDefiningOp());
    if (!chain.source && typeOf(operand).getShape() == typeOf(end->getResult(0)).getShape())
      chain.source = operand;
    return chain.source == operand;
  }

  Operation *end;
  Chain chain;
};

//===----------------------------------------------------------------------===//
// 2. Tables
//===----------------------------------------------------------------------===//

/// Returns the value of all elements of a constant, as a scalar constant. Fails if they differ.
FailureOr<ElementsAttr> readNumber(ElementsAttr splat) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(splat);
  if (failed(view))
    return failure();
  nn::ConstantBuilder number(RankedTensorType::get({}, view->getElementType()));
  std::memcpy(number.at(0), view->at(0), number.getElementBytes());
  return std::move(number).take();
}

bool isUnsigned(Value value) { return typeOf(value).getElementType().isUnsignedInteger(); }

/// Returns all values of the source's type in ascending order.
ElementsAttr listNumbers(Value source) {
  SmallVector<int64_t> numbers(entries);
  std::iota(numbers.begin(), numbers.end(), isUnsigned(source) ? 0 : INT8_MIN);
  nn::ConstantBuilder all(RankedTensorType::get({entries}, typeOf(source).getElementType()));
  all.write(0, numbers);
  return std::move(all).take();
}

/// Returns the results of `chain` for all values of its source. Fails if an operator cannot be evaluated.
FailureOr<ElementsAttr> evaluate(const Chain &chain, OpBuilder &builder) {
  llvm::DenseMap<Value, ElementsAttr> values;
  values[chain.source] = listNumbers(chain.source);
  for (Operation *op : chain.operators) {
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) {
      if (ElementsAttr known = values.lookup(operand)) {
        operands.push_back(known);
        continue;
      }
      FailureOr<ElementsAttr> number = readNumber(getConstant(operand));
      if (failed(number))
        return failure();
      operands.push_back(*number);
    }
    // Create a temporary copy of the operator for 256 elements. It is only evaluated.
    Operation *copy = builder.clone(*op);
    for (auto [number, value] : llvm::enumerate(operands))
      copy->setOperand(number, nn::ConstantOp::create(builder, op->getLoc(), value));
    Value result = copy->getResult(0);
    result.setType(typeOf(result).clone(ArrayRef<int64_t>{entries}));
    FailureOr<ElementsAttr> value = nn::evaluate(copy, operands);
    SmallVector<Value> constants(copy->getOperands());
    copy->erase();
    for (Value constant : llvm::SetVector<Value>(constants.begin(), constants.end()))
      constant.getDefiningOp()->erase();
    if (failed(value))
      return failure();
    values[op->getResult(0)] = *value;
  }
  return values.lookup(chain.operators.back()->getResult(0));
}

struct TabulateFunctions : impl::TabulateFunctionsPassBase<TabulateFunctions> {
  void runOnOperation() override {
    SmallVector<Operation *> ends;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isa<nn::OperatorInterface>(op) &&
          isa<RankedTensorType>(op->getResult(0).getType()) && isOfBytes(op->getResult(0)))
        ends.push_back(op);
    });
    for (Operation *end : ends)
      tabulate(end);
  }

  void tabulate(Operation *end) {
    // For a smaller tensor, computing the elements is faster than reading a table.
    if (typeOf(end->getResult(0)).getNumElements() < entries)
      return;
    std::optional<Chain> chain = ChainReader(end).read();
    if (!chain)
      return;
    OpBuilder builder(end);
    FailureOr<ElementsAttr> table = evaluate(*chain, builder);
    if (failed(table))
      return;
    const Location loc = end->getLoc();
    auto indexType = typeOf(chain->source).clone(builder.getI32Type());
    Value index =
        nn::CastOp::create(builder, loc, indexType, chain->source, /*overflows=*/false, nn::ScaleRounding::Up);
    if (!isUnsigned(chain->source)) {
      auto least = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()), int32_t(-INT8_MIN));
      index =
          nn::BinaryOp::create(builder, loc, nn::BinaryKind::Add, index, nn::ConstantOp::create(builder, loc, least));
    }
    Value entriesOfTable = nn::ConstantOp::create(builder, loc, *table);
    Value result = nn::GatherOp::create(builder, loc, entriesOfTable, index, /*axis=*/0);
    end->getResult(0).replaceAllUsesWith(result);
    for (Operation *op : llvm::reverse(chain->operators))
      if (op->use_empty())
        op->erase();
    ++numTabulated;
  }
};

} // namespace

} // namespace nacre::graph
