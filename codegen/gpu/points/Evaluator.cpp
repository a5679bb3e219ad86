// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. known values; 2. operations and reductions; 3. bodies. The points of earlier operations are in
//        EvaluatorPoints.cpp, reads and writes of storages in EvaluatorOperands.cpp.

#include "codegen/gpu/points/Evaluator.h"

#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/points/AxisDigits.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nacre::codegen::gpu {

//===----------------------------------------------------------------------===//
// 1. Known values
//===----------------------------------------------------------------------===//

void Evaluator::inScope(llvm::function_ref<void()> body) {
  known.emplace_back();
  loaded.emplace_back();
  body();
  known.pop_back();
  loaded.pop_back();
}

Point Evaluator::parallelPart(unsigned work, Point at) const {
  for (auto [position, parallel] : llvm::zip_equal(at, form.work[work].parallel))
    if (!parallel)
      position = Position();
  return at;
}

const SmallVector<Value> *Evaluator::find(unsigned work, const Point &at) const {
  for (const auto &scope : llvm::reverse(known))
    if (auto found = scope.find({work, at}); found != scope.end())
      return &found->second;
  return nullptr;
}

void Evaluator::define(unsigned work, const Point &at, ArrayRef<Value> results) {
  known.back()[{work, parallelPart(work, at)}] = llvm::to_vector(results);
}

std::optional<Point> Evaluator::onlyPointOf(unsigned work) const {
  std::optional<Point> point;
  for (const auto &scope : known)
    for (const auto &[key, results] : scope) {
      if (key.first != work)
        continue;
      if (point)
        return std::nullopt;
      point = key.second;
    }
  return point;
}

//===----------------------------------------------------------------------===//
// 2. Operations and reductions
//===----------------------------------------------------------------------===//

Value Evaluator::evaluate(unsigned work, unsigned result, Point at) {
  at = parallelPart(work, std::move(at));
  if (const SmallVector<Value> *results = find(work, at))
    return (*results)[result];
  SmallVector<Value> results = compute(work, at);
  define(work, at, results);
  return results[result];
}

SmallVector<Value> Evaluator::compute(unsigned number, const Point &at) {
  const Work &work = form.work[number];
  const std::optional<unsigned> vectorized = laneLoop(at);
  SmallVector<Value> carried;
  for (const Result &result : work.results)
    carried.push_back(
        result.start ? build.broadcast(build.constant(result.start), vectorized ? at[*vectorized].lanes : 1) : Value());
  if (work.allParallel())
    return step(number, at, carried);

  prepare(number, at);
  // A window's iterations are unrolled, so that its loads are independent of each other.
  constexpr int64_t kUnrolledIterations = 25;
  SmallVector<unsigned> loops;
  int64_t iterations = 1;
  for (auto [loop, parallel] : llvm::enumerate(work.parallel))
    if (!parallel) {
      loops.push_back(loop);
      iterations *= work.sizes[loop];
    }
  Point moving = at;
  return reduce(number, moving, loops, iterations <= kUnrolledIterations, carried);
}

SmallVector<Value> Evaluator::reduce(unsigned work, Point &at, ArrayRef<unsigned> loops, bool unrolled,
                                     ValueRange carried) {
  if (loops.empty())
    return step(work, at, carried);
  const unsigned loop = loops.front();
  const int64_t size = form.work[work].sizes[loop];
  if (unrolled || size == 1) {
    SmallVector<Value> values(carried);
    for (int64_t iteration = 0; iteration < size; ++iteration) {
      at[loop] = Position();
      at[loop].constant = iteration;
      values = reduce(work, at, loops.drop_front(), unrolled, values);
    }
    return values;
  }
  return build.loop(size, carried, [&](Value counter, ValueRange values) {
    SmallVector<Value> next;
    inScope([&] {
      at[loop] = splitCounter(counter, {size}).front();
      next = reduce(work, at, loops.drop_front(), unrolled, values);
    });
    return next;
  });
}

SmallVector<Value> Evaluator::step(unsigned number, const Point &at, ValueRange carried) {
  const Work &work = form.work[number];
  SmallVector<Value> arguments;
  for (unsigned input = 0; input < work.inputs.size(); ++input)
    arguments.push_back(readInput(work, input, at));
  llvm::append_range(arguments, carried);
  SmallVector<Value> results = runBody(work, at, arguments);
  for (auto [result, accumulator] : llvm::zip_equal(results, carried))
    if (auto vector = accumulator ? dyn_cast<VectorType>(accumulator.getType()) : VectorType())
      result = build.broadcast(result, vector.getNumElements());
  return results;
}

void Evaluator::prepare(unsigned work, const Point &at) {
  hoist(work, at, llvm::map_to_vector(form.work[work].parallel, [](bool parallel) { return !parallel; }));
}

void Evaluator::hoist(unsigned number, const Point &at, ArrayRef<bool> moves) {
  const Work &work = form.work[number];
  for (const Input &input : work.inputs) {
    if (input.source != Input::Source::Work)
      continue;
    const Work &producer = form.work[input.work];
    SmallVector<bool> moved(producer.loops(), false);
    for (auto [read, written] :
         llvm::zip_equal(input.map.getResults(), producer.results[input.result].map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(read);
      for (unsigned loop = 0; dim && moves[dim.getPosition()] && loop < producer.loops(); ++loop)
        moved[loop] = moved[loop] || written.isFunctionOfDim(loop);
    }
    Point from = producerPoint(input, at);
    if (!llvm::is_contained(moved, true)) {
      evaluate(input.work, input.result, from);
      continue;
    }
    for (unsigned loop = 0; loop < producer.loops(); ++loop)
      moved[loop] = moved[loop] || !producer.parallel[loop];
    hoist(input.work, from, moved);
  }
}

//===----------------------------------------------------------------------===//
// 3. Bodies
//===----------------------------------------------------------------------===//

Value Evaluator::indexOf(const Position &position) {
  SmallVector<Value> lanes;
  for (unsigned lane = 0; lane < position.lanes; ++lane)
    lanes.push_back(build.value(position.lane(lane)));
  return build.join(lanes);
}

SmallVector<Value> Evaluator::runBody(const Work &work, const Point &at, ArrayRef<Value> arguments) {
  const std::optional<unsigned> vectorized = laneLoop(at);
  const unsigned width = vectorized ? at[*vectorized].lanes : 1;
  IRMapping values;
  for (auto [argument, value] : llvm::zip_equal(work.body->getArguments(), arguments))
    if (value)
      values.map(argument, value);
  auto valueOf = [&](Value value) {
    TypedAttr constant;
    if (!values.contains(value) && matchPattern(value, m_Constant(&constant)))
      values.map(value, build.constant(constant));
    return values.lookup(value);
  };
  for (Operation &op : work.body->without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    SmallVector<Value> operands;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      values.map(index.getResult(), indexOf(at[index.getDim()]));
      continue;
    }
    if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
      for (Value index : read.getIndices())
        valueOf(index);
      values.map(read.getResult(), extract(read, at, values));
      continue;
    }
    operands = llvm::map_to_vector(op.getOperands(), valueOf);
    values.map(op.getResult(0), inlineOperation(build, &op, operands, width));
  }
  return llvm::map_to_vector(work.body->getTerminator()->getOperands(), valueOf);
}

//===----------------------------------------------------------------------===//
// Supported forms
//===----------------------------------------------------------------------===//

bool Evaluator::accepts(std::string &reason) const {
  auto refuse = [&](const char *why) {
    reason = why;
    return false;
  };
  for (const Work &work : form.work) {
    for (const Result &result : work.results)
      for (AffineExpr expression : result.map.getResults())
        if (!digitsOf(work, expression).valid)
          return refuse("a result must be written through whole axes");
    for (const Input &input : work.inputs) {
      if (input.source == Input::Source::Work)
        for (AffineExpr expression : input.map.getResults())
          if (!isa<AffineDimExpr, AffineConstantExpr>(expression))
            return refuse("results of earlier operations must be read index by index");
      if (input.source != Input::Source::Storage)
        continue;
      plan::EncodingAttr encoding = int64_t(input.access.argument) < plan::KernelOp(kernel).getNumInputs()
                                        ? plan::KernelOp(kernel).getEncoding(input.access.argument)
                                        : plan::EncodingAttr();
      if (!encoding || encoding.getKind() == plan::EncodingKind::Plain)
        continue;
      auto type = cast<RankedTensorType>(plan::KernelOp(kernel).getBody().getArgument(input.access.argument).getType());
      if (encoding.getKind() != plan::EncodingKind::Panel || input.map.getNumResults() != type.getRank() ||
          input.access.offset != 0 || !input.access.padded.empty())
        return refuse("a packed weight must be read whole");
    }
    for (Operation &op : work.body->without_terminator()) {
      if (isa<arith::ConstantOp, linalg::IndexOp>(op))
        continue;
      if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
        FailureOr<StridedSlice> slice = findSlice(read.getTensor());
        if (failed(slice) || slice->padding || read.getTensor().getDefiningOp<linalg::GenericOp>())
          return refuse("elements must be read from storages");
        continue;
      }
      if (!canInlineOnGpu(op)) {
        reason = ("no GPU code for " + op.getName().getStringRef() + " in its types").str();
        return false;
      }
    }
  }
  return true;
}

double countFlops(const KernelForm &form) {
  double flops = 0;
  for (const Work &work : form.work) {
    double points = 1;
    for (int64_t size : work.sizes)
      points *= double(size);
    for (Operation &op : *work.body)
      flops += isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op) ? points : 0;
  }
  return flops;
}

} // namespace nacre::codegen::gpu
