// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits gathers, resampling and pads that read their innermost axis in order, such as rows of an embedding or
//        channels of a pixel. The fallback handles reads of single elements.
// Why:   a whole row then has one address. It is computed once, and the row is moved in vectors.
// How:   1. split the body. The computation of indices stays scalar. The rest becomes a body whose arguments are the
//           operands and the elements that are read;
//        2. for each row, emit the indices, then scalars, then vectors along the row.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/halves/HalfArithmetic.h"
#include "dialects/plan/ScalarOps.h"

#include "codegen/form/ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Length of the shortest row that is faster in vectors.
constexpr int64_t kShortestRow = 4;
/// Number of vectors in a step along the row.
constexpr int64_t kVectors = 4;

/// Source of an argument of the body without indices.
struct Argument {
  unsigned input = 0;     ///< Input of the work, if `read` is null
  tensor::ExtractOp read; ///< Operation that reads the element; null for an input
  StridedSlice source;    ///< Slice of a storage that `read` reads from
  /// True if the address advances along the row. Otherwise, the element is the same for the whole row.
  bool alongRow = false;
};

class IndexedEmitter {
public:
  IndexedEmitter(const KernelForm &form, KernelFunction &function)
      : form(form), work(form.work.front()), written(form.written.front()), function(function), builder(function) {}

  LogicalResult run();

private:
  // 1. The body
  LogicalResult chooseLoops();
  LogicalResult splitBody();
  FailureOr<Value> take(Value value, IRMapping &taken);
  LogicalResult addRead(tensor::ExtractOp read);
  bool dependsOnRow(Value value) const;

  // 2. Rows
  void emitLoops(unsigned loop, Value low, Value high);
  void emitRow();
  Value evaluate(Value value);

  const KernelForm &form;
  const Work &work;
  const WrittenTensor &written;
  KernelFunction &function;
  VectorBuilder builder;

  Access target;
  unsigned row = 0; ///< Loop along which the output is contiguous
  std::optional<unsigned> cut;
  Region split; ///< Region with the body without indices
  SmallVector<Argument, 0> arguments;
  unsigned width = 1;

  SmallVector<Position> at; ///< Position in each loop
  IRMapping scalars;        ///< Values of the original body that are already computed for this row
};

//===----------------------------------------------------------------------===//
// 1. The body
//===----------------------------------------------------------------------===//

LogicalResult IndexedEmitter::chooseLoops() {
  const Result &result = work.results.front();
  FailureOr<Access> access = composeAccess(written.slice, result.map, result.elementType);
  if (failed(access))
    return failure();
  target = std::move(*access);
  std::optional<unsigned> contiguous;
  for (unsigned loop = 0; loop < work.loops(); ++loop)
    if (target.strides[loop] == 1 && work.sizes[loop] >= kShortestRow)
      contiguous = loop;
  if (!contiguous)
    return failure();
  row = *contiguous;
  if (form.cutExtent > 1) {
    auto dim = dyn_cast<AffineDimExpr>(result.map.getResult(form.cutAxis));
    if (!dim || dim.getPosition() == row)
      return failure();
    cut = dim.getPosition();
  }
  return success();
}

bool IndexedEmitter::dependsOnRow(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() >= work.inputs.size() ||
           work.inputs[argument.getArgNumber()].access.strides[row] != 0;
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() == row;
  return isa<tensor::ExtractOp, plan::LookupOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnRow(operand); });
}

LogicalResult IndexedEmitter::addRead(tensor::ExtractOp read) {
  FailureOr<StridedSlice> source = findSlice(read.getTensor());
  if (failed(source) || source->padding)
    return failure();
  Argument argument{0, read, std::move(*source), false};
  for (auto [index, stride] : llvm::zip_equal(read.getIndices(), argument.source.strides)) {
    auto counter = index.getDefiningOp<linalg::IndexOp>();
    if (counter && counter.getDim() == row && stride == 1)
      argument.alongRow = true;
    else if (dependsOnRow(index))
      return failure();
  }
  arguments.push_back(std::move(argument));
  return success();
}

/// Returns the counterpart of `value` in the body without indices.
FailureOr<Value> IndexedEmitter::take(Value value, IRMapping &taken) {
  if (Value known = taken.lookupOrNull(value))
    return known;
  auto added = [&]() -> Value {
    Value argument = split.front().addArgument(value.getType(), function.loc);
    taken.map(value, argument);
    return argument;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getArgNumber() >= work.inputs.size())
      return failure();
    arguments.push_back({argument.getArgNumber(), {}, {}, false});
    return added();
  }
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
    if (failed(addRead(read)))
      return failure();
    return added();
  }
  if (isa<plan::LookupOp>(op)) // Its table is no input of the work.
    return failure();
  if (op->getBlock() != work.body)
    return matchPattern(value, m_Constant()) ? FailureOr<Value>(value) : FailureOr<Value>(failure());
  for (Value operand : op->getOperands()) {
    FailureOr<Value> mapped = take(operand, taken);
    if (failed(mapped))
      return failure();
    taken.map(operand, *mapped);
  }
  OpBuilder atEnd(op->getContext());
  atEnd.setInsertionPointToEnd(&split.front());
  atEnd.clone(*op, taken);
  return taken.lookup(value);
}

LogicalResult IndexedEmitter::splitBody() {
  split.emplaceBlock();
  IRMapping taken;
  FailureOr<Value> yielded = take(work.body->getTerminator()->getOperand(0), taken);
  if (failed(yielded))
    return failure();
  OpBuilder atEnd(function.loc.getContext());
  atEnd.setInsertionPointToEnd(&split.front());
  linalg::YieldOp::create(atEnd, function.loc, *yielded);
  if (!canInline(split.front()))
    return failure();
  width = std::max(1u, builder.target.vectors.bytes * 8 / widestElementBits(split.front()));
  SmallVector<Type> stored(split.front().getArgumentTypes());
  stored.push_back(yielded->getType());
  width = widenedForHalves(builder.target, width, stored);
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Rows
//===----------------------------------------------------------------------===//

/// Emits `value`, a scalar of the original body, at the current position.
Value IndexedEmitter::evaluate(Value value) {
  if (Value known = scalars.lookupOrNull(value))
    return known;
  Value computed = value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const Access &access = work.inputs[argument.getArgNumber()].access;
    computed =
        builder.loadScalar(function.buffers[access.argument], builder.address(at, access.strides, access.offset));
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    computed = builder.address(at[index.getDim()], {1}, 0);
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      evaluate(operand);
    computed = builder.ops.clone(*value.getDefiningOp(), scalars)->getResult(0);
  }
  scalars.map(value, computed);
  return computed;
}

void IndexedEmitter::emitRow() {
  scalars.clear();
  at[row] = {};
  // For each argument, the address of the row's first element, and the value that the whole row shares.
  SmallVector<Value> addresses(arguments.size()), shared(arguments.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    unsigned storage = argument.source.argument;
    if (argument.read) {
      SmallVector<Position> position;
      for (auto [index, stride] : llvm::zip_equal(argument.read.getIndices(), argument.source.strides)) {
        auto counter = index.getDefiningOp<linalg::IndexOp>();
        const bool isRow = counter && counter.getDim() == row;
        position.push_back(isRow ? Position() : Position{evaluate(index), 0});
      }
      addresses[i] = builder.address(position, argument.source.strides, argument.source.offset);
    } else {
      const Access &access = work.inputs[argument.input].access;
      storage = access.argument;
      addresses[i] = builder.address(at, access.strides, access.offset);
    }
    if (argument.read ? !argument.alongRow : work.inputs[argument.input].access.strides[row] == 0)
      shared[i] = builder.loadScalar(function.buffers[storage], addresses[i]);
  }
  Value targetAddress = builder.address(at, target.strides, target.offset);

  auto emit = [&](Position position, const Piece &piece) {
    SmallVector<Value> values;
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      if (shared[i]) {
        values.push_back(shared[i]);
        continue;
      }
      const Access *access = argument.read ? nullptr : &work.inputs[argument.input].access;
      const int64_t stride = access ? access->strides[row] : 1;
      Value buffer = function.buffers[access ? access->argument : argument.source.argument];
      Value address = builder.address({{addresses[i], 0}, position + piece.offset}, {1, stride}, 0);
      values.push_back(stride == 1 ? builder.load(buffer, address, piece)
                                   : builder.loadStrided(buffer, address, stride, piece));
    }
    Value result = inlineBody(builder, split.front(), values, piece.width).front();
    builder.store(builder.broadcast(result, piece.width), function.buffers[target.argument],
                  builder.address({{targetAddress, 0}, position + piece.offset}, {1, 1}, 0), piece);
  };
  const int64_t size = work.sizes[row];
  const int64_t step = std::clamp<int64_t>(size / width, 1, kVectors) * width, main = size / step * step;
  const bool masks = hasMasks(builder.target, work.results.front().elementType.getIntOrFloatBitWidth());
  builder.loop(0, main, step, [&](Position position) {
    for (const Piece &piece : cutIntoPieces(step, width, false))
      emit(position, piece);
  });
  for (const Piece &piece : cutIntoPieces(size - main, width, masks))
    emit({Value(), main}, piece);
}

void IndexedEmitter::emitLoops(unsigned loop, Value low, Value high) {
  if (loop == work.loops())
    return emitRow();
  if (loop == row)
    return emitLoops(loop + 1, low, high);
  auto body = [&](Position counter) {
    at[loop] = counter;
    emitLoops(loop + 1, low, high);
  };
  if (loop == cut)
    builder.loop(low, high, 1, body);
  else
    builder.loop(0, work.sizes[loop], 1, body);
}

LogicalResult IndexedEmitter::run() {
  if (failed(chooseLoops()) || failed(splitBody()))
    return failure();
  const MachineModel &model = builder.target.model;
  double rows = 1;
  for (unsigned loop = 0; loop < work.loops(); ++loop)
    if (loop != row)
      rows *= work.sizes[loop];
  const double instructions = double(work.sizes[row]) / width * (bodyCost(split.front()) + arguments.size() + 1);
  const double cycles = rows * (model.rowCycles + instructions / model.chainedInstructionsPerCycle);
  divideIntoUnits(function, cycles / model.gigahertz / form.cutExtent, form.cutExtent);
  emitUnits(builder, function, [&](Value low, Value high, Value) {
    at.assign(work.loops(), Position());
    if (cut)
      emitLoops(0, low, high);
    else
      builder.loop(low, high, 1, [&](Position) { emitLoops(0, low, high); });
    emitHalo(builder, function.buffers[target.argument], written, cut ? form.cutAxis : 0, low, high);
  });
  return success();
}

} // namespace

LogicalResult emitIndexed(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form) || form->work.size() != 1 || form->written.size() != 1)
    return failure();
  const Work &work = form->work.front();
  const bool fits = work.allParallel() && work.results.size() == 1 && work.results.front().written &&
                    llvm::all_of(work.inputs, [](const Input &input) {
                      return input.source == Input::Source::Storage && input.access.padded.empty();
                    });
  return fits ? IndexedEmitter(*form, function).run() : failure();
}

} // namespace nacre::codegen::cpu
