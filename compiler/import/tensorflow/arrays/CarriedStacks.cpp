// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that a loop carries as stacks.
//
// How:  1. finds the lists that are stacks,
//       2. finds the rows that a loop must store.

#include "compiler/import/tensorflow/arrays/CarriedStacks.h"

#include "compiler/import/control/BodyReaders.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
//===----------------------------------------------------------------------===//
// 1. The lists
//===----------------------------------------------------------------------===//

namespace {

CarriedStack findStack(const BodyReaders &readers, StringRef input, size_t output) {
  const GraphNode *node = readers.findOnlyUse(input, output);
  const bool grows = node && node->op == "TensorListPushBack", shrinks = node && node->op == "TensorListPopBack";
  if (!grows && !shrinks)
    return {};
  auto name = dyn_cast<NameLoc>(node->loc);
  return {grows ? CarriedStack::Use::Grows : CarriedStack::Use::Shrinks, name ? name.getName().str() : ""};
}

bool readsInput(const GraphView &graph, StringRef input) {
  for (size_t index = 0; index < graph.getNumNodes(); ++index) {
    const GraphNode node = graph.getNode(index);
    if (llvm::is_contained(node.operands, input) || llvm::is_contained(node.captures, input))
      return true;
  }
  return llvm::any_of(graph.getOutputs(), [&](const GraphValue &output) { return output.getSource() == input; });
}

} // namespace

std::vector<CarriedStack> findCarriedStacks(const GraphView &condition, const GraphView &body) {
  const BodyReaders readers(body);
  std::vector<CarriedStack> stacks;
  const SmallVector<GraphValue> asked = condition.getInputs();
  for (auto [index, input] : llvm::enumerate(body.getInputs())) {
    CarriedStack &stack = stacks.emplace_back(findStack(readers, input.getSource(), index));
    if (stack.use != CarriedStack::Use::None && readsInput(condition, asked[index].getSource()))
      stack = {};
  }
  return stacks;
}

//===----------------------------------------------------------------------===//
// 2. Their rows
//===----------------------------------------------------------------------===//

Value StackRows::find(NnBuilder &nn, Value iteration) const {
  if (same || !numbers)
    return same;
  Value number = nn.add(nn.mul(iteration, double(numbers->step)), double(numbers->first));
  return nn.cast(number, numbers->element);
}

namespace {

/// Returns the elements of a constant list of scalars as an arithmetic sequence. Returns nullopt if they are not such a
/// sequence.
std::optional<StackRows::Numbers> findNumbers(Value array) {
  ElementsAttr constant = getConstant(array);
  if (!constant || getRank(array) != 1 || !constant.getElementType().isSignlessInteger() ||
      constant.getElementType().isInteger(1))
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return std::nullopt;
  SmallVector<int64_t> values = view->readIntegers();
  if (values.empty())
    return std::nullopt;
  const int64_t step = values.size() < 2 ? 0 : values[1] - values[0];
  for (auto [index, value] : llvm::enumerate(values))
    if (value != values.front() + step * static_cast<int64_t>(index))
      return std::nullopt;
  return StackRows::Numbers{values.front(), step, constant.getElementType()};
}

/// Returns the value of a constant integer scalar; nullopt if `value` is not such a scalar.
std::optional<int64_t> findInteger(Value value) {
  ElementsAttr constant = isTensor(value) ? getConstant(value) : ElementsAttr();
  if (!constant || constant.getNumElements() != 1 || !constant.getElementType().isSignlessInteger())
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  return succeeded(view) ? std::optional(view->readIntegers().front()) : std::nullopt;
}

} // namespace

std::optional<StackRows::Numbers> findCounter(Value initial, Value before, Value next) {
  auto sum = next.getDefiningOp<nn::BinaryOp>();
  if (!sum || getRank(before) != 0 || sum.getKind() != nn::BinaryKind::Add || sum->getOperand(0) != before)
    return std::nullopt;
  std::optional<int64_t> first = findInteger(initial), step = findInteger(sum->getOperand(1));
  return first && step ? std::optional(StackRows::Numbers{*first, *step, getElementType(before)}) : std::nullopt;
}

Value TakenStack::find(NnBuilder &nn, Value iteration) const {
  if (taken.areKnown())
    return taken.find(nn, iteration);
  return count ? nn.gather(taken.rows, nn.sub(nn.add(count, -1.0), iteration), 0) : Value();
}

FailureOr<TakenStack> takeOpenStack(OperandBinder &node, Value array) {
  NnBuilder &nn = node.nn;
  TakenStack result;
  result.rest = nn.nothing();
  if (std::optional<ValueRange> list = getList(array); list && !list->empty() && llvm::all_equal(*list)) {
    result.taken.same = list->front();
    return result;
  }
  Value joined = joinRows(node, array, nn.nothing());
  if (!joined)
    return failure();
  nn::AxisCounts counts = nn.getCounts(joined);
  const bool isOpen = !counts.empty() && counts.front();
  result.count = isOpen ? counts.front() : nn.reshape(nn.integers(countRows(joined)), {});
  result.taken.rows = joined;
  if (isOpen) {
    // Readers only read existing rows. So this reshape hides the count of rows from them.
    OpBuilder builder(joined.getContext());
    builder.setInsertionPointAfterValue(joined);
    result.taken.rows = nn::ReshapeOp::create(builder, joined.getLoc(), joined.getType(), joined);
  }
  return result;
}

FailureOr<TakenStack> takeStack(OperandBinder &node, Value array, int64_t count, bool isReversed, StringRef taking) {
  NnBuilder &nn = node.nn;
  const int64_t all = countRows(array), rest = all - count;
  if (rest < 0)
    return node.error() << "'" << toPrintable(taking) << "' takes a value of a stack in each of " << count
                        << " iterations, but only " << all
                        << " were pushed; let the loop and its gradient have the same number of iterations";
  TakenStack result;
  if (std::optional<ValueRange> list = getList(array); list && count > 0)
    if (ValueRange last = list->drop_front(size_t(rest)); llvm::all_equal(last) && !isNothing(last.front())) {
      result.taken.same = last.front();
      result.rest = nn.list(list->take_front(size_t(rest)));
      return result;
    }
  Value joined = joinRows(node, array, nn.nothing());
  if (!joined)
    return failure();
  Value rows = nn.slice(joined, 0, rest, count);
  result.taken.numbers = rows ? findNumbers(rows) : std::nullopt;
  if (result.taken.numbers) {
    result.taken.numbers->first += result.taken.numbers->step * (count - 1);
    result.taken.numbers->step *= -1;
  } else if (rows && isReversed) {
    SmallVector<int64_t> order(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, count))));
    rows = nn.gather(rows, nn.integers(order), 0);
  }
  result.taken.rows = rows;
  result.rest = nn.slice(joined, 0, 0, rest);
  if (!rows || !result.rest)
    return failure();
  return result;
}

FailureOr<StackRows> findPushed(OperandBinder &node, Value row, Block *body, ArrayRef<Value> initial,
                                ArrayRef<Value> before, ArrayRef<Value> next) {
  StackRows pushed;
  if (std::optional<ValueRange> list = getList(row)) { // the row is a list that an inner loop pushed
    if (!list->empty() && llvm::all_equal(*list) && isTensor(list->front())) {
      FailureOr<StackRows> inside = findPushed(node, list->front(), body, /*initial=*/{}, /*before=*/{}, /*next=*/{});
      if (succeeded(inside) && inside->same) {
        inside->listed = list->size();
        return inside;
      }
    }
    row = joinRows(node, row, node.nn.nothing());
    if (!row)
      return failure();
  }
  pushed.rows = row;
  if (!body->getParentOp()->isAncestor(row.getParentBlock()->getParentOp()) || getConstant(row))
    pushed.same = row;
  if (const auto *counter = llvm::find(before, row); counter != before.end()) {
    const auto place = size_t(counter - before.begin());
    pushed.numbers = findCounter(initial[place], row, next[place]);
  }
  return pushed;
}

Value growStack(OperandBinder &node, Value array, const StackRows &pushed, int64_t count) {
  NnBuilder &nn = node.nn;
  Value rows = pushed.rows, same = pushed.same;
  if (ElementsAttr known = same ? getConstant(same) : ElementsAttr())
    same = nn.constant(known); // the constant may be inside the body, so it is copied
  if (same && pushed.listed)
    same = nn.list(SmallVector<Value>(*pushed.listed, same));
  if (std::optional<ValueRange> list = getList(array); list && same) {
    SmallVector<Value> grown(*list);
    grown.append(size_t(count), same);
    return nn.list(grown);
  }
  if (same)
    rows = joinRows(node, nn.list(SmallVector<Value>(size_t(count), same)), nn.nothing());
  if (pushed.numbers) {
    SmallVector<int64_t> numbers;
    for (int64_t iteration = 0; iteration < count; ++iteration)
      numbers.push_back(pushed.numbers->first + pushed.numbers->step * iteration);
    rows = nn.cast(nn.integers(numbers), pushed.numbers->element);
  }
  if (!rows || countRows(array) == 0)
    return rows;
  Value joined = joinRows(node, array, nn.slice(rows, 0, 0, 0));
  return joined ? nn.concat({joined, rows}, 0) : Value();
}

} // namespace nacre::importer::tensorflow_format
