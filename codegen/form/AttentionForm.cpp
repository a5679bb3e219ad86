// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. the two products; 2. the sweeps between them; 3. the end.

#include "codegen/form/AttentionForm.h"

#include "codegen/form/MultiplyAdd.h"
#include "codegen/form/ScalarBody.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-attention-form"

using namespace mlir;

namespace nacre::codegen {

int64_t AttentionForm::numBatches() const {
  int64_t count = 1;
  for (const ContractionLoop &loop : batches)
    count *= loop.size;
  return count;
}

double AttentionForm::multiplyAdds() const {
  return double(numBatches()) * rows.size * keys.size * (depth.size + columns.size);
}

bool isOfRow(const Input &input) {
  return input.source == Input::Source::Work && input.map.getNumResults() + 1 == input.map.getNumDims();
}

namespace {

LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

class AttentionReader {
public:
  explicit AttentionReader(std::shared_ptr<const KernelForm> parsed) : form(*parsed) {
    result.kernel = std::move(parsed);
  }

  FailureOr<AttentionForm> read() {
    if (form.written.size() != 1 || failed(findProducts()) || failed(readLoops()) || failed(checkSweeps()) ||
        failed(readEnd()))
      return failure();
    return std::move(result);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Products
  //===--------------------------------------------------------------------===//

  static bool isSum(const Work &work) {
    return isMultiplyAdd(work) && work.inputs.size() == 2 &&
           matchPattern(work.results.front().start, m_AnyZeroFloat()) && work.results.front().elementType.isF32() &&
           llvm::count(work.parallel, false) == 1 && !work.parallel.back();
  }

  LogicalResult findProducts() {
    first = &form.work.front();
    for (const Work &work : llvm::drop_begin(form.work))
      if (isMultiplyAdd(work))
        second = &work;
    if (!second || !isSum(*first) || !isSum(*second) || first->loops() != second->loops() || first->loops() < 3)
      return misfit("there must be two products of the same loops");
    const size_t number = second - form.work.data();
    result.sweeps = ArrayRef(form.work).slice(1, number - 1);
    if (number + 2 < form.work.size())
      return misfit("there must be one epilogue at most");
    if (number + 1 < form.work.size())
      result.epilogue = &form.work.back();
    for (const Input &input : {first->inputs[0], first->inputs[1], second->inputs[1]})
      if (input.source != Input::Source::Storage || !input.access.padded.empty())
        return misfit("queries, keys and values must be in storages");
    const Input &weights = second->inputs[0];
    if (weights.source != Input::Source::Work || weights.work + 1 != number)
      return misfit("the last sweep must give the weights");
    return success();
  }

  void setOperand(AttentionForm::Index index, const Access &access) {
    result.operands[index] = {access.argument, access.offset, access.elementType};
  }

  /// The loops of the products are [batches..., rows, keys, depth] and [batches..., rows, columns, keys].
  LogicalResult readLoops() {
    const Work &last = result.epilogue ? *result.epilogue : *second;
    if (!last.results.front().written || (result.epilogue && !result.epilogue->results.front().map.isIdentity()))
      return misfit("the last operation must write the target");
    result.written = &form.written.front();
    FailureOr<Access> target =
        composeAccess(result.written->slice, second->results.front().map, result.written->elementType);
    if (failed(target))
      return failure();
    setOperand(AttentionForm::Queries, first->inputs[0].access);
    setOperand(AttentionForm::Keys, first->inputs[1].access);
    setOperand(AttentionForm::Values, second->inputs[1].access);
    setOperand(AttentionForm::Result, *target);
    auto loop = [&](std::optional<unsigned> ofFirst, std::optional<unsigned> ofSecond) {
      ContractionLoop made;
      made.size = ofFirst ? first->sizes[*ofFirst] : second->sizes[*ofSecond];
      made.strides = {ofFirst ? first->inputs[0].access.strides[*ofFirst] : 0,
                      ofFirst ? first->inputs[1].access.strides[*ofFirst] : 0,
                      ofSecond ? second->inputs[1].access.strides[*ofSecond] : 0,
                      ofSecond ? target->strides[*ofSecond] : 0};
      return made;
    };
    const unsigned rows = first->loops() - 3;
    for (unsigned number = 0; number < rows; ++number)
      result.batches.push_back(loop(number, number));
    result.rows = loop(rows, rows);
    result.keys = loop(rows + 1, rows + 2);
    result.columns = loop(std::nullopt, rows + 1);
    result.depth = loop(rows + 2, std::nullopt);
    if (first->sizes[rows + 1] != second->sizes[rows + 2] || result.columns.strides[AttentionForm::Result] != 1)
      return misfit("columns must lie one after another in the result");
    return findCut(rows);
  }

  LogicalResult findCut(unsigned rows) {
    AffineExpr axis = second->results.front().map.getResult(form.cutAxis);
    for (unsigned number = 0; number < rows; ++number)
      if (axis.isFunctionOfDim(number))
        result.cutBatch = number;
    return result.cutBatch || axis.isFunctionOfDim(rows) ? success() : misfit("must be cut along batches or rows");
  }

  //===--------------------------------------------------------------------===//
  // 2. Sweeps
  //===--------------------------------------------------------------------===//

  LogicalResult checkSweeps() {
    unsigned scores = 0; // the latest work whose result is one for each key
    for (auto [index, sweep] : llvm::enumerate(result.sweeps)) {
      const unsigned number = index + 1;
      const bool ofScores = sweep.allParallel();
      if (sweep.loops() + 1 != first->loops() || sweep.results.size() != 1 || !canInline(*sweep.body) ||
          llvm::count(sweep.parallel, false) > 1 ||
          (!ofScores && (sweep.parallel.back() || !sweep.results.front().start)))
        return misfit("sweeps must cover the scores, or reduce over the keys");
      for (const Input &input : sweep.inputs) {
        if (input.source == Input::Source::Work && !isOfRow(input) && (input.work != scores || !input.map.isIdentity()))
          return misfit("sweeps must read the latest scores at the position that they write");
        if (input.source == Input::Source::Storage && !input.access.padded.empty())
          return misfit("masks must be in storages");
      }
      if (ofScores)
        scores = number;
    }
    return second->inputs[0].work == scores ? success() : misfit("the latest scores must be the weights");
  }

  //===--------------------------------------------------------------------===//
  // 3. The end
  //===--------------------------------------------------------------------===//

  LogicalResult readEnd() {
    if (!result.epilogue)
      return success();
    const bool isOfSum = llvm::all_of(result.epilogue->inputs, [&](const Input &input) {
      return input.source == Input::Source::Work && input.map.isIdentity();
    });
    if (!isOfSum || result.epilogue->inputs.size() != 1 || !canInline(*result.epilogue->body))
      return misfit("an epilogue must read only the second product");
    return success();
  }

  const KernelForm &form;
  AttentionForm result;
  const Work *first = nullptr, *second = nullptr;
};

} // namespace

FailureOr<AttentionForm> parseAttention(plan::KernelOp kernel) {
  FailureOr<KernelForm> parsed = parseKernel(kernel);
  if (failed(parsed))
    return failure();
  return AttentionReader(std::make_shared<const KernelForm>(std::move(*parsed))).read();
}

} // namespace nacre::codegen
