// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. the two products, and sums of codes before them; 2. the sweeps between them; 3. the epilogue.

#include "codegen/form/AttentionForm.h"

#include "codegen/form/MultiplyAdd.h"
#include "codegen/form/ScalarBody.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  const double part = bounds && !isOfCodes ? plan::computedPart(*bounds, rows.size, keys.size) : 1;
  return double(numBatches()) * rows.size * keys.size * (depth.size + columns.size) * part;
}

std::optional<AttentionForm::Index> AttentionForm::sumOf(const Input &input) const {
  if (input.source == Input::Source::Work)
    for (Index index : {Queries, Keys, Values})
      if (sums[index] && sums[index] == &kernel->work[input.work])
        return index;
  return std::nullopt;
}

std::optional<unsigned> AttentionForm::sweepOf(const Input &input) const {
  if (input.source != Input::Source::Work || input.work < firstSweep || input.work >= firstSweep + sweeps.size())
    return std::nullopt;
  return sweeps[input.work - firstSweep].allParallel() ? std::nullopt : std::optional(input.work - firstSweep);
}

SmallVector<std::pair<Value, Value>> AttentionForm::givePositions(const Work &sweep, Value row, Value key) const {
  SmallVector<std::pair<Value, Value>> known;
  for (auto index : sweep.body->getOps<linalg::IndexOp>()) {
    Value position = index.getDim() + 1 == sweep.loops() ? key : row;
    known.push_back({index.getResult(), position});
    for (Operation *conversion : index->getUsers())
      known.push_back({conversion->getResult(0), position});
  }
  return known;
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

  /// True if `work` has two inputs and reduces only over its last loop.
  static bool isProduct(const Work &work) {
    return work.inputs.size() == 2 && llvm::count(work.parallel, false) == 1 && !work.parallel.back();
  }
  static bool isSum(const Work &work) {
    return isMultiplyAdd(work) && isProduct(work) && matchPattern(work.results.front().start, m_AnyZeroFloat()) &&
           work.results.front().elementType.isF32();
  }
  static std::optional<IntegerFactors> readSumOfCodes(const Work &work) {
    std::optional<IntegerFactors> factors = isProduct(work) ? readIntegerMultiplyAdd(work) : std::nullopt;
    const bool isOfBytes = factors && work.inputs[0].elementType.isInteger(8) &&
                           work.inputs[1].elementType.isInteger(8) &&
                           matchPattern(work.results.front().start, m_Zero());
    return isOfBytes ? factors : std::nullopt;
  }

  LogicalResult findProducts() {
    const Work *begin = form.work.begin();
    auto isAProduct = [](const Work &work) { return isMultiplyAdd(work) || readIntegerMultiplyAdd(work); };
    first = llvm::find_if(form.work, isAProduct);
    if (first == form.work.end())
      return misfit("there must be two products");
    for (const Work &work : llvm::drop_begin(form.work, first - begin + 1))
      if (isAProduct(work))
        second = &work;
    if (!second || first->loops() != second->loops() || first->loops() < 3)
      return misfit("there must be two products of the same loops");
    if (failed(readTypes()))
      return failure();
    const size_t number = second - begin;
    result.firstSweep = first - begin + 1;
    result.sweeps = ArrayRef(form.work).slice(result.firstSweep, number - result.firstSweep);
    if (number + 2 < form.work.size())
      return misfit("there must be one epilogue at most");
    if (number + 1 < form.work.size())
      result.epilogue = &form.work.back();
    for (const Input &input : {first->inputs[0], first->inputs[1], second->inputs[1]})
      if (input.source != Input::Source::Storage || !input.access.padded.empty())
        return misfit("queries, keys and values must be in storages");
    const Input &weights = second->inputs[0];
    if (weights.source != Input::Source::Work || !form.work[weights.work].allParallel())
      return misfit("a sweep must give the weights");
    return result.isOfCodes ? findSums() : success();
  }

  LogicalResult readTypes() {
    if (isSum(*first) && isSum(*second))
      return success(first == form.work.begin());
    std::optional<IntegerFactors> scores = readSumOfCodes(*first), values = readSumOfCodes(*second);
    if (!scores || !values || scores->isUnsigned[0] != values->isUnsigned[0])
      return misfit("products must be of f32, or of 8-bit codes");
    result.isOfCodes = true;
    result.isUnsignedQueries = scores->isUnsigned[0];
    result.isUnsignedKeys = scores->isUnsigned[1];
    result.isUnsignedValues = values->isUnsigned[1];
    return success();
  }

  /// Finds the sums of codes. Each sum adds up an operand of a product. It has the product's loops except the one that
  /// does not move the operand.
  LogicalResult findSums() {
    const unsigned loops = first->loops();
    for (const Work &sum : ArrayRef(form.work).take_front(result.firstSweep - 1)) {
      if (sum.loops() + 1 != loops || sum.inputs.size() != 1 || sum.results.size() != 1 || sum.parallel.back() ||
          llvm::count(sum.parallel, false) != 1 || !canInline(*sum.body) || !sum.results.front().start)
        return misfit("before the products there must be sums of codes");
      auto isOf = [&](const Input &operand, unsigned other) {
        SmallVector<int64_t> strides(operand.access.strides);
        strides.erase(strides.begin() + other);
        const Access &own = sum.inputs.front().access;
        return sum.inputs.front().source == Input::Source::Storage && own.argument == operand.access.argument &&
               own.offset == operand.access.offset && ArrayRef<int64_t>(own.strides) == ArrayRef(strides) &&
               sum.results.front().map ==
                   AffineMap::getMultiDimIdentityMap(loops - 1, sum.op->getContext()).getMajorSubMap(loops - 2);
      };
      if (!result.sums[AttentionForm::Queries] && isOf(first->inputs[0], loops - 2))
        result.sums[AttentionForm::Queries] = &sum;
      else if (isOf(first->inputs[1], loops - 3))
        result.sums[AttentionForm::Keys] = &sum;
      else if (isOf(second->inputs[1], loops - 3))
        result.sums[AttentionForm::Values] = &sum;
      else
        return misfit("sums must be of queries, keys or values");
    }
    if (first->inputs[0].access.strides.back() != 1)
      return misfit("the depth of queries of codes must lie one after another");
    return success();
  }

  void setOperand(AttentionForm::Index index, const Access &access) {
    result.operands[index] = {access.argument, access.offset, access.elementType};
  }

  /// Reads the loops of the products, which are [batches..., rows, keys, depth] and [batches..., rows, columns, keys].
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
    unsigned scores = result.firstSweep - 1; // The latest work with a result for each key.
    for (auto [index, sweep] : llvm::enumerate(result.sweeps)) {
      const unsigned number = result.firstSweep + index;
      const bool ofScores = sweep.allParallel();
      if (sweep.loops() + 1 != first->loops() || sweep.results.size() != 1 || !canInlineSweep(sweep) ||
          llvm::count(sweep.parallel, false) > 1 ||
          (!ofScores && (sweep.parallel.back() || !sweep.results.front().start)))
        return misfit("sweeps must cover the scores, or reduce over the keys");
      for (const Input &input : sweep.inputs) {
        if (input.source == Input::Source::Work && !isSumOfScores(input) && !isRowOfSweep(input) &&
            (input.work != scores || !input.map.isIdentity()))
          return misfit("sweeps must read the latest scores at the position that they write");
        if (input.source == Input::Source::Storage && !input.access.padded.empty())
          return misfit("masks must be in storages");
      }
      if (ofScores)
        scores = number;
    }
    if (result.isOfCodes && !haveCodesLast())
      return misfit("scores of codes must be of f32, and their weights codes");
    readBounds();
    return second->inputs[0].work == scores ? success() : misfit("the latest scores must be the weights");
  }

  /// Reads the bounds of the sweep that finishes the scores.
  void readBounds() {
    const Work &sweep = result.sweeps.front();
    result.bounds = sweep.allParallel() ? plan::getKeyBounds(sweep.op) : std::nullopt;
    if (!result.bounds || !result.bounds->offsetInput)
      return;
    const Input &offset = sweep.inputs[*result.bounds->offsetInput];
    const bool isOfBatch =
        offset.source == Input::Source::Storage &&
        llvm::all_of(ArrayRef<int64_t>(offset.access.strides).take_back(2), [](int64_t stride) { return stride == 0; });
    if (isOfBatch)
      result.offset = &offset;
    else
      result.bounds.reset();
  }

  /// True if the body can be inlined. A sweep over scores may also read the indices of its row and its key.
  static bool canInlineSweep(const Work &sweep) {
    if (!sweep.allParallel())
      return canInline(*sweep.body);
    return canInlineWithIndices(*sweep.body) &&
           llvm::all_of(sweep.body->getOps<linalg::IndexOp>(),
                        [&](linalg::IndexOp index) { return index.getDim() + 2 >= sweep.loops(); });
  }

  bool isRowOfSweep(const Input &input) const {
    return isOfRow(input) && (!result.isOfCodes || (result.sweepOf(input) && input.map == rowsOf(input)));
  }
  static AffineMap rowsOf(const Input &input) {
    const unsigned dims = input.map.getNumDims();
    return AffineMap::getMultiDimIdentityMap(dims, input.map.getContext()).getMajorSubMap(dims - 1);
  }

  /// True if `input` reads the sum of the score's row (queries) or of its key (keys).
  bool isSumOfScores(const Input &input) const {
    const std::optional<AttentionForm::Index> sum = result.sumOf(input);
    return sum && *sum != AttentionForm::Values &&
           input.map == (*sum == AttentionForm::Queries ? rowsOf(input) : columnsOf(input.map.getNumDims(), input));
  }
  /// Returns the map to the batches and the last one of `dims` loops.
  static AffineMap columnsOf(unsigned dims, const Input &input) {
    SmallVector<unsigned> kept = llvm::to_vector(llvm::seq<unsigned>(0, dims - 2));
    kept.push_back(dims - 1);
    return AffineMap::getMultiDimIdentityMap(dims, input.map.getContext()).getSubMap(kept);
  }

  bool haveCodesLast() const {
    bool areScores = false, areCodes = false;
    for (const Work &sweep : result.sweeps) {
      if (!sweep.allParallel())
        continue;
      const Type type = sweep.results.front().elementType;
      if (areCodes || (!type.isF32() && (!areScores || !type.isInteger(8))))
        return false;
      areScores = true;
      areCodes = type.isInteger(8);
    }
    return areCodes;
  }

  //===--------------------------------------------------------------------===//
  // 3. The end
  //===--------------------------------------------------------------------===//

  LogicalResult readEnd() {
    if (!result.epilogue)
      return success();
    unsigned products = 0;
    for (const Input &input : result.epilogue->inputs) {
      if (input.source == Input::Source::Work && &form.work[input.work] == second && input.map.isIdentity())
        ++products;
      else if (!result.isOfCodes || (!isSumOfResult(input) && !isNumber(input)))
        return misfit("an epilogue must read only the second product, and sums of codes and numbers");
    }
    return products == 1 && canInline(*result.epilogue->body) ? success()
                                                              : misfit("an epilogue must be of the second product");
  }

  static bool isNumber(const Input &input) {
    return input.source == Input::Source::Storage && input.access.padded.empty() &&
           llvm::all_of(input.access.strides, [](int64_t stride) { return stride == 0; });
  }

  /// True if `input` reads the sum of the result's row (weights) or of its column (values).
  bool isSumOfResult(const Input &input) const {
    if (input.source != Input::Source::Work)
      return false;
    // The product has the loops [batches..., rows, columns, keys].
    AffineMap there = input.map.compose(second->results.front().map);
    const unsigned kept = second->loops() - 1;
    AffineMap rows = AffineMap::getMultiDimIdentityMap(kept + 1, there.getContext()).getMajorSubMap(kept - 1);
    SmallVector<unsigned> ofColumns = llvm::to_vector(llvm::seq<unsigned>(0, kept - 2));
    ofColumns.push_back(kept - 1);
    AffineMap columns = AffineMap::getMultiDimIdentityMap(kept + 1, there.getContext()).getSubMap(ofColumns);
    return (result.sweepOf(input) && there == rows) ||
           (result.sumOf(input) == AttentionForm::Values && there == columns);
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
