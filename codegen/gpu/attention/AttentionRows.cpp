// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/attention/AttentionRows.h"

#include "codegen/form/Reduction.h"
#include "codegen/form/ScalarBody.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

Value AttentionRows::remainder(Value value, int64_t by) {
  return by == 1 ? index(0) : build.ops.createOrFold<arith::RemUIOp>(build.loc, value, index(by));
}

Value AttentionRows::quotient(Value value, int64_t by) {
  return by == 1 ? value : build.ops.createOrFold<arith::DivUIOp>(build.loc, value, index(by));
}

Value AttentionRows::least(Value a, Value b) { return build.ops.createOrFold<arith::MinUIOp>(build.loc, a, b); }

Value AttentionRows::clamped(Value value, int64_t low, int64_t high) {
  Value least = arith::MaxSIOp::create(build.ops, build.loc, value, index(low));
  return arith::MinSIOp::create(build.ops, build.loc, least, index(high));
}

Value AttentionRows::zeroUnless(Value inside, Value value) {
  if (!inside)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  // In SPIR-V 1.3, a select of vectors needs a vector as its condition.
  Value lanes = vector ? build.broadcast(inside, vector.getNumElements()) : inside;
  Value zero = build.constant(cast<TypedAttr>(build.ops.getZeroAttr(value.getType())));
  return arith::SelectOp::create(build.ops, build.loc, lanes, value, zero);
}

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// True if shaders support the body of a sweep, apart from the indices of its row and its key.
static bool canInlineSweep(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp>(op) || isLoopIndex(op) || canInlineOnGpu(op);
  });
}

bool AttentionRows::canSweep() {
  for (const Work &sweep : form.sweeps)
    if (!canInlineSweep(*sweep.body) || (!sweep.allParallel() && !findReduction(*sweep.body, 0)))
      return false;
  if (llvm::any_of(form.operands, [](const ContractionOperand &operand) { return operand.elementType.isBF16(); })) {
    function.declined = "shaders have no bf16";
    return false;
  }
  return true;
}

void AttentionRows::divide(int64_t rowsOfGroup, int64_t invocations) {
  rows = rowsOfGroup;
  const int64_t batches = form.numBatches(), rowBlocks = llvm::divideCeil(form.rows.size, rows);
  function.workgroupSize = invocations;
  function.unitExtent = form.cutBatch ? 1 : rows;
  function.groups = form.cutBatch ? batches / form.batches[*form.cutBatch].size * rowBlocks : batches;
  function.flops = 2 * form.multiplyAdds();

  Value low = build.add(function.shareBegin, build.multiply(function.row, function.unitExtent));
  Value high = least(build.add(low, index(function.unitExtent)), function.shareEnd);
  Value group = function.group;
  SmallVector<Value> &batch = operands.batch;
  batch.assign(form.batches.size(), Value());
  for (unsigned number = form.batches.size(); number-- > 0;) {
    if (form.cutBatch == number) {
      batch[number] = low;
      continue;
    }
    batch[number] = remainder(group, form.batches[number].size);
    group = quotient(group, form.batches[number].size);
  }
  firstRow = form.cutBatch ? build.multiply(group, rows) : low;
  endRow = form.cutBatch ? least(build.add(firstRow, index(rows)), index(form.rows.size)) : high;
  lastRow = arith::SubIOp::create(build.ops, build.loc, endRow, index(1));
  emitHalo(function, *form.written, form.kernel->cutAxis, low, high);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Value AttentionRows::firstPosition() {
  const int64_t furthest = 2 * (form.keys.size + form.rows.size); // All rows or none see all keys beyond it.
  if (!form.offset)
    return build.add(firstRow, index(std::clamp(form.bounds->offset, -furthest, furthest)));
  const Access &access = form.offset->access;
  Value address = index(access.offset);
  for (auto [number, of] : llvm::enumerate(operands.batch))
    if (access.strides[number] != 0)
      address = build.add(address, build.multiply(of, access.strides[number]));
  Value offset = build.load(access.argument, address, 1);
  offset = arith::IndexCastOp::create(build.ops, build.loc, build.ops.getIndexType(), offset);
  return build.add(firstRow, clamped(offset, -furthest, furthest));
}

KeyRange AttentionRows::visibleKeys() {
  const int64_t keys = form.keys.size, furthest = keys + form.rows.size;
  if (!form.bounds || keys <= plan::kKeysOfChunk)
    return {};
  Value position = firstPosition();
  KeyRange visible = {index(0), index(keys)};
  if (form.bounds->before)
    visible.low = clamped(build.subtract(position, index(std::min(*form.bounds->before, furthest))), 0, keys - 1);
  if (form.bounds->behind) {
    Value count = build.subtract(endRow, firstRow);
    Value high = build.add(build.add(position, count), index(std::min(*form.bounds->behind, furthest)));
    visible.high =
        arith::MaxSIOp::create(build.ops, build.loc, clamped(high, 0, keys), build.add(visible.low, index(1)));
  }
  return visible;
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

void AttentionRows::sweep(MutableArrayRef<KeptScore> kept) {
  for (auto [number, sweep] : llvm::enumerate(form.sweeps))
    sweep.allParallel() ? emitMap(sweep, kept) : emitReduction(number, kept);
}

SmallVector<Value> AttentionRows::inputsOf(const Work &sweep, const KeptScore &one) {
  SmallVector<Value> values;
  for (const Input &input : sweep.inputs) {
    if (input.source == Input::Source::Unread)
      values.push_back(Value());
    else if (input.source == Input::Source::Work)
      values.push_back(isOfRow(input) ? rowValues.lookup(input.work) : one.score);
    else
      values.push_back(loadMask(input.access, one.key));
  }
  return values;
}

Value AttentionRows::loadMask(const Access &access, Value key) {
  const unsigned numBatches = form.batches.size();
  Value address = index(access.offset);
  auto move = [&](Value by, unsigned loop) {
    if (access.strides[loop] != 0)
      address = build.add(address, build.multiply(by, access.strides[loop]));
  };
  for (unsigned number = 0; number < numBatches; ++number)
    move(operands.batch[number], number);
  move(rowAt(sweptRow()), numBatches);
  move(key, numBatches + 1);
  return build.load(access.argument, address, 1);
}

Value AttentionRows::inlineMap(const Work &sweep, ArrayRef<Value> arguments, Value key) {
  if (sweep.body->getOps<linalg::IndexOp>().empty())
    return inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front();
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(build.ops, build.loc, build.ops.getI32Type(), index);
  };
  IRMapping values;
  values.map(sweep.body->getArguments(), arguments);
  for (auto [inBody, value] : form.givePositions(sweep, toWord(rowAt(sweptRow())), toWord(key)))
    values.map(inBody, value);
  return inlineValues(build.ops, build.loc, sweep.body->getTerminator()->getOperands(), values, 1).front();
}

void AttentionRows::emitMap(const Work &sweep, MutableArrayRef<KeptScore> kept) {
  for (KeptScore &one : kept) {
    SmallVector<Value> arguments = inputsOf(sweep, one);
    arguments.push_back(Value()); // A map reads no accumulator.
    one.score = inlineMap(sweep, arguments, one.key);
  }
}

void AttentionRows::emitReduction(unsigned number, ArrayRef<KeptScore> kept) {
  const Work &sweep = form.sweeps[number];
  const Reduction reduction = *findReduction(*sweep.body, 0);
  Value own = build.constant(reduction.identity);
  for (const KeptScore &one : kept) {
    SmallVector<Value> arguments = inputsOf(sweep, one);
    arguments.push_back(own);
    Value next = inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front();
    own = one.inside ? arith::SelectOp::create(build.ops, build.loc, one.inside, next, own).getResult() : next;
  }
  // All invocations of a row fold all of its parts, pair by pair. This order keeps dependency chains short.
  Value parts = function.shared(function.workgroupSize, type);
  memref::StoreOp::create(build.ops, build.loc, own, parts, function.invocation);
  build.barrier();
  Value first = build.multiply(sweptRow(), perRow());
  SmallVector<Value> folded;
  for (int64_t i = 0; i < perRow(); ++i)
    folded.push_back(memref::LoadOp::create(build.ops, build.loc, parts, build.add(first, index(i))));
  auto fold = [&](Value a, Value b) { return inlineOperation(build, reduction.op, {a, b}, 1); };
  for (; folded.size() > 1; folded.truncate(folded.size() / 2))
    for (size_t pair = 0; pair < folded.size() / 2; ++pair)
      folded[pair] = fold(folded[2 * pair], folded[2 * pair + 1]);
  rowValues[number + 1] = fold(build.constant(sweep.results.front().start), folded.front());
}

Value AttentionRows::finished(Value sum, unsigned width) {
  if (!form.epilogue)
    return sum;
  return inlineBody(build.ops, build.loc, *form.epilogue->body, {sum, Value()}, width).front();
}

} // namespace nacre::codegen::gpu
