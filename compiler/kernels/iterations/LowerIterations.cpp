// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes all iterations of a loop as the program of a serial kernel. Its points are the rows of a batch.
//
// 1. Tensors: parts of results, and rows that belong to the point (ProgramTensors.h).
// 2. Loops over columns, whose iterations run in parallel (plan::kParallel).
// 3. Values in one column: through elementwise operators back to rows and values from outside.
// 4. Products, in parts of their depth.
// 5. The program.

#include "compiler/kernels/iterations/LowerIterations.h"

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/bodies/SerialBody.h"
#include "compiler/kernels/iterations/ProgramTensors.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

class IterationWriter : private ProgramTensors {
public:
  IterationWriter(KernelBody &body, nn::ForOp loop, const IterationPlan &plan)
      : ProgramTensors(body.getBuilder(), body.getLoc()), body(body), loop(loop), plan(plan) {}

  LogicalResult write() {
    readOperands();
    const auto &results = body.getGroup().results;
    SmallVector<Value> targets;
    for (unsigned result = 0; result < results.size(); ++result)
      targets.push_back(body.getTarget(result));
    body.setCut(typeOf(targets.front()).getRank() - 2, plan.rows, /*grain=*/1);
    auto numbers = [&](int64_t number) { return SmallVector<OpFoldResult>{ops.getIndexAttr(number)}; };
    auto points = scf::ForallOp::create(ops, loc, numbers(0), numbers(plan.rows), numbers(1), targets,
                                        /*mapping=*/std::nullopt);
    ops.setInsertionPointToStart(points.getBody());
    row = points.getInductionVar(0);
    zero = index(0);
    for (auto [result, whole] : llvm::zip_equal(results, points.getRegionIterArgs()))
      parts[result] = add(takePart(whole));
    SmallVector<unsigned> written = llvm::map_to_vector(results, [&](Value result) { return parts.lookup(result); });
    SmallVector<tensor::ExtractSliceOp> taken = llvm::map_to_vector(
        written, [&](unsigned part) { return names[part].getDefiningOp<tensor::ExtractSliceOp>(); });
    writeProgram();
    ops.setInsertionPointToStart(points.getTerminator().getBody());
    for (auto [part, slice, whole] : llvm::zip_equal(written, taken, points.getRegionIterArgs()))
      tensor::ParallelInsertSliceOp::create(ops, loc, names[part], whole, slice.getMixedOffsets(),
                                            slice.getMixedSizes(), slice.getMixedStrides());
    ops.setInsertionPointAfter(points);
    return failure(failed(body.finishWith(points.getResults())) || hasFault);
  }

private:
  bool isInside(Value value) const { return value.getParentBlock() == &bodyBlock(); }
  Block &bodyBlock() const { return nn::ForOp(loop).getBody().front(); }

  //===--------------------------------------------------------------------===//
  // 1. Tensors
  //===--------------------------------------------------------------------===//

  /// Adds all arguments. They must come before the program that reads them.
  void readOperands() {
    for (Value initial : loop.getInitial())
      readOutside(initial);
    for (Value scanned : loop.getScanned())
      readOutside(scanned);
    for (Operation &op : bodyBlock().without_terminator())
      for (Value operand : op.getOperands())
        if (!isInside(operand) || operand.getDefiningOp<nn::ConstantOp>())
          readOutside(operand);
    for (Value value : loop.getYield()->getOperands())
      if (!isInside(value) || value.getDefiningOp<nn::ConstantOp>())
        readOutside(value);
  }
  void readOutside(Value value) {
    if (!getSplat(value))
      body.read(value);
  }

  /// Returns the part of a result that belongs to the point. The result is `[rows, columns]` or `[iterations, rows,
  /// columns]`.
  Value takePart(Value whole) {
    ArrayRef<int64_t> shape = typeOf(whole).getShape();
    SmallVector<OpFoldResult> offsets(shape.size(), ops.getIndexAttr(0)), ones(shape.size(), ops.getIndexAttr(1)),
        sizes;
    for (int64_t size : shape)
      sizes.push_back(ops.getIndexAttr(size));
    offsets[shape.size() - 2] = row;
    sizes[shape.size() - 2] = ops.getIndexAttr(1);
    return tensor::ExtractSliceOp::create(ops, loc, whole, offsets, sizes, ones);
  }

  //===--------------------------------------------------------------------===//
  // 2. Columns
  //===--------------------------------------------------------------------===//

  void inParallel(int64_t count, ArrayRef<unsigned> tensors, llvm::function_ref<void(Value counter)> write) {
    writeLoop(count, tensors, [&](Value counter) {
      known.clear();
      write(counter);
    })->setAttr(plan::kParallel, ops.getUnitAttr());
    known.clear();
  }

  unsigned targetOf(const IterationStore &store) {
    switch (store.target) {
    case IterationStore::Target::Row:
      return rows.lookup(store.owner);
    case IterationStore::Target::Carried:
      return carried[store.number];
    case IterationStore::Target::Stack:
      return parts.lookup(loop.getStacks()[store.number]);
    }
    llvm_unreachable("no other target");
  }

  void storeColumns(const IterationColumns &group, unsigned level) {
    SmallVector<unsigned> targets;
    for (const IterationStore &store : group.stores)
      if (const unsigned target = targetOf(store); !llvm::is_contained(targets, target))
        targets.push_back(target);
    inParallel(group.columns, targets, [&](Value column) {
      SmallVector<Value> scalars = llvm::map_to_vector(
          group.stores, [&](const IterationStore &store) { return valueOf(store.value, column, level); });
      for (auto [part, scalar] : llvm::zip_equal(group.stores, scalars)) {
        Value at = part.column == 0 ? column : sum(column, index(part.column));
        if (part.target == IterationStore::Target::Stack)
          store(targetOf(part), scalar, {iteration, zero, at}, elementTypeOf(part.value));
        else
          store(targetOf(part), scalar, at, elementTypeOf(part.value));
      }
    });
  }

  //===--------------------------------------------------------------------===//
  // 3. A value in a column
  //===--------------------------------------------------------------------===//

  Value valueOf(Value value, Value column, unsigned level) {
    if (Value found = known.lookup({value, column}))
      return found;
    Value scalar = compute(value, column, level);
    known[{value, column}] = scalar;
    return scalar;
  }

  Value compute(Value value, Value column, unsigned level) {
    const Type elementType = elementTypeOf(value);
    if (TypedAttr splat = getSplat(value))
      return arith::ConstantOp::create(ops, loc, toCompute(splat));
    if (!isInside(value) || value.getDefiningOp<nn::ConstantOp>())
      return load(body.read(value), outsideAt(value, column), elementType);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return valueOfArgument(argument, column);
    Operation *op = value.getDefiningOp();
    if (isa<nn::MatMulOp>(op))
      return sumOfParts(value, column);
    if (auto kept = levelOfRow.find(value); kept != levelOfRow.end() && kept->second < level)
      return load(names[rows.lookup(value)], column, elementType);
    if (auto slice = dyn_cast<nn::SliceOp>(op)) {
      const int64_t start = slice.getStarts()[1];
      return valueOf(slice.getOperand(), start == 0 ? column : sum(column, index(start)), level);
    }
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      return valueOf(operand, columnsOf(operand) == columnsOf(value) ? column : zero, level);
    });
    Value scalar = emitScalar(ops, op, operands);
    if (scalar)
      return scalar;
    op->emitOpError("must have an element type that it is defined for, but is ") << op->getOperand(0).getType();
    hasFault = true;
    return emitConstant(ops, loc, getComputeType(elementType), 0);
  }

  /// Returns the indices of an element of a value from outside of the loop. An axis of size 1 is broadcast.
  SmallVector<Value> outsideAt(Value value, Value column) {
    SmallVector<Value> at(typeOf(value).getRank(), zero);
    if (!at.empty() && typeOf(value).getShape().back() != 1)
      at.back() = column;
    if (at.size() == 2 && typeOf(value).getDimSize(0) != 1)
      at.front() = row;
    return at;
  }

  Value valueOfArgument(BlockArgument argument, Value column) {
    if (argument == loop.getCounter())
      return arith::IndexCastOp::create(ops, loc, elementTypeOf(argument), counter);
    const unsigned number = argument.getArgNumber() - 1, numCarried = loop.getInitial().size();
    if (number < numCarried)
      return load(names[carried[number]], column, elementTypeOf(argument));
    return load(body.read(loop.getScanned()[number - numCarried]), {iteration, row, column}, elementTypeOf(argument));
  }

  Value sumOfParts(Value product, Value column) {
    Value partial = names[partials.lookup(product)], total;
    for (int64_t part = 0; part < typeOf(partial).getDimSize(0); ++part) {
      Value more = tensor::ExtractOp::create(ops, loc, partial, ValueRange{index(part), column});
      total = total ? arith::AddFOp::create(ops, loc, total, more).getResult() : more;
    }
    return total;
  }

  //===--------------------------------------------------------------------===//
  // 4. Products
  //===--------------------------------------------------------------------===//

  /// Loads the element at `step` of the row that a product multiplies.
  Value leftOf(nn::MatMulOp product, Value step) {
    Value left = product.getLhs();
    if (isInside(left) && !isa<BlockArgument>(left) && !left.getDefiningOp<nn::ConstantOp>())
      return load(names[rows.lookup(left)], step, elementTypeOf(left));
    return compute(left, step, /*level=*/0);
  }

  void writeProduct(nn::MatMulOp product) {
    const unsigned target = partials.lookup(product);
    ArrayRef<int64_t> shape = typeOf(names[target]).getShape();
    const int64_t steps = typeOf(product.getRhs()).getDimSize(0) / shape[0];
    const Type f32 = ops.getF32Type();
    inParallel(shape[0], target, [&](Value part) {
      inParallel(shape[1], target, [&](Value column) {
        Value start = arith::ConstantOp::create(ops, loc, ops.getFloatAttr(f32, 0));
        auto iterations = scf::ForOp::create(ops, loc, zero, index(steps), index(1), start);
        {
          OpBuilder::InsertionGuard guard(ops);
          ops.setInsertionPointToStart(iterations.getBody());
          Value step = iterations.getInductionVar();
          if (shape[0] > 1)
            step = sum(arith::MulIOp::create(ops, loc, part, index(steps)), step);
          Value left = leftOf(product, step);
          Value right = load(body.read(product.getRhs()), {step, column}, elementTypeOf(product.getRhs()));
          Value multiplied = arith::MulFOp::create(ops, loc, left, right);
          Value added = arith::AddFOp::create(ops, loc, iterations.getRegionIterArg(0), multiplied);
          scf::YieldOp::create(ops, loc, added);
        }
        store(target, iterations.getResult(0), {part, column}, f32);
      });
    });
  }

  //===--------------------------------------------------------------------===//
  // 5. The program
  //===--------------------------------------------------------------------===//

  void makeRows() {
    auto rowOf = [&](Value value) { return addRow({columnsOf(value)}, getStorageType(elementTypeOf(value))); };
    for (Value argument : loop.getCarriedArguments())
      carried.push_back(rowOf(argument));
    for (Value value : plan.ownRows)
      if (auto product = value.getDefiningOp<nn::MatMulOp>())
        partials[value] = addRow({countDepthParts(product), columnsOf(value)}, ops.getF32Type());
    for (auto [level, computed] : llvm::enumerate(plan.levels))
      for (const IterationColumns &group : computed.columns)
        for (const IterationStore &store : group.stores)
          if (store.target == IterationStore::Target::Row && !rows.contains(store.owner)) {
            rows[store.owner] = rowOf(store.owner);
            levelOfRow[store.owner] = level;
          }
  }

  /// Copies carried values column by column. Values with the same number of columns share a loop.
  void copyCarried(llvm::function_ref<bool(unsigned)> isCopied, llvm::function_ref<unsigned(unsigned)> targetOf,
                   llvm::function_ref<void(unsigned, Value)> copy) {
    llvm::MapVector<int64_t, SmallVector<unsigned>> byColumns;
    for (auto [number, argument] : llvm::enumerate(loop.getCarriedArguments()))
      if (isCopied(number))
        byColumns[columnsOf(argument)].push_back(number);
    for (auto &[columns, numbers] : byColumns) {
      SmallVector<unsigned> targets = llvm::map_to_vector(numbers, targetOf);
      inParallel(columns, targets, [&, &numbers = numbers](Value column) {
        for (unsigned number : numbers)
          copy(number, column);
      });
    }
  }

  void writeProgram() {
    makeRows();
    copyCarried([](unsigned) { return true; }, [&](unsigned number) { return carried[number]; },
                [&](unsigned number, Value column) {
                  Value initial = loop.getInitial()[number];
                  store(carried[number], compute(initial, column, 0), column, elementTypeOf(initial));
                });
    SmallVector<unsigned> written = llvm::to_vector(llvm::seq<unsigned>(names.size()));
    for (auto [number, final] : llvm::enumerate(loop.getFinals()))
      if (auto part = parts.find(final); part != parts.end())
        llvm::erase(written, part->second);
    writeLoop(loop.getTripCount(), written, [&](Value at) {
      counter = iteration = at;
      if (loop.getReverse())
        iteration = arith::SubIOp::create(ops, loc, index(int64_t(loop.getTripCount()) - 1), at);
      for (auto [level, computed] : llvm::enumerate(plan.levels)) {
        for (const IterationColumns &group : computed.columns)
          storeColumns(group, level);
        for (nn::MatMulOp product : computed.products)
          writeProduct(product);
      }
    });
    copyCarried([&](unsigned number) { return parts.contains(loop.getFinals()[number]); },
                [&](unsigned number) { return parts.lookup(loop.getFinals()[number]); },
                [&](unsigned number, Value column) {
                  Value final = loop.getFinals()[number];
                  store(parts.lookup(final), load(names[carried[number]], column, elementTypeOf(final)), {zero, column},
                        elementTypeOf(final));
                });
  }

  KernelBody &body;
  nn::ForOp loop;
  const IterationPlan &plan;
  /// `iteration` is the index of rows in stacks. It counts down if the loop is reversed.
  Value row, counter, iteration;
  llvm::DenseMap<Value, unsigned> parts;          ///< Indices in `names` of the parts of results.
  llvm::DenseMap<Value, unsigned> rows, partials; ///< Indices in `names` of rows of values.
  SmallVector<unsigned> carried;                  ///< Indices in `names` of carried values.
  llvm::DenseMap<Value, unsigned> levelOfRow;
  llvm::DenseMap<std::pair<Value, Value>, Value> known; ///< Scalars of the current columns, by value and column.
  bool hasFault = false;
};

} // namespace

LogicalResult lowerIterations(KernelBody &body, nn::ForOp loop, const IterationPlan &plan) {
  const LogicalResult written = IterationWriter(body, loop, plan).write();
  plan::expandScalars(body.getKernel()); // The program computes single elements.
  return written;
}

} // namespace nacre::kernels
