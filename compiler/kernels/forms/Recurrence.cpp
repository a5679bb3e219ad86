// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  the layer is written down as `nn` operators in three blocks, each of which becomes kernels like any other:
//       1. before the loop: the input's product with all biases that may be added early, the mask, the initial states;
//       2. a step: reads and writes views of memory that move with the counter;
//       3. after the loop: results are views of what the steps wrote.
//       Hidden states lie one after another, the initial one first (last, if time runs backwards): step t reads row t
//       of them and writes row t + 1. The cell of an LSTM is updated in place.

#include "compiler/kernels/forms/Recurrence.h"
#include "compiler/kernels/forms/ElementTypes.h"
#include "compiler/kernels/forms/FormOperators.h"
#include "compiler/kernels/forms/Lowering.h"
#include "dialects/nn/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

class RecurrentLayer {
public:
  RecurrentLayer(EntryBuilder &entry, nn::RecurrentOp op)
      : entry(entry), op(op), loc(op.getLoc()), builder(op.getContext()),
        elementType(op.getInput().getType().getElementType()), steps(op.getInput().getType().getDimSize(0)),
        batch(op.getInput().getType().getDimSize(1)), hidden(op.getRecurrence().getType().getDimSize(0)),
        gates(op.getRecurrence().getType().getDimSize(1) / hidden),
        state(RankedTensorType::get({batch, hidden}, elementType)) {}

  LogicalResult run() {
    if (failed(prepare()))
      return failure();
    {
      OpBuilder::InsertionGuard guard(entry.getBuilder());
      auto loop = plan::ForOp::create(entry.getBuilder(), loc, steps, /*count=*/Value());
      Block *turn = entry.getBuilder().createBlock(&loop.getBody());
      counter = turn->addArgument(builder.getIndexType(), loc);
      if (failed(step()))
        return failure();
    }
    return finish();
  }

private:
  //===--------------------------------------------------------------------===//
  // Blocks, and memory as their arguments and results
  //===--------------------------------------------------------------------===//

  /// Starts a block. Blocks live behind the function's own until the function is erased.
  void beginBlock() {
    builder.createBlock(op->getParentRegion(), op->getParentRegion()->end());
    written.clear();
  }

  LogicalResult endBlock() {
    func::ReturnOp::create(builder, loc, written);
    return formOperators(entry, *builder.getInsertionBlock());
  }

  Value allocate(ArrayRef<int64_t> shape, Type element) {
    return entry.allocate(MemRefType::get(shape, getStorageType(element)), loc);
  }

  /// Part of `memory`: from `offset` on, and `step` further on with each turn of the loop.
  Value view(Value memory, ArrayRef<int64_t> shape, int64_t offset, int64_t step = 0) {
    auto type = cast<MemRefType>(memory.getType()).clone(shape);
    return plan::ViewOp::create(entry.getBuilder(), loc, type, memory, step ? counter : Value(), offset, step);
  }

  /// A value of the current block that is what `memory` holds.
  Value load(Value memory, RankedTensorType type) {
    Value argument = builder.getInsertionBlock()->addArgument(type, loc);
    entry.map(argument, asTensor(memory, getStorageTensorType(type)));
    return argument;
  }

  Value asTensor(Value memory, RankedTensorType type) {
    return plan::ViewOp::create(entry.getBuilder(), loc, type, memory, Value(), /*offset=*/0, /*step=*/0);
  }

  /// Makes `value`, which a kernel of this block computes, end in `memory`.
  void store(Value value, Value memory) {
    entry.setDestination(value, memory);
    written.push_back(value);
  }

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
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return nn::ReshapeOp::create(builder, loc, cast<RankedTensorType>(x.getType()).clone(shape), x);
  }

  /// The operator's value, where its operands are constants: so that it can be packed, and costs nothing at run time.
  Value fold(Operation *made) {
    SmallVector<ElementsAttr> constants;
    for (Value operand : made->getOperands()) {
      auto constant = operand.getDefiningOp<nn::ConstantOp>();
      if (!constant)
        return made->getResult(0);
      constants.push_back(constant.getValue());
    }
    FailureOr<ElementsAttr> value = nn::evaluate(made, constants);
    if (failed(value))
      return made->getResult(0);
    made->erase();
    return nn::ConstantOp::create(builder, loc, *value);
  }
  Value slice(Value matrix, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> unit(sizes.size(), 1);
    return fold(nn::SliceOp::create(builder, loc, matrix, starts, sizes, unit));
  }
  Value row(Value matrix, int64_t index) {
    int64_t columns = cast<RankedTensorType>(matrix.getType()).getDimSize(1);
    return slice(matrix, {index, 0}, {1, columns});
  }
  /// `count` gates of a matrix whose columns are the gates, one after another.
  Value gate(Value matrix, int64_t first, int64_t count = 1) {
    int64_t rows = cast<RankedTensorType>(matrix.getType()).getDimSize(0);
    return slice(matrix, {0, first * hidden}, {rows, count * hidden});
  }

  /// Activation `index` of the cell, behind the clip.
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

  LogicalResult prepare() {
    beginBlock();
    int64_t inputs = op.getWeights().getType().getDimSize(0), columns = gates * hidden;
    Value x = product(reshape(op.getInput(), {steps * batch, inputs}), op.getWeights());
    if (Value bias = op.getBias()) {
      Value inputBias = row(bias, 0);
      if (op.getLinearBeforeReset())
        recurrenceBias = row(bias, 1);
      else
        inputBias = fold(nn::BinaryOp::create(builder, loc, nn::BinaryKind::Add, inputBias, row(bias, 1)));
      x = add(x, inputBias);
    }
    projected = allocate({steps * batch, columns}, elementType);
    store(x, projected);

    hiddenStates = allocate({steps + 1, batch, hidden}, elementType);
    storeInitial(op.getInitialH(), view(hiddenStates, {batch, hidden}, (op.getReverse() ? steps : 0) * batch * hidden));
    if (op.getKind() == nn::CellKind::Lstm) {
      cell = allocate({batch, hidden}, elementType);
      storeInitial(op.getInitialC(), cell);
    } else if (op.getKind() == nn::CellKind::Gru && !op.getLinearBeforeReset()) {
      updateAndReset = gate(op.getRecurrence(), 0, 2);
      candidate = gate(op.getRecurrence(), 2);
    }
    if (op.getLengths())
      storeMask();
    return endBlock();
  }

  void storeInitial(Value initial, Value memory) {
    store(nn::BroadcastOp::create(builder, loc, state, initial ? initial : constant(0)), memory);
  }

  /// Whether step t of row b of the batch lies within the row's length.
  void storeMask() {
    auto lengthType = cast<RankedTensorType>(op.getLengths().getType());
    SmallVector<APInt> times;
    for (int64_t time = 0; time < steps; ++time)
      times.push_back(APInt(lengthType.getElementTypeBitWidth(), time));
    Value time = nn::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(RankedTensorType::get({steps, 1}, lengthType.getElementType()), times));
    mask = allocate({steps, batch, 1}, builder.getI1Type());
    Value isInside = binary(nn::BinaryKind::Less, time, reshape(op.getLengths(), {1, batch}));
    store(isInside, view(mask, {steps, batch}, 0));
  }

  //===--------------------------------------------------------------------===//
  // 2. A step
  //===--------------------------------------------------------------------===//

  /// The row of `memory` that belongs to the step's time, or the row `ahead` of it.
  Value viewAtTime(Value memory, ArrayRef<int64_t> shape, int64_t ahead = 0) {
    int64_t row = computeProduct(shape);
    int64_t first = op.getReverse() ? steps - 1 : 0;
    return view(memory, shape, (first + ahead) * row, op.getReverse() ? -row : row);
  }

  LogicalResult step() {
    beginBlock();
    Value x = load(viewAtTime(projected, {batch, gates * hidden}), state.clone({batch, gates * hidden}));
    oldHidden = load(viewAtTime(hiddenStates, {batch, hidden}, op.getReverse() ? 1 : 0), state);
    if (mask)
      isInside = load(viewAtTime(mask, {batch, 1}), RankedTensorType::get({batch, 1}, builder.getI1Type()));
    Value newHidden;
    switch (op.getKind()) {
    case nn::CellKind::Lstm:
      newHidden = computeLstm(x);
      break;
    case nn::CellKind::Gru:
      newHidden = op.getLinearBeforeReset() ? computeGruThatResetsProducts(x) : computeGru(x);
      break;
    case nn::CellKind::Rnn:
      newHidden = activate(0, add(product(oldHidden, op.getRecurrence()), x));
      break;
    }
    store(keepOutside(newHidden, oldHidden), viewAtTime(hiddenStates, {batch, hidden}, op.getReverse() ? 0 : 1));
    return endBlock();
  }

  /// `next` where the step lies within the row's length, else what was before.
  Value keepOutside(Value next, Value before) {
    return mask ? nn::SelectOp::create(builder, loc, isInside, next, before).getResult() : next;
  }

  Value computeLstm(Value x) {
    Value z = add(product(oldHidden, op.getRecurrence()), x), oldCell = load(cell, state);
    auto addPeephole = [&](Value sum, int64_t index, Value of) {
      return op.getPeepholes() ? add(sum, mul(row(op.getPeepholes(), index), of)) : sum;
    };
    Value input = activate(0, addPeephole(gate(z, 0), 0, oldCell));
    Value forget = op.getInputForget() ? subtractFromOne(input) : activate(0, addPeephole(gate(z, 2), 2, oldCell));
    Value next = add(mul(forget, oldCell), mul(input, activate(1, gate(z, 3))));
    next = keepOutside(next, oldCell);
    store(next, cell);
    Value output = activate(0, addPeephole(gate(z, 1), 1, next));
    return mul(output, activateUnclipped(2, next));
  }

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

  LogicalResult finish() {
    auto allType = cast<RankedTensorType>(op.getAllH().getType());
    int64_t row = batch * hidden;
    Value all = view(hiddenStates, allType.getShape(), op.getReverse() ? 0 : row);
    Value last = asTensor(view(hiddenStates, state.getShape(), op.getReverse() ? 0 : steps * row), state);
    entry.map(op.getAllH(), asTensor(all, allType));
    entry.map(op.getLastH(), last);
    entry.map(op.getLastC(), cell ? asTensor(cell, state) : last);
    if (!mask)
      return success();
    // Outputs beyond a row's length are zero, while its state stays.
    beginBlock();
    Value inside = load(mask, RankedTensorType::get({steps, batch, 1}, builder.getI1Type()));
    Value masked = nn::SelectOp::create(builder, loc, inside, load(all, allType), constant(0));
    written.push_back(masked);
    if (failed(endBlock()))
      return failure();
    entry.map(op.getAllH(), entry.lookup(masked));
    return success();
  }

  EntryBuilder &entry;
  nn::RecurrentOp op;
  Location loc;
  OpBuilder builder; ///< Of the blocks of operators.
  Type elementType;
  int64_t steps, batch, hidden, gates;
  RankedTensorType state;
  SmallVector<Value> written; ///< What the current block computes.

  // Memory.
  Value projected, hiddenStates, cell, mask;
  Value counter;
  // Values of the blocks.
  Value recurrenceBias, updateAndReset, candidate;
  Value oldHidden, isInside;
};

} // namespace

LogicalResult lowerRecurrent(EntryBuilder &entry, nn::RecurrentOp op) {
  if (op.getInput().getType().getNumElements() == 0 || op.getRecurrence().getType().getNumElements() == 0)
    return op.emitOpError("must have steps, rows, inputs and hidden units, but its input is ")
           << op.getInput().getType() << " and its recurrence " << op.getRecurrence().getType();
  if (int64_t steps = op.getInput().getType().getDimSize(0); op.getLengths() && steps > maxTableEntries)
    return op.emitOpError("must have at most ") << maxTableEntries << " steps where rows end early, but has " << steps;
  return RecurrentLayer(entry, op).run();
}

} // namespace nacre::kernels
