// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces LSTM, GRU and RNN layers by loops over their steps. All loops, from layers and from the model itself, are
// then lowered in the same way. Values that don't depend on the previous step (products of the input, biases, masks)
// are computed for all steps together, and scanned.
//
// 1. Before the loop: the product of the input, with all biases that can be added to it, the mask, and the initial
//    states.
// 2. A step: the product with the recurrence matrix, and the cell.
// 3. After the loop: outputs beyond the ends of short rows are set to zero.
//
// If the products for all steps don't fit in a cache, each step multiplies its own input. If a cell only adds both
// products, input and state are concatenated, so that one product suffices. Operators combine the constants, and
// nacre-fold-constants computes them.

#include "compiler/graph/Passes.h"
#include "compiler/graph/control/HoistedProduct.h"
#include "dialects/StoredBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nacre::graph {
#define GEN_PASS_DEF_EXPANDRECURRENCEPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;
using namespace nacre;

namespace {

/// Largest number of steps of a layer whose rows have different lengths. No sequence has more steps, and any machine
/// that compiles has enough memory for a table of them.
constexpr int64_t maxMaskedSteps = int64_t(1) << 24;

class RecurrentLayer {
public:
  explicit RecurrentLayer(nn::RecurrentOp op)
      : op(op), loc(op.getLoc()), builder(op), elementType(op.getInput().getType().getElementType()),
        steps(op.getInput().getType().getDimSize(0)), batch(op.getInput().getType().getDimSize(1)),
        hidden(op.getRecurrence().getType().getDimSize(0)), gates(op.getRecurrence().getType().getDimSize(1) / hidden),
        state(RankedTensorType::get({batch, hidden}, elementType)) {}

  void run() {
    prepare();
    SmallVector<Value> initial{initialState(op.getInitialH())}, scanned{projected ? projected : op.getInput()};
    SmallVector<Type> results{state};
    if (isLstm()) {
      initial.push_back(initialState(op.getInitialC()));
      results.push_back(state);
    }
    if (mask)
      scanned.push_back(mask);
    const bool isStacked = !op.getAllH().use_empty();
    if (isStacked)
      results.push_back(op.getAllH().getType());
    auto loop = nn::ForOp::create(builder, loc, results, steps, Value(), initial, scanned, op.getReverse());
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(&loop.getBody());
      body->addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
      for (Value value : initial)
        body->addArgument(value.getType(), loc);
      for (Value rows : scanned) {
        auto type = cast<RankedTensorType>(rows.getType());
        body->addArgument(type.clone(type.getShape().drop_front()), loc);
      }
      SmallVector<Value> next = step(loop);
      nn::YieldOp::create(builder, loc, next, isStacked ? ValueRange(next.front()) : ValueRange());
    }
    op.getLastH().replaceAllUsesWith(loop.getFinals().front());
    op.getLastC().replaceAllUsesWith(loop.getFinals().back());
    if (isStacked)
      op.getAllH().replaceAllUsesWith(maskOutputs(loop.getStacks().front()));
    op.erase();
  }

private:
  bool isLstm() { return op.getKind() == nn::CellKind::Lstm; }

  //===--------------------------------------------------------------------===//
  // Operators
  //===--------------------------------------------------------------------===//

  Value constant(double value) {
    TypedAttr scalar = builder.getFloatAttr(elementType, value);
    return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(RankedTensorType::get({}, elementType), scalar));
  }
  Value unary(nn::UnaryKind kind, Value x) { return nn::UnaryOp::create(builder, loc, kind, x, APFloat(0.0)); }
  Value binary(nn::BinaryKind kind, Value a, Value b) { return nn::BinaryOp::create(builder, loc, kind, a, b); }
  Value add(Value a, Value b) { return binary(nn::BinaryKind::Add, a, b); }
  Value mul(Value a, Value b) { return binary(nn::BinaryKind::Mul, a, b); }
  Value subtractFromOne(Value x) { return binary(nn::BinaryKind::Sub, constant(1), x); }
  Value product(Value a, Value b) { return nn::MatMulOp::create(builder, loc, a, b); }
  Value join(ArrayRef<Value> parts, int64_t axis) { return nn::ConcatOp::create(builder, loc, parts, axis); }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return nn::ReshapeOp::create(builder, loc, cast<RankedTensorType>(x.getType()).clone(shape), x);
  }

  Value slice(Value matrix, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> unit(sizes.size(), 1);
    return nn::SliceOp::create(builder, loc, matrix, starts, sizes, unit);
  }
  Value row(Value matrix, int64_t index) {
    int64_t columns = cast<RankedTensorType>(matrix.getType()).getDimSize(1);
    return slice(matrix, {index, 0}, {1, columns});
  }
  /// Returns the columns of `count` gates, beginning with gate `first`. The columns of `matrix` consist of all gates,
  /// one after another.
  Value gate(Value matrix, int64_t first, int64_t count = 1) {
    int64_t rows = cast<RankedTensorType>(matrix.getType()).getDimSize(0);
    return slice(matrix, {0, first * hidden}, {rows, count * hidden});
  }

  /// Applies the clip and then activation `index` of the cell to `x`.
  Value activate(int64_t index, Value x) {
    if (double limit = op.getClip().convertToDouble(); limit > 0)
      x = binary(nn::BinaryKind::Min, binary(nn::BinaryKind::Max, x, constant(-limit)), constant(limit));
    return activateUnclipped(index, x);
  }
  Value activateUnclipped(int64_t index, Value x) {
    return unary(cast<nn::UnaryKindAttr>(op.getActivations()[index]).getValue(), x);
  }

  //===--------------------------------------------------------------------===//
  // 1. Before the loop
  //===--------------------------------------------------------------------===//

  void prepare() {
    const int64_t inputs = op.getWeights().getType().getDimSize(0), columns = gates * hidden;
    if (Value bias = op.getBias()) {
      inputBias = row(bias, 0);
      if (op.getLinearBeforeReset())
        recurrenceBias = row(bias, 1);
      else
        inputBias = add(inputBias, row(bias, 1));
    }
    if (graph::pays(graph::HoistedProduct{steps, batch, inputs, columns, bytesOfElement(elementType)})) {
      Value x = biased(product(reshape(op.getInput(), {steps * batch, inputs}), op.getWeights()));
      projected = reshape(x, {steps, batch, columns});
    } else if (op.getKind() != nn::CellKind::Gru) {
      joinedWeights = join({op.getWeights(), op.getRecurrence()}, 0);
    }
    if (op.getKind() == nn::CellKind::Gru && !op.getLinearBeforeReset()) {
      updateAndReset = gate(op.getRecurrence(), 0, 2);
      candidate = gate(op.getRecurrence(), 2);
    }
    if (isLstm() && op.getPeepholes())
      for (int64_t index : {0, 1, 2})
        peepholes.push_back(row(op.getPeepholes(), index));
    if (op.getLengths())
      prepareMask();
  }

  Value biased(Value x) { return inputBias ? add(x, inputBias) : x; }

  Value initialState(Value given) { return nn::BroadcastOp::create(builder, loc, state, given ? given : constant(0)); }

  /// Computes the mask. It is true if step t is within the length of row b of the batch.
  void prepareMask() {
    auto lengthType = cast<RankedTensorType>(op.getLengths().getType());
    SmallVector<APInt> times;
    for (int64_t time = 0; time < steps; ++time)
      times.push_back(APInt(lengthType.getElementTypeBitWidth(), time));
    Value time = nn::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(RankedTensorType::get({steps, 1}, lengthType.getElementType()), times));
    Value isInside = binary(nn::BinaryKind::Less, time, reshape(op.getLengths(), {1, batch}));
    mask = reshape(isInside, {steps, batch, 1});
  }

  //===--------------------------------------------------------------------===//
  // 2. A step
  //===--------------------------------------------------------------------===//

  /// Returns the next values of the carried states: the hidden state, and the cell of an LSTM.
  SmallVector<Value> step(nn::ForOp loop) {
    Value x = loop.getScannedArguments().front();
    oldHidden = loop.getCarriedArguments().front();
    if (mask)
      isInside = loop.getScannedArguments().back();
    if (isLstm())
      return computeLstm(x, loop.getCarriedArguments().back());
    Value next;
    if (op.getKind() == nn::CellKind::Rnn)
      next = activate(0, gatesOf(x));
    else
      next = computeGruOf(projected ? x : biased(product(x, op.getWeights())));
    return {keepOutside(next, oldHidden)};
  }

  /// Returns `next` if the step is within the length of the row. Otherwise, returns `before`.
  Value keepOutside(Value next, Value before) {
    return mask ? nn::SelectOp::create(builder, loc, isInside, next, before).getResult() : next;
  }

  /// Returns the product of the step's input plus the product of the state. `x` is the input, or already its product.
  Value gatesOf(Value x) {
    if (projected)
      return add(product(oldHidden, op.getRecurrence()), x);
    return biased(product(join({x, oldHidden}, 1), joinedWeights));
  }

  SmallVector<Value> computeLstm(Value x, Value oldCell) {
    Value z = gatesOf(x);
    auto addPeephole = [&](Value sum, int64_t index, Value of) {
      return peepholes.empty() ? sum : add(sum, mul(peepholes[index], of));
    };
    Value input = activate(0, addPeephole(gate(z, 0), 0, oldCell));
    Value forget = op.getInputForget() ? subtractFromOne(input) : activate(0, addPeephole(gate(z, 2), 2, oldCell));
    Value next = add(mul(forget, oldCell), mul(input, activate(1, gate(z, 3))));
    next = keepOutside(next, oldCell);
    Value output = activate(0, addPeephole(gate(z, 1), 1, next));
    return {keepOutside(mul(output, activateUnclipped(2, next)), oldHidden), next};
  }

  Value computeGruOf(Value x) { return op.getLinearBeforeReset() ? computeGruThatResetsProducts(x) : computeGru(x); }

  Value computeGru(Value x) {
    Value zr = add(product(oldHidden, updateAndReset), gate(x, 0, 2));
    Value reset = mul(activate(0, gate(zr, 1)), oldHidden);
    Value next = activate(1, add(product(reset, candidate), gate(x, 2)));
    return blend(activate(0, gate(zr, 0)), next);
  }

  Value computeGruThatResetsProducts(Value x) {
    Value h = product(oldHidden, op.getRecurrence());
    if (recurrenceBias)
      h = add(h, recurrenceBias);
    Value reset = activate(0, add(gate(x, 1), gate(h, 1)));
    Value next = activate(1, add(gate(x, 2), mul(reset, gate(h, 2))));
    return blend(activate(0, add(gate(x, 0), gate(h, 0))), next);
  }

  Value blend(Value update, Value next) { return add(mul(subtractFromOne(update), next), mul(update, oldHidden)); }

  //===--------------------------------------------------------------------===//
  // 3. After the loop
  //===--------------------------------------------------------------------===//

  /// Sets outputs beyond the end of a row to zero. The state of the row keeps its last value.
  Value maskOutputs(Value all) {
    return mask ? nn::SelectOp::create(builder, loc, mask, all, constant(0)).getResult() : all;
  }

  nn::RecurrentOp op;
  Location loc;
  OpBuilder builder;
  Type elementType;
  int64_t steps, batch, hidden, gates;
  RankedTensorType state;
  // Values that are computed before the loop.
  Value projected, joinedWeights, mask, inputBias, recurrenceBias, updateAndReset, candidate;
  SmallVector<Value> peepholes;
  // Values that are valid only within a step.
  Value oldHidden, isInside;
};

struct ExpandRecurrence : graph::impl::ExpandRecurrencePassBase<ExpandRecurrence> {
  void runOnOperation() override {
    SmallVector<nn::RecurrentOp> layers;
    getOperation().walk([&](nn::RecurrentOp op) { layers.push_back(op); });
    for (nn::RecurrentOp op : layers) {
      int64_t steps = op.getInput().getType().getDimSize(0);
      if (op.getLengths() && steps > maxMaskedSteps) {
        op.emitOpError("must have at most ") << maxMaskedSteps << " steps if its rows end early, but has " << steps;
        return signalPassFailure();
      }
      RecurrentLayer(op).run();
    }
  }
};

} // namespace
