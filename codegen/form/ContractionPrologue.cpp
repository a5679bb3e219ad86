// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/ContractionPrologue.h"

#include "codegen/form/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-contraction-form"

using namespace mlir;

namespace nacre::codegen {

using Argument = ContractionPrologue::Argument;

bool ContractionPrologue::reads(unsigned operand) const {
  if (!taps.empty() && (operand == filter || operand == 0))
    return true;
  auto isIt = [&](const Argument &argument) {
    return !argument.statistic && !argument.isWindow && argument.operand == operand;
  };
  return llvm::any_of(arguments, isIt) ||
         llvm::any_of(statistics, [&](const Statistic &statistic) { return llvm::any_of(statistic.arguments, isIt); });
}

std::optional<unsigned> ContractionPrologue::firstOperand() const {
  for (const Argument &argument : arguments)
    if (!argument.statistic)
      return argument.operand;
  return std::nullopt;
}

namespace {

/// True if `map` only drops the last loop, so that there is one element for each row.
bool isOfRow(AffineMap map) {
  const unsigned loops = map.getNumDims();
  return loops > 0 && map == AffineMap::getMultiDimIdentityMap(loops, map.getContext()).getMajorSubMap(loops - 1);
}

/// True if `work` adds up f32 over the last axis of `left`, and `product` reduces only this axis.
bool isStatistic(const Work &work, const Work &product, const Input &left) {
  const unsigned loops = work.loops();
  if (loops == 0 || left.map.getNumResults() != loops || work.results.size() != 1 || !canInline(*work.body))
    return false;
  auto column = dyn_cast<AffineDimExpr>(left.map.getResults().back());
  if (!column)
    return false;
  for (auto [number, parallel] : llvm::enumerate(product.parallel))
    if (parallel == (number == column.getPosition()) && product.sizes[number] != 1)
      return false;
  for (unsigned loop = 0; loop < loops; ++loop)
    if (work.parallel[loop] != (loop + 1 < loops))
      return false;
  const Result &row = work.results.front();
  if (row.written || !row.elementType.isF32() || !isOfRow(row.map) || !matchPattern(row.start, m_AnyZeroFloat()))
    return false;
  auto sum = work.body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return sum && llvm::count(sum->getOperands(), work.body->getArguments().back()) == 1 &&
         work.body->getArguments().back().hasOneUse();
}

} // namespace

std::optional<ContractionPrologue>
readPrologue(const KernelForm &form, unsigned product, const Input &left,
             llvm::function_ref<std::optional<unsigned>(const Input &, ArrayRef<int64_t>)> add) {
  assert(product > 0 && "no operation precedes it");
  auto none = [](const char *reason) -> std::optional<ContractionPrologue> {
    LDBG() << reason;
    return std::nullopt;
  };
  const Work &map = form.work[product - 1];
  if (left.source != Input::Source::Work || left.work != product - 1 || !map.allParallel() || map.results.size() != 1 ||
      !map.results.front().map.isIdentity() || !canInline(*map.body))
    return none("the operation before a product must be a map that computes its left operand");
  ContractionPrologue prologue;
  prologue.map = &map;
  prologue.elementType = map.results.front().elementType;
  auto readArguments = [&](const Work &work, SmallVectorImpl<Argument> &arguments) {
    for (const Input &input : work.inputs) {
      Argument &argument = arguments.emplace_back();
      const bool isStored = input.source == Input::Source::Storage && input.access.padded.empty();
      if (std::optional<unsigned> operand = isStored ? add(input, work.sizes) : std::nullopt)
        argument.operand = *operand;
      else if (input.source == Input::Source::Work && input.work + 1 < product && isOfRow(input.map))
        argument.statistic = input.work;
      else
        return false;
    }
    return true;
  };
  for (const Work &work : ArrayRef(form.work).take_front(product - 1)) {
    if (!isStatistic(work, form.work[product], left))
      return none("the operations before a product's left operand must be sums over its rows");
    prologue.statistics.push_back({&work, {}});
    if (!readArguments(work, prologue.statistics.back().arguments))
      return none("a row's numbers must depend only on stored values and earlier numbers");
  }
  if (!readArguments(map, prologue.arguments) || !prologue.firstOperand())
    return none("a left operand must depend only on stored values and its row's numbers");
  return prologue;
}

} // namespace nacre::codegen
