// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. terms of the initial value; 2. the values of a row; 3. an output.

#include "codegen/cpu/depthwise/IntegerEnding.h"

#include "codegen/cpu/VectorBody.h"
#include "dialects/plan/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {

//===----------------------------------------------------------------------===//
// 1. Terms
//===----------------------------------------------------------------------===//

IntegerEnding::IntegerEnding(VectorBuilder &build, const Contraction &contraction, ArrayRef<Value> buffers,
                             ArrayRef<ContractionLoop> rows)
    : build(build), contraction(contraction), buffers(buffers), rows(rows) {
  if (contraction.epilogue)
    findTerms();
}

void IntegerEnding::findTerms() {
  const auto *productInput = llvm::find(contraction.productInputs, std::optional<unsigned>(0));
  Value sum = contraction.epilogue->body->getArgument(productInput - contraction.productInputs.begin());
  while (sum.hasOneUse()) {
    Operation *user = *sum.user_begin();
    const bool isSubtraction = isa<arith::SubIOp>(user);
    if (!isa<arith::AddIOp>(user) && !(isSubtraction && user->getOperand(0) == sum))
      return;
    std::optional<Term> term = termOf(user->getOperand(user->getOperand(0) == sum ? 1 : 0));
    if (!term)
      return;
    term->isSubtracted = isSubtraction;
    terms.push_back(*term);
    biased = sum = user->getResult(0);
  }
}

std::optional<IntegerEnding::Term> IntegerEnding::termOf(Value addend) const {
  Term term;
  if (matchPattern(addend, m_Constant(&term.constant)))
    return term;
  auto argument = dyn_cast<BlockArgument>(addend);
  if (!argument || argument.getArgNumber() >= contraction.epilogue->inputs.size() ||
      contraction.productInputs[argument.getArgNumber()])
    return std::nullopt;
  // The product is an input of the epilogue, but not an operand of the kernel.
  const auto before = ArrayRef(contraction.productInputs).take_front(argument.getArgNumber());
  term.operand = Contraction::Extra + unsigned(llvm::count(before, std::nullopt));
  return staysInRow(*term.operand) ? std::optional(term) : std::nullopt;
}

bool IntegerEnding::isTerm(unsigned operand) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.operand == operand; });
}

bool IntegerEnding::staysInRow(unsigned operand) const {
  return llvm::all_of(rows, [&](const ContractionLoop &loop) { return loop.strides[operand] == 0; });
}

//===----------------------------------------------------------------------===//
// 2. A row
//===----------------------------------------------------------------------===//

/// Returns the operands that the epilogue reads. They follow Lhs, Rhs and the result.
static SmallVector<unsigned> operandsOfEpilogue(const Contraction &contraction) {
  SmallVector<unsigned> operands;
  const auto count = llvm::count(contraction.productInputs, std::nullopt);
  for (unsigned number = 0; number < count; ++number)
    operands.push_back(Contraction::Extra + number);
  return operands;
}

unsigned IntegerEnding::vectorsOfRow(const ChannelLayout &layout) const {
  unsigned operands = 1;
  for (unsigned operand : operandsOfEpilogue(contraction))
    operands += staysInRow(operand) && !isTerm(operand);
  return operands * layout.vectors();
}

Value IntegerEnding::load(unsigned operand, Value address, const ChannelLayout &layout, Piece channels) {
  Value buffer = buffers[contraction.operands[operand].argument];
  const int64_t stride = contraction.columns.strides[operand];
  if (stride == 0)
    return build.loadScalar(buffer, address);
  Value all =
      stride == 1 ? build.load(buffer, address, channels) : build.loadStrided(buffer, address, stride, channels);
  return inOrderOfSums(build, all, layout);
}

void IntegerEnding::beginRow(RowValues &row, const ChannelLayout &layout, Piece channels, const Addresses &at,
                             ArrayRef<Value> correction, bool inRegisters) {
  Value sum = correction.empty() ? splatOf(build, vectorOf(contraction.accumulatorType, layout.sums()), 0)
                                 : joinVectors(build, correction);
  for (const Term &term : terms) {
    Value addend =
        term.operand ? load(*term.operand, at[*term.operand], layout, channels) : build.constant(term.constant);
    addend = build.broadcast(addend, layout.sums());
    sum = term.isSubtracted ? arith::SubIOp::create(build.ops, build.loc, sum, addend).getResult()
                            : arith::AddIOp::create(build.ops, build.loc, sum, addend).getResult();
  }
  begun.clear();
  for (Value vector : splitVectors(build, sum, layout))
    begun.push_back(row.keep(vector, inRegisters));
  common.clear();
  for (unsigned operand : operandsOfEpilogue(contraction))
    if (staysInRow(operand) && !isTerm(operand))
      common[operand] = row.keep(load(operand, at[operand], layout, channels), inRegisters);
}

//===----------------------------------------------------------------------===//
// 3. An output
//===----------------------------------------------------------------------===//

SmallVector<Value, 4> IntegerEnding::beginning(RowValues &row, Value place) const {
  return llvm::map_to_vector<4>(begun, [&](unsigned number) { return row.get(number, place); });
}

void IntegerEnding::finish(RowValues &row, Value place, const ChannelLayout &layout, Piece channels,
                           ArrayRef<Value> sums, const Addresses &at, const Distances &distances) {
  auto there = [&](unsigned operand) { return build.add(at[operand], distances[operand]); };
  Value all = joinVectors(build, sums);
  if (!contraction.epilogue)
    return store(Contraction::Result, {}, all, layout, channels, there(Contraction::Result));
  auto input = [&](unsigned operand) -> Value {
    if (isTerm(operand))
      return all; // The rest of the body does not read it.
    auto kept = common.find(operand);
    return kept != common.end() ? row.get(kept->second, place) : load(operand, there(operand), layout, channels);
  };
  SmallVector<Value> arguments =
      epilogueArguments(contraction, all, input, [&](TypedAttr value) { return build.constant(value); });
  SmallVector<std::pair<Value, Value>, 1> known;
  if (biased)
    known.push_back({biased, all});
  Block &body = *contraction.epilogue->body;
  BodyHints hints;
  hints.keepsWords = true; // Narrowing also undoes the order of sums.
  SmallVector<Value> values = inlineBody(build, body, arguments, layout.sums(), hints, known);
  for (auto [operand, value, yielded] :
       llvm::zip_equal(contraction.results, values, body.getTerminator()->getOperands()))
    store(operand, yielded, build.broadcast(value, layout.sums()), layout, channels, there(operand));
}

void IntegerEnding::store(unsigned operand, Value yielded, Value sums, const ChannelLayout &layout, Piece channels,
                          Value address) {
  // Results of plan.round and plan.clamp may still be words.
  const bool areWords = yielded && getElementTypeOrSelf(sums.getType()) != yielded.getType();
  Value channelsInOrder =
      areWords ? narrowToBytes(build, sums, layout, plan::isUnsigned(yielded)) : inOrderOfChannels(build, sums, layout);
  build.store(channelsInOrder, buffers[contraction.operands[operand].argument], address, channels);
}

} // namespace nacre::codegen::cpu
