// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits attention: the scores of some rows of queries, their softmax, and the sum of the values weighted by it.
// Why:   the scores of a few rows fit the second-level cache. A matrix of all scores is never in memory.
// How:   1. a unit is some rows of one batch (a head);
//        2. the unit packs keys and values into panels in scratch. If they are codes, it also computes the column sums
//           that zero points need;
//        3. for each block of rows, it emits the product of scores into scratch, then the sweeps over each row of
//           scores (AttentionSweeps.h). Then it multiplies the weights in scratch by the values, into the result.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/attention/AttentionSweeps.h"
#include "codegen/cpu/panels/PackColumns.h"
#include "codegen/cpu/panels/PackGroups.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "codegen/cpu/panels/UnitPanel.h"
#include "codegen/cpu/panels/WideRows.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class AttentionEmitter {
public:
  AttentionEmitter(KernelFunction &function, const AttentionForm &form)
      : function(function), build(function), form(form), type(build.ops.getF32Type()),
        sumType(form.isOfCodes ? Type(build.ops.getI32Type()) : type),
        machine(machineOf(build.target, productsOf(type))), lanes(machine.step.lanes) {}

  LogicalResult emit() {
    if (!canEmitSweeps(form))
      return failure();
    if (failed(divide()))
      return failure();
    build.loop(function.begin, function.end, 1, [&](Position unit) { emitUnit(unit.counter); });
    return success();
  }

private:
  using Index = AttentionForm::Index;

  Value difference(Value a, Value b) {
    return arith::SubIOp::create(build.ops, build.loc, a, b, arith::IntegerOverflowFlags::nsw);
  }
  Value bufferOf(Index index) const { return function.buffers[form.operands[index].argument]; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  LogicalResult divide() {
    constexpr int64_t wantedUnits = 16, leastRows = 96; // Packing the panels takes too large a part of a smaller unit.
    const int64_t most = std::max<int64_t>(1, form.rows.size / leastRows);
    const int64_t blocks = std::clamp<int64_t>(llvm::divideCeil(wantedUnits, form.numBatches()), 1, most);
    rowsOfUnit = llvm::divideCeil(form.rows.size, blocks);
    rowBlocks = llvm::divideCeil(form.rows.size, rowsOfUnit);
    function.unitExtent = form.cutBatch ? 1 : rowsOfUnit;
    function.unitsPerBlock = form.numBatches();
    if (form.cutBatch)
      function.unitsPerBlock = function.unitsPerBlock / form.batches[*form.cutBatch].size * rowBlocks;
    function.flops = 2 * form.multiplyAdds();
    scores = describe(form.isUnsignedKeys, form.depth, form.keys.size);
    weighted = describe(form.isUnsignedValues, form.keys, form.columns.size);
    for (MatrixProduct *product : {&scores, &weighted}) {
      if (!form.isOfCodes)
        continue;
      if (!canMultiply(build.target, *product))
        return failure();
      *product = inScratch(build.target, *product);
    }
    function.unitCost = machineOfProduct(scores).nanosecondsOf(function.flops / double(form.numBatches() * rowBlocks));
    chooseBlock();
    return success();
  }

  /// Returns a product of a unit's rows whose steps are consecutive in memory. The caller sets the addresses of the
  /// operands.
  MatrixProduct describe(bool isUnsignedRhs, const ContractionLoop &depth, int64_t columns) const {
    const Type left = form.operands[Index::Queries].elementType, element = form.isOfCodes ? left : type;
    MatrixProduct product;
    product.accumulatorType = sumType;
    product.operands = {{0, 0, element}, {0, 0, element}, {0, 0, sumType}};
    product.isUnsignedLhs = form.isUnsignedQueries;
    product.isUnsignedRhs = isUnsignedRhs;
    product.rows = {{rowsOfUnit, {0, 0, 0}}};
    product.depth = {{depth.size, {1, 0, 0}}};
    product.columns = {columns, {0, 1, 1}};
    return product;
  }

  const MachineRow &machineOfProduct(const MatrixProduct &product) const {
    return form.isOfCodes ? machineOf(build.target, product, typeInScratch(build.target, product), /*width=*/0)
                          : machine;
  }

  /// Chooses the number of rows in a block, so that their scores fill at most a quarter of the second-level cache. Also
  /// chooses the distance between rows in scratch.
  void chooseBlock() {
    constexpr int64_t line = kLineBytes / 4;
    pitch =
        (llvm::divideCeil(int64_t(llvm::alignTo(form.keys.size, machine.geometry.registers * lanes)), line) | 1) * line;
    const int64_t fitting = int64_t(build.target.model.l2Bytes / 4) / (pitch * 4);
    // Blocks of few rows have the same panels as blocks of many rows: wide panels for a single row take longer to pack.
    ContractionShape shape;
    shape.rows = std::clamp<int64_t>(fitting, 1, plan::kRowsOfBlock);
    shape.columns = form.keys.size;
    shape.depth = form.depth.size;
    keyWidth = choosePanelWidth(machineOfProduct(scores), shape);
    pitch = (llvm::divideCeil(int64_t(llvm::alignTo(form.keys.size, keyWidth)), line) | 1) * line;
    codePitch = (llvm::divideCeil(form.keys.size, int64_t(kLineBytes)) | 1) * kLineBytes;
    shape.rowBytes = form.isOfCodes ? codePitch : pitch * 4;
    shape.columns = form.columns.size;
    shape.depth = form.keys.size;
    const MachineRow &ofValues = machineOfProduct(weighted);
    valueWidth = choosePanelWidth(ofValues, shape);
    const int64_t tile = splitRun(ofValues, shape.rows, valueWidth / ofValues.step.lanes, shape.depth).rows;
    block = std::min(rowsOfUnit, std::max<int64_t>(1, shape.rows / tile) * tile);
    // Fewer keys at a time would store and load the sums of values too often.
    chunk = llvm::alignTo(plan::kKeysOfChunk, keyWidth);
    skipsKeys = form.bounds && !form.isOfCodes && form.keys.size > chunk && chunk % lanes == 0;
  }

  void emitUnit(Value unit) {
    Value low =
        build.sum(function.shareBegin, build.scaled(build.divide(unit, function.unitsPerBlock), function.unitExtent));
    Value high = emitMin(build, build.add(low, function.unitExtent), function.shareEnd);
    Value part = build.remainder(unit, function.unitsPerBlock);
    emitHaloOfFirst(build, part, bufferOf(Index::Result), *form.written, form.kernel->cutAxis, low, high);

    batch.assign(form.batches.size(), Value());
    for (unsigned number = form.batches.size(); number-- > 0;) {
      if (form.cutBatch == number) {
        batch[number] = low;
        continue;
      }
      batch[number] = build.remainder(part, form.batches[number].size);
      part = build.divide(part, form.batches[number].size);
    }
    Value firstRow = low, endRow = high;
    if (form.cutBatch) {
      firstRow = build.scaled(part, rowsOfUnit);
      endRow = emitMin(build, build.add(firstRow, rowsOfUnit), build.index(form.rows.size));
    }
    const size_t buffers = function.buffers.size();
    packPanels();
    allocateScores();
    build.loop(firstRow, endRow, block, [&](Position row) {
      Value first = build.address({row}, {1}, 0);
      Value count = emitMin(build, difference(endRow, first), build.index(block));
      if (skipsKeys)
        rows.keys = emitVisibleKeys(build, form, batch, first, count, chunk);
      emitScores(first, count);
      build.loop(build.index(0), count, 1, [&](Position inBlock) {
        Value row = build.address({{first, 0}, inBlock}, {1, 1}, 0);
        emitSweeps(build, form, function.buffers, rows, {row, rowOf(Index::Queries, row), batch}, inBlock);
      });
      skipsKeys ? emitVisibleResult(first, count) : emitResult(first, count);
    });
    function.buffers.truncate(buffers);
  }

  /// Returns the address of the operand `index` in the unit's batch.
  Value baseOf(Index index) {
    Value base = build.index(form.operands[index].offset);
    for (auto [number, loop] : llvm::enumerate(form.batches))
      base = build.address({{base, 0}, {batch[number], 0}}, {1, loop.strides[index]}, 0);
    return base;
  }
  Value rowOf(Index index, Value row) {
    return build.address({{baseOf(index), 0}, {row, 0}}, {1, form.rows.strides[index]}, 0);
  }

  //===--------------------------------------------------------------------===//
  // 2. Panels
  //===--------------------------------------------------------------------===//

  /// Returns a buffer in scratch as an operand of a product, and adds it to the function's buffers.
  ContractionOperand asOperand(Value buffer) {
    function.buffers.push_back(buffer);
    return {unsigned(function.buffers.size() - 1), 0, cast<MemRefType>(buffer.getType()).getElementType()};
  }

  void packPanels() {
    packedKeys = pack(Index::Keys, form.depth, form.keys, keyWidth, scores);
    packedValues = pack(Index::Values, form.keys, form.columns, valueWidth, weighted);
    scores.operands[Contraction::Rhs] = asOperand(packedKeys.buffer);
    weighted.operands[Contraction::Rhs] = asOperand(packedValues.buffer);
    rows.keySums = form.sums[Index::Keys] ? sumColumns(scores, packedKeys) : Value();
    valueSums = form.sums[Index::Values] ? sumColumns(weighted, packedValues) : Value();
  }

  /// Packs the operand `index` of the unit into panels of `width` columns. Floats become f32; codes are packed in the
  /// words that `product` multiplies.
  PackedColumns pack(Index index, const ContractionLoop &depth, const ContractionLoop &columns, int64_t width,
                     const MatrixProduct &product) {
    const PackedAxis steps = {depth.size, depth.strides[index]}, across = {columns.size, columns.strides[index]};
    if (!form.isOfCodes)
      return packColumns(function, build, {bufferOf(index), baseOf(index)}, steps, across, width, type);
    PackedColumns packed;
    packed.width = width;
    packed.panels = llvm::divideCeil(across.size, width);
    packed.stride = product.groups.stored() * width;
    packed.buffer =
        allocateScratch(function, build, packed.panels * packed.stride, typeInScratch(build.target, product));
    Value base = baseOf(index);
    auto panel = [&](Position number, int64_t count) {
      Value from = build.address({{base, 0}, number}, {1, width * across.stride}, 0);
      Value to = build.address({number}, {packed.stride}, 0);
      packGroups(build, {bufferOf(index), from}, steps.stride, {count, across.stride}, product.groups,
                 {packed.buffer, to, 0, width});
    };
    const int64_t whole = across.size / width;
    build.loop(0, whole, 1, [&](Position number) { panel(number, width); });
    if (across.size % width != 0)
      panel({Value(), whole}, across.size % width);
    return packed;
  }

  /// Returns the sums of all columns, computed as the product with a row of ones.
  Value sumColumns(MatrixProduct product, const PackedColumns &packed) {
    const Type code = typeInScratch(build.target, product);
    const int64_t bytes = build.target.vectors.bytes, count = llvm::alignTo(product.depthSize(), bytes);
    Value ones = allocateScratch(function, build, count, code);
    Value vector = build.constant(DenseElementsAttr::get(VectorType::get({bytes}, code), APInt(8, 1)));
    build.loop(0, count, bytes, [&](Position at) {
      build.store(vector, ones, build.address({at}, {1}, 0), {0, unsigned(bytes), unsigned(bytes)});
    });
    Value sums = allocateScratch(function, build, packed.panels * packed.width, sumType);
    product.operands[Contraction::Lhs] = asOperand(ones);
    product.operands[Contraction::Result] = asOperand(sums);
    product.rows = {{1, {0, 0, 0}}};
    emitProduct(product, packed, {build.index(0), Value(), build.index(0)}, {});
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // 3. Blocks of rows
  //===--------------------------------------------------------------------===//

  /// Allocates the scores of a block. The scores overwrite the sums of the first product. Codes of the weights have
  /// separate memory.
  void allocateScores() {
    const uint64_t before = function.scratchBytes;
    rows.sums = allocateScratch(function, build, block * pitch, sumType);
    function.scratchBytes = before;
    rows.scores = allocateScratch(function, build, block * pitch, type);
    rows.pitch = pitch;
    scores.operands[Contraction::Lhs] = form.operands[Index::Queries];
    scores.operands[Contraction::Result] = asOperand(rows.sums);
    scores.rows = {{rowsOfUnit, {form.rows.strides[Index::Queries], 0, pitch}}};
    if (!form.isOfCodes) {
      scores.depth.front().strides[Contraction::Lhs] = form.depth.strides[Index::Queries];
    } else {
      rows.codes = allocateScratch(function, build, block * codePitch, weighted.operands[Contraction::Lhs].elementType);
      rows.codePitch = codePitch;
      for (const Input &input : form.epilogue ? form.epilogue->inputs : ArrayRef<Input>())
        if (form.sweepOf(input))
          rows.kept[*form.sweepOf(input)] = allocateScratch(function, build, block, sumType);
    }
    weighted.operands[Contraction::Lhs] = asOperand(form.isOfCodes ? rows.codes : rows.scores);
    weighted.operands[Contraction::Result] = form.operands[Index::Result];
    weighted.rows = {{rowsOfUnit, {form.isOfCodes ? codePitch : pitch, 0, form.rows.strides[Index::Result]}}};
    addEpilogue();
  }

  /// Adds the other operands of the second product's epilogue: sums of a row's weights, sums of columns, and constants.
  void addEpilogue() {
    weighted.epilogue = form.epilogue;
    for (const Input &input : form.epilogue ? form.epilogue->inputs : ArrayRef<Input>()) {
      const std::optional<unsigned> sweep = form.sweepOf(input);
      const bool isOfColumns = form.sumOf(input).has_value(), isNumber = input.source == Input::Source::Storage;
      if (!sweep && !isOfColumns && !isNumber) {
        weighted.productInputs.push_back(0);
        continue;
      }
      weighted.productInputs.push_back(std::nullopt);
      if (isNumber)
        weighted.operands.push_back({input.access.argument, input.access.offset, input.elementType});
      else
        weighted.operands.push_back(asOperand(sweep ? rows.kept.lookup(*sweep) : valueSums));
      weighted.rows.front().strides.push_back(sweep ? 1 : 0);
      weighted.columns.strides.push_back(isOfColumns ? 1 : 0);
      weighted.depth.front().strides.push_back(0);
    }
    if (!form.epilogue)
      weighted.productInputs = {0};
    if (skipsKeys)
      resultSums = allocateScratch(function, build, block * resultPitch(), type);
  }

  /// Multiplies the first `count` rows by the panels of `packed`. If `count` is null, multiplies all rows.
  void emitProduct(MatrixProduct product, const PackedColumns &packed, const Addresses &at, Value count,
                   const KeyRange &visible = {}, PanelWalk walk = {}) {
    const int64_t step = packed.width * product.groups.k;
    product.depth.front().strides[Contraction::Rhs] = step;
    walk.panel = {packed.buffer, packed.width, {step}};
    if (count) {
      product.cut = LoopedContraction::Cut::Rows;
      product.cutExtent = block;
      walk.cutLow = build.index(0);
      walk.cutHigh = count;
      walk.cutExtent = walk.cutMost = block;
    }
    auto multiplyPanels = [&](const PanelWalk &rows, const Addresses &at) {
      emitPanels(function, build, product, packed, rows, at, visible);
    };
    if (form.isOfCodes && machineOfProduct(product).readsWideRows())
      forWideRows(function, build, product, walk, at, multiplyPanels);
    else
      multiplyPanels(walk, at);
  }

  void emitScores(Value first, Value count) {
    emitProduct(scores, packedKeys, {rowOf(Index::Queries, first), Value(), build.index(0)}, count, rows.keys);
  }

  void emitResult(Value first, Value count) {
    Addresses at = {build.index(0), Value(), rowOf(Index::Result, first)};
    for (const ContractionOperand &extra : ArrayRef(weighted.operands).drop_front(Contraction::Extra))
      at.push_back(build.index(extra.offset));
    emitProduct(weighted, packedValues, at, count);
  }

  int64_t resultPitch() const { return int64_t(llvm::alignTo(form.columns.size, valueWidth)); }

  /// Adds up the products of weights and values for one chunk of visible keys after the other. Then writes the result
  /// from the sums, which the epilogue narrows.
  void emitVisibleResult(Value first, Value count) {
    const Piece vector = {0, lanes, lanes};
    Value zero = build.constant(cast<TypedAttr>(build.ops.getZeroAttr(vectorOf(type, lanes))));
    build.loop(0, block * resultPitch(), lanes,
               [&](Position at) { build.store(zero, resultSums, build.address({at}, {1}, 0), vector); });
    MatrixProduct product = weighted;
    product.operands[Contraction::Result] = asOperand(resultSums);
    product.rows.front().strides[Contraction::Result] = resultPitch();
    product.epilogue = nullptr;
    PanelWalk walk;
    walk.addsToResult = true;
    walk.goesOn = form.keys.size <= kSerialSteps;
    auto multiply = [&](Position number, int64_t keys) {
      product.depth.front().size = keys;
      Value from = build.address({number}, {chunk}, 0);
      emitProduct(product, packedValues, {from, build.scaled(from, packedValues.width), build.index(0)}, count,
                  /*visible=*/{}, walk);
    };
    const int64_t whole = form.keys.size / chunk, rest = form.keys.size % chunk;
    build.loop(rows.keys.low, rest == 0 ? rows.keys.high : emitMin(build, rows.keys.high, build.index(whole)), 1,
               [&](Position number) { multiply(number, chunk); });
    if (rest != 0)
      build.loop(build.index(whole), rows.keys.high, 1, [&](Position) { multiply({Value(), whole}, rest); });
    build.loop(build.index(0), count, 1, [&](Position row) {
      Value to = rowOf(Index::Result, build.address({{first, 0}, row}, {1, 1}, 0));
      finishRow(build, {resultSums, build.address({row}, {resultPitch()}, 0)}, {bufferOf(Index::Result), to},
                form.columns.size, form.epilogue);
    });
  }

  KernelFunction &function;
  VectorBuilder build;
  const AttentionForm &form;
  const Type type;    ///< Type of scores
  const Type sumType; ///< Type of a product's sums
  const MachineRow &machine;
  const unsigned lanes;
  MatrixProduct scores, weighted; ///< Products with panels: queries by keys, and weights by values
  int64_t rowsOfUnit = 1, rowBlocks = 1;
  int64_t block = 1;                    ///< Number of rows whose scores are in scratch
  int64_t pitch = 0, codePitch = 0;     ///< Number of elements between rows, of scores and of codes
  int64_t keyWidth = 0, valueWidth = 0; ///< Number of columns of a panel
  int64_t chunk = 0;                    ///< Number of keys that are skipped together
  bool skipsKeys = false;               ///< True if keys that no row of a block sees are not computed

  // The current unit.
  SmallVector<Value> batch; ///< Index of each batch loop
  PackedColumns packedKeys, packedValues;
  Value valueSums, resultSums;
  ScoreRows rows;
};

} // namespace

LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<AttentionForm> form = parseAttention(kernel);
  if (failed(form))
    return failure();
  function.keepsOrder = keepsOrderOfTiles(function.target);
  return AttentionEmitter(function, *form).emit();
}

} // namespace nacre::codegen::cpu
