// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with integer arithmetic only, bit-exact with the reference kernel. Input and hidden state have 8 bits, gates 16
// bits in Q3. The cell has 16 bits, and its scale is a power of two.
//
// How:  1. scales as fixed-point numbers, in the precision of the reference,
//       2. the products of the input, for all steps together,
//       3. a step. Values between operators are i32. They are clamped if the reference stores them in fewer bits.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/IntegerArithmetic.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/tflite/quantized/FixedPointFunctions.h"
#include "compiler/import/tflite/quantized/Rescaling.h"
#include "compiler/import/tflite/recurrent/LstmOperands.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::FixedPointRounding;

constexpr IntegerRange range8{INT8_MIN, INT8_MAX}, range16{INT16_MIN, INT16_MAX};

class IntegerLstm {
public:
  IntegerLstm(TfliteNode &node, const LstmSizes &sizes)
      : node(node), nn(node.nn), sizes(sizes), i32(nn.types().getI32Type()), i16(nn.types().getIntegerType(16)),
        i8(nn.types().getI8Type()) {}

  void import(Value x, Steps steps) {
    if (!readScales() || !readTables())
      return;
    constexpr LstmPlaces places = onlyDirection;
    Loop loop;
    loop.bound = getShape(x)[0];
    loop.initial = {nn.reshape(node.getOperand(places.state), {sizes.batch, sizes.outputs}),
                    nn.reshape(node.getOperand(places.state + 1), {sizes.batch, sizes.cells})};
    loop.scanned = {projectInput(x)};
    recurrence = joinMatrices(places.recurrence);
    if (!loop.scanned.front() || !recurrence || llvm::is_contained(loop.initial, Value()))
      return node.setResult({});
    auto compute = [&](Value, ArrayRef<Value> carried, ArrayRef<Value> rows) -> FailureOr<Iteration> {
      auto [state, cell] = step(rows.front(), carried[0], carried[1]);
      if (!state || !cell)
        return failure();
      return Iteration{{state, cell}, {state}};
    };
    FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(loop, compute);
    if (failed(results))
      return node->fail();
    node.setResult(fromTimeFirst(nn, results->stacks.front(), steps));
    node.setAssigned({{places.state, results->finals[0]}, {places.state + 1, results->finals[1]}});
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Scales
  //===--------------------------------------------------------------------===//

  bool refuse(const Twine &what) {
    node.error() << what << ", but is not; convert the model again";
    return false;
  }

  /// Returns the gates that have their own weights, in the order of LstmGate.
  SmallVector<size_t> gates() const {
    SmallVector<size_t> all;
    for (size_t gate = sizes.isCoupled ? 1 : 0; gate < kNumLstmGates; ++gate)
      all.push_back(gate);
    return all;
  }

  bool readScales() {
    constexpr LstmPlaces places = onlyDirection;
    const Quantization *hidden = node.getIntermediateQuantization(4);
    FailureOr<OneScale> input = readOneScale(node, 0), state = readOneScale(node, places.state),
                        cell = readOneScale(node, places.state + 1);
    if (failed(input) || failed(state) || failed(cell))
      return false;
    inputZero = input->zero;
    stateZero = state->zero;
    // The scale of the stored cell must be a power of two.
    std::optional<int> power = findPowerOfTwo(cell->scale);
    if (!power || *power > -9 || *power < -15 || cell->zero != 0)
      return refuse("the cell's scale must be a power of two from 2^-15 to 2^-9, and its zero point must be 0");
    cellShift = *power;
    if (!hidden || hidden->isPerAxis())
      return refuse("the operator must state the hidden state's scale among its intermediate tensors");
    hiddenZero = hidden->zeros[0];
    const float gateScale = std::pow(2.0F, -12.0F), unit = std::pow(2.0F, -15.0F), hiddenScale = hidden->scales[0];
    for (size_t gate : gates()) {
      FailureOr<OneScale> weights = readOneScale(node, places.weights + placeOfGate[gate]),
                          recurrent = readOneScale(node, places.recurrence + placeOfGate[gate]);
      if (failed(weights) || failed(recurrent))
        return false;
      const float ofInput = weights->scale * input->scale / gateScale,
                  ofState = recurrent->scale * state->scale / gateScale;
      inputScales.push_back(nn::toFixedPoint(static_cast<double>(ofInput)));
      stateScales.push_back(nn::toFixedPoint(static_cast<double>(ofState)));
      if (weights->zero || recurrent->zero)
        return refuse("the zero points of weights must be 0");
    }
    const float ofHidden = unit / hiddenScale * unit;
    this->hiddenScale = nn::toFixedPoint(static_cast<double>(ofHidden));
    const double clip = node->getFloat("cell_clip", 0), projectionClip = node->getFloat("proj_clip", 0);
    if (clip > 0)
      cellClip = static_cast<int64_t>(std::clamp(static_cast<float>(clip) / cell->scale, -32768.0F, 32767.0F));
    if (projectionClip > 0)
      stateClip = static_cast<int64_t>(std::clamp(static_cast<float>(projectionClip) / state->scale, -128.0F, 127.0F));
    return readPeepholes(gateScale) && readProjection(hiddenScale, state->scale);
  }

  bool readPeepholes(float gateScale) {
    constexpr LstmPlaces places = onlyDirection;
    constexpr std::pair<LstmGate, size_t> peeping[] = {{InputGate, 0}, {ForgetGate, 1}, {OutputGate, 2}};
    for (auto [gate, place] : peeping) {
      Value weights = node.getOperand(places.peepholes + place);
      if (!weights)
        continue;
      FailureOr<OneScale> scale = readOneScale(node, places.peepholes + place);
      if (failed(scale))
        return false;
      if (!getElementType(weights).isSignlessInteger(16))
        return refuse("peepholes must have 16 bits");
      const float product = std::pow(2.0F, static_cast<float>(cellShift)) * scale->scale / gateScale;
      peepholes[gate] = nn.cast(weights, i32);
      peepholeScales[gate] = nn::toFixedPoint(static_cast<double>(product));
    }
    const bool isWhole =
        static_cast<bool>(peepholes[ForgetGate]) == static_cast<bool>(peepholes[OutputGate]) &&
        (sizes.isCoupled || static_cast<bool>(peepholes[InputGate]) == static_cast<bool>(peepholes[ForgetGate]));
    return isWhole || refuse("peepholes must be given for all gates or none");
  }

  bool readProjection(float hiddenScale, float stateScale) {
    constexpr LstmPlaces places = onlyDirection;
    Value weights = node.getOperand(places.projection);
    if (!weights)
      return true;
    FailureOr<OneScale> scale = readOneScale(node, places.projection);
    if (failed(scale))
      return false;
    if (!getElementType(weights).isSignlessInteger(8) || scale->zero)
      return refuse("the projection's weights must have 8 bits and the zero point 0");
    const float product = scale->scale * hiddenScale / stateScale;
    projection = nn.transpose(weights, {1, 0});
    projectionScale = nn::toFixedPoint(static_cast<double>(product));
    // The contribution of the hidden state's zero point to all sums is a part of the bias.
    Value ones = nn.splat(RankedTensorType::get({1, sizes.cells}, i8), 1);
    Value bias = nn.mul(nn.matmul(nn.cast(ones, i32), nn.cast(projection, i32)), static_cast<double>(hiddenZero));
    if (Value given = node.getOperand(places.projection + 1))
      bias = nn.add(bias, nn.cast(given, i32));
    projectionBias = bias;
    return projectionBias != Value();
  }

  /// Returns a table of `function` for all 16-bit integers.
  Value makeFunction(int16_t (*function)(int16_t, int), int integerBits) {
    return makeTable<int64_t>(nn, RankedTensorType::get(65536, i16), [&](int64_t index) {
      return int64_t(function(static_cast<int16_t>(index - 32768), integerBits));
    });
  }

  bool readTables() {
    constexpr int gateBits = 3;
    sigmoid = makeFunction(logistic16, gateBits);
    gateTanh = makeFunction(hyperbolicTangent16, gateBits);
    cellTanh = 15 + cellShift == gateBits ? gateTanh : makeFunction(hyperbolicTangent16, 15 + cellShift);
    return sigmoid && gateTanh && cellTanh;
  }

  //===--------------------------------------------------------------------===//
  // 2. The input
  //===--------------------------------------------------------------------===//

  /// Returns the matrices of the gates side by side: [columns, gates * cells].
  Value joinMatrices(size_t first) {
    SmallVector<Value> parts;
    for (size_t gate : gates())
      parts.push_back(node.getOperand(first + placeOfGate[gate]));
    return nn.transpose(nn.concat(parts, 0), {1, 0});
  }

  /// Rescales the sums of all gates to Q3, with a different factor for each gate.
  Value rescaleGates(Value sums, ArrayRef<FixedPoint> scales) {
    SmallVector<FixedPoint> columns;
    for (FixedPoint scale : scales)
      columns.append(sizes.cells, scale);
    FixedPointTables tables = makeTables(nn, columns);
    return nn.requantize(FixedPointRounding::Double, sums, tables.multiplier, tables.shift);
  }

  Value zeroOf(int64_t zero) {
    return zero ? nn.splat(RankedTensorType::get({}, i32), static_cast<double>(zero)) : Value();
  }

  Value cut(Value x, IntegerRange range) {
    return clamp(nn, x, static_cast<double>(range.low), static_cast<double>(range.high));
  }

  Value projectInput(Value x) {
    const int64_t steps = getShape(x)[0], columns = static_cast<int64_t>(inputScales.size()) * sizes.cells;
    Value rows = nn.reshape(x, {steps * sizes.batch, sizes.inputs});
    Value sums = integerMatMul(nn, rows, zeroOf(inputZero), joinMatrices(onlyDirection.weights), {});
    SmallVector<Value> biases;
    for (size_t gate : gates())
      biases.push_back(nn.cast(node.getOperand(onlyDirection.biases + placeOfGate[gate]), i32));
    Value scaled = rescaleGates(nn.add(sums, nn.concat(biases, 0)), inputScales);
    return nn.cast(nn.reshape(cut(scaled, range16), {steps, sizes.batch, columns}), i16);
  }

  //===--------------------------------------------------------------------===//
  // 3. A step
  //===--------------------------------------------------------------------===//

  Value lookUp(Value table, Value x) { return nn.cast(nn.gather(table, nn.add(x, 32768), 0), i32); }

  /// Returns x / 2^exponent, rounded to the nearest integer, and n.5 away from zero. |x| must be below 2^30.
  Value divideByPower(Value x, int exponent) { return multiply(nn, nn.mul(x, 2), {1 << 30, -exponent}); }

  /// Returns the sums of one gate, plus the contribution of its peephole.
  Value gate(Value sums, LstmGate which, Value cell) {
    Value x = nn.slice(sums, 1, (which - (sizes.isCoupled ? 1 : 0)) * sizes.cells, sizes.cells);
    if (!peepholes[which])
      return x;
    return cut(nn.add(multiply(nn, nn.mul(cell, peepholes[which]), peepholeScales[which]), x), range16);
  }

  std::pair<Value, Value> step(Value row, Value oldState, Value oldCell) {
    Value sums = rescaleGates(integerMatMul(nn, oldState, zeroOf(stateZero), recurrence, {}), stateScales);
    sums = cut(nn.add(sums, nn.cast(row, i32)), range16);
    if (!sums)
      return {};
    Value cell = nn.cast(oldCell, i32);
    Value forget = lookUp(sigmoid, gate(sums, ForgetGate, cell));
    Value input = sizes.isCoupled ? nn.sub(nn.splat(RankedTensorType::get({}, i32), INT16_MAX), forget)
                                  : lookUp(sigmoid, gate(sums, InputGate, cell));
    Value candidate = lookUp(gateTanh, gate(sums, CellGate, {}));
    Value next =
        cut(nn.add(divideByPower(nn.mul(forget, cell), 15), divideByPower(nn.mul(input, candidate), 30 + cellShift)),
            range16);
    if (cellClip > 0)
      next = cut(next, {-cellClip, cellClip});
    if (!next)
      return {};
    Value output = lookUp(sigmoid, gate(sums, OutputGate, next));
    Value hidden = multiply(nn, nn.mul(output, lookUp(cellTanh, next)), hiddenScale);
    hidden = nn.cast(cut(nn.add(hidden, -static_cast<double>(hiddenZero)), range8), i8);
    return {project(hidden), nn.cast(next, i16)};
  }

  Value project(Value hidden) {
    if (!projection)
      return hidden;
    Value sums = nn.add(integerMatMul(nn, hidden, {}, projection, {}), projectionBias);
    Value state = nn.add(multiply(nn, sums, projectionScale), static_cast<double>(stateZero));
    state = cut(state, range8);
    return nn.cast(stateClip > 0 ? cut(state, {-stateClip, stateClip}) : state, i8);
  }

  TfliteNode &node;
  NnBuilder &nn;
  LstmSizes sizes;
  Type i32, i16, i8;
  int64_t inputZero = 0, stateZero = 0, hiddenZero = 0, cellClip = 0, stateClip = 0;
  int cellShift = 0;                                ///< the cell's scale is 2^cellShift
  SmallVector<FixedPoint> inputScales, stateScales; ///< factors that rescale the sums of the gates
  FixedPoint hiddenScale, projectionScale, peepholeScales[kNumLstmGates];
  Value peepholes[kNumLstmGates], recurrence, projection, projectionBias;
  Value sigmoid, gateTanh, cellTanh; ///< tables of the functions
};

/// Reports an error unless the operands have the integer types of the kernel.
bool checkTypes(TfliteNode &node) {
  constexpr LstmPlaces places = onlyDirection;
  auto is = [&](size_t place, unsigned width) {
    Value operand = node.getOperand(place);
    return !operand || getElementType(operand).isSignlessInteger(width);
  };
  bool areRight = is(0, 8) && node.getOperand(places.state) && node.getOperand(places.state + 1) &&
                  is(places.state, 8) && is(places.state + 1, 16) && is(places.projection + 1, 32);
  for (size_t gate = 0; gate < 4; ++gate)
    areRight =
        areRight && is(places.weights + gate, 8) && is(places.recurrence + gate, 8) && is(places.biases + gate, 32);
  if (!areRight) {
    node.error() << "integers must have 8 bits, the cell 16 and biases 32, but do not";
    return false;
  }
  for (size_t gate = 0; gate < 4; ++gate)
    if (node.getOperand(*places.norms + gate)) {
      node.error() << node->nameOf(*places.norms + gate)
                   << " is not supported in quantized models; convert the model without layer normalization";
      return false;
    }
  return true;
}

} // namespace

void importIntegerLstm(TfliteNode &node, Steps steps) {
  node->ignore({"fused_activation_function"}); // the activation is always tanh, and the option is ignored
  if (!checkTypes(node))
    return;
  Value x = toTimeFirst(node.nn, node.getOperand(0), steps);
  FailureOr<LstmSizes> sizes = readLstmSizes(node, onlyDirection, x);
  if (failed(sizes))
    return;
  const int64_t states = getType(node.getOperand(onlyDirection.state)).getNumElements(),
                cells = getType(node.getOperand(onlyDirection.state + 1)).getNumElements();
  if (states != sizes->batch * sizes->outputs || cells != sizes->batch * sizes->cells) {
    node.error() << "states must have one element per row for each output and each cell, but have " << states << " and "
                 << cells;
    return;
  }
  IntegerLstm(node, *sizes).import(x, steps);
}

} // namespace nacre::importer::tflite_format
