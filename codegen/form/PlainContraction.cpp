// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. check that the kernel is a contraction; 2. find the operand with the columns (ProductColumns.h);
//        3. find the operands that each loop moves. ContractionForm.cpp makes each kind of contraction from the result.

#include "codegen/form/PlainContraction.h"

#include "codegen/form/MultiplyAdd.h"
#include "codegen/form/ProductColumns.h"
#include "codegen/form/ScalarBody.h"
#include "dialects/plan/Notes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-contraction-form"

using namespace mlir;

namespace nacre::codegen {
namespace {

LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

class ContractionReader {
public:
  ContractionReader(plan::KernelOp kernel, std::shared_ptr<const KernelForm> form)
      : kernel(kernel), form(*form), productNumber(findProduct(*form)), product(form->work[productNumber]) {
    result.kernel = std::move(form);
  }

  FailureOr<PlainContraction> read() {
    integers = readIntegerMultiplyAdd(product);
    if (form.work.size() > productNumber + 2 || !(integers || isMultiplyAdd(product)) || !startsFromZero())
      return misfit("there must be one multiply-add from zero, and one epilogue at most");
    if (integers && productNumber > 0)
      return misfit("the left operand of an integer product must be in a storage");
    result.product = &product;
    result.written = &form.written.front();
    result.accumulatorType = product.results.front().elementType;
    if (!integers && !result.accumulatorType.isF32() && !result.accumulatorType.isF64())
      return misfit("accumulators must be f32, f64 or i32");
    result.cutAxis = form.cutAxis;
    result.cutExtent = form.cutExtent;
    result.operands.resize(Contraction::Extra);
    strides.assign(Contraction::Extra, {});
    if (failed(readTarget()) || failed(findColumns()) || failed(readOperands()) || failed(readLeft()) ||
        failed(readLoops()) || failed(readParts()))
      return failure();
    if (result.accumulatorType.isF32() && result.leftType().isF16() && result.rightType().isF16())
      result.halfSums = plan::halfSumsOf(kernel);
    return std::move(result);
  }

private:
  /// Returns the index of the multiply-add among the operations, or 0 if the kernel has none. The operations before it
  /// compute its left operand.
  static unsigned findProduct(const KernelForm &form) {
    auto *found = llvm::find_if(
        form.work, [](const Work &work) { return isMultiplyAdd(work) || readIntegerMultiplyAdd(work).has_value(); });
    return found == form.work.end() ? 0 : found - form.work.begin();
  }

  bool startsFromZero() const {
    const TypedAttr start = product.results.front().start;
    return matchPattern(start, m_AnyZeroFloat()) || matchPattern(start, m_Zero());
  }

  bool hasEpilogue() const { return form.work.size() > productNumber + 1; }
  /// Returns the number of targets that the product and its epilogue write. A prologue writes the last target.
  size_t writtenByProduct() const {
    const bool both = productNumber > 0 && form.work[productNumber - 1].results.front().written.has_value();
    return form.written.size() - (both ? 1 : 0);
  }

  //===--------------------------------------------------------------------===//
  // 2. Operands
  //===--------------------------------------------------------------------===//

  /// Reads the target and the inputs of the epilogue that are not the product. Their strides are for the loops of the
  /// product.
  LogicalResult readTarget() {
    const Result &accumulator = product.results.front();
    if (accumulator.written.value_or(0) != 0 || accumulator.written.has_value() == hasEpilogue())
      return misfit("the last operation must write the target");
    if (failed(readWritten(Contraction::Result, form.written.front())))
      return failure();
    if (!hasEpilogue())
      return success(writtenByProduct() == 1);

    const Work &epilogue = form.work.back();
    auto isWritten = [](const Result &written) { return written.map.isIdentity() && written.written; };
    if (!epilogue.allParallel() || !llvm::all_of(epilogue.results, isWritten))
      return misfit("an epilogue must be all-parallel and write with the identity map");
    if (epilogue.results.size() != writtenByProduct())
      return misfit("an epilogue must write all targets");
    if (!canInline(*epilogue.body))
      return misfit("an epilogue must hold only scalar operations");
    result.epilogue = &epilogue;
    for (const Input &input : epilogue.inputs)
      if (failed(readEpilogueInput(input)))
        return failure();
    // Result i must write target i, and only the first target may have a halo.
    for (auto [number, further] : llvm::enumerate(epilogue.results)) {
      const WrittenTensor &written = form.written[*further.written];
      if (number == 0)
        continue;
      if (*further.written != number || written.haloValue)
        return misfit("further results must have no halo, and be written in order");
      result.results.push_back(addOperand());
      if (failed(readWritten(result.results.back(), written)))
        return failure();
    }
    return success(llvm::any_of(result.productInputs, [](auto part) { return part.has_value(); }));
  }

  LogicalResult readWritten(unsigned operand, const WrittenTensor &written) {
    FailureOr<Access> target = composeAccess(written.slice, product.results.front().map, written.elementType);
    if (succeeded(target))
      setOperand(operand, *target);
    return success(succeeded(target));
  }

  unsigned addOperand() {
    result.operands.emplace_back();
    strides.emplace_back();
    return result.operands.size() - 1;
  }

  LogicalResult readEpilogueInput(const Input &input) {
    const SmallVector<int64_t> &sizes = result.epilogue->sizes;
    if (input.source == Input::Source::Work && input.work == productNumber) {
      // The input reads the product itself, or columns of it that begin at a multiple of the part's size.
      FailureOr<SmallVector<WalkedAxis>> axes = walkAxes(input.map);
      if (failed(axes) || axes->empty() || sizes.back() == 0 || axes->back().constant % sizes.back() != 0)
        return misfit("an epilogue must read parts of the product");
      const int64_t start = axes->back().constant;
      AffineMap identity = AffineMap::getMultiDimIdentityMap(sizes.size(), input.map.getContext());
      SmallVector<AffineExpr> shifted(identity.getResults());
      shifted.back() = shifted.back() + start;
      if (input.map != AffineMap::get(sizes.size(), 0, shifted, input.map.getContext()))
        return misfit("an epilogue must read the product at the position that it writes");
      result.productInputs.push_back(start / sizes.back());
      return success();
    }
    if (input.source != Input::Source::Storage || !input.access.padded.empty())
      return misfit("an epilogue must read only the product and storages");
    result.productInputs.push_back(std::nullopt);
    return success(addInput(input, sizes, product.results.front().map).has_value());
  }

  /// Adds an operand for a stored input of another operation. `map` maps that operation's loops, which have `sizes`, to
  /// axes.
  std::optional<unsigned> addInput(const Input &input, ArrayRef<int64_t> sizes, AffineMap map) {
    StridedSlice byAxis;
    byAxis.argument = input.access.argument;
    byAxis.offset = input.access.offset;
    byAxis.strides = input.access.strides;
    byAxis.shape.assign(sizes.begin(), sizes.end());
    FailureOr<Access> access = composeAccess(byAxis, map, input.elementType);
    if (failed(access))
      return std::nullopt;
    const unsigned operand = addOperand();
    setOperand(operand, *access);
    return operand;
  }

  /// Drops the last operand if it equals an earlier one from index `first` on. Returns the index of the remaining
  /// operand.
  unsigned withoutTwin(unsigned first) {
    const unsigned last = result.operands.size() - 1;
    for (unsigned other = first; other < last; ++other) {
      const ContractionOperand &a = result.operands[other], &b = result.operands[last];
      if (a.argument != b.argument || a.offset != b.offset || a.elementType != b.elementType ||
          strides[other] != strides[last])
        continue;
      result.operands.pop_back();
      strides.pop_back();
      return other;
    }
    return last;
  }

  /// Sets the number of parts of the product. There are several if the epilogue has fewer columns than the product.
  LogicalResult readParts() {
    if (!result.epilogue)
      return success();
    ProductLoop &columns = result.loops[result.column];
    const SmallVector<int64_t> &sizes = result.epilogue->sizes;
    const int64_t size = sizes.empty() ? 1 : sizes.back();
    const SmallVector<int64_t> &whole = product.results.front().shape;
    const int64_t all = whole.empty() ? 1 : whole.back();
    if (size == all)
      return success(llvm::all_of(result.productInputs, [](auto part) { return part.value_or(0) == 0; }));
    if (result.depthwise || columns.size != all || all % size != 0 ||
        result.resultAxes.back().coefficients[result.column] != 1)
      return misfit("parts must be of the columns");
    result.parts = all / size;
    columns.size = size;
    return success();
  }

  /// Adds the operands of the prologue if it computes the left operand.
  LogicalResult readLeft() {
    if (productNumber == 0)
      return success();
    const Input &left = product.inputs[lhs];
    const unsigned own = result.operands.size();
    auto add = [&](const Input &input, ArrayRef<int64_t> sizes) -> std::optional<unsigned> {
      if (!addInput(input, sizes, left.map))
        return std::nullopt;
      return withoutTwin(own);
    };
    result.prologue = readPrologue(form, productNumber, left, add);
    if (!result.prologue)
      return failure();
    const unsigned first = *result.prologue->firstOperand();
    result.operands[Contraction::Lhs] = result.operands[first];
    strides[Contraction::Lhs] = strides[first];
    const std::optional<unsigned> target = result.prologue->map->results.front().written;
    if (!target)
      return success();
    const WrittenTensor &written = form.written[*target];
    FailureOr<Access> access = composeAccess(written.slice, left.map, written.elementType);
    if (*target + 1 != form.written.size() || written.haloValue || failed(access))
      return misfit("a left operand must be the last one written, and have no halo");
    result.prologue->written = addOperand();
    setOperand(*result.prologue->written, *access);
    return success();
  }

  void setOperand(unsigned operand, const Access &access) {
    result.operands[operand] = {access.argument, access.offset, access.elementType};
    strides[operand] = access.strides;
  }

  LogicalResult findColumns() {
    const std::optional<ProductColumns> columns = findProductColumns(kernel, product, strides[Contraction::Result]);
    if (!columns)
      return misfit("one operand must walk columns that lie one after another in the result");
    lhs = columns->lhs;
    result.column = columns->loop;
    result.depthwise = columns->depthwise;
    return success();
  }

  LogicalResult readOperands() {
    for (unsigned input : {0, 1}) {
      const bool isMade = productNumber > 0 && input == lhs && product.inputs[input].source == Input::Source::Work;
      if (!isMade &&
          (product.inputs[input].source != Input::Source::Storage || !product.inputs[input].access.padded.empty()))
        return misfit("operands must be in storages, padding included");
    }
    if (integers) {
      result.isUnsignedLhs = integers->isUnsigned[lhs];
      result.isUnsignedRhs = integers->isUnsigned[1 - lhs];
      result.pairsFit = plan::doPairsFit(kernel) && !result.isUnsignedLhs && !result.isUnsignedRhs;
    }
    const Input &rhs = product.inputs[1 - lhs];
    if (product.inputs[lhs].source == Input::Source::Storage)
      setOperand(Contraction::Lhs, product.inputs[lhs].access);
    setOperand(Contraction::Rhs, rhs.access);
    if (!integers)
      result.right = readRightDecode(kernel, rhs.access, result.accumulatorType);
    auto storage = cast<RankedTensorType>(kernel.getBody().getArgument(rhs.access.argument).getType());
    result.rhsShape.assign(storage.getShape().begin(), storage.getShape().end());
    FailureOr<SmallVector<WalkedAxis>> rhsAxes = walkAxes(rhs.map);
    FailureOr<SmallVector<WalkedAxis>> resultAxes = walkAxes(product.results.front().map);
    if (failed(rhsAxes) || failed(resultAxes))
      return failure();
    result.rhsAxes = std::move(*rhsAxes);
    result.resultAxes = std::move(*resultAxes);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // 3. Loops
  //===--------------------------------------------------------------------===//

  LogicalResult readLoops() {
    for (unsigned number = 0; number < product.loops(); ++number) {
      ProductLoop &loop = result.loops.emplace_back();
      loop.size = product.sizes[number];
      for (ArrayRef<int64_t> ofOperand : strides)
        loop.strides.push_back(ofOperand[number]);
      loop.parallel = product.parallel[number];
      loop.movesLhs = product.inputs[lhs].map.isFunctionOfDim(number);
      loop.movesRhs = product.inputs[1 - lhs].map.isFunctionOfDim(number);
      if (!loop.parallel && loop.size != 1 && (!loop.movesLhs || !loop.movesRhs))
        return misfit("a reduction must walk both operands");
    }
    result.cutLoop = findCut();
    return success();
  }

  /// Returns the loop that walks the cut axis; `nullopt` if several loops do. Kernels with several such loops are not
  /// divided.
  std::optional<unsigned> findCut() const {
    std::optional<unsigned> cut;
    if (form.cutAxis >= result.resultAxes.size())
      return cut;
    for (auto [loop, coefficient] : llvm::enumerate(result.resultAxes[form.cutAxis].coefficients)) {
      if (coefficient == 0)
        continue;
      if (cut || coefficient != 1)
        return std::nullopt;
      cut = loop;
    }
    return cut;
  }

  plan::KernelOp kernel;
  const KernelForm &form;
  const unsigned productNumber;
  const Work &product;
  PlainContraction result;
  std::optional<IntegerFactors> integers;    ///< `nullopt` for a product of floats.
  unsigned lhs = 0;                          ///< Index of the product's input that is Lhs.
  SmallVector<SmallVector<int64_t>> strides; ///< Strides of each operand, for each loop of the product.
};

} // namespace

int64_t PlainContraction::depthSize() const {
  int64_t size = 1;
  for (const ProductLoop &loop : loops)
    if (!loop.parallel)
      size *= loop.size;
  return size;
}

double PlainContraction::multiplyAdds() const {
  double all = 1;
  for (const ProductLoop &loop : loops)
    all *= double(loop.size);
  return all;
}

FailureOr<PlainContraction> readContraction(plan::KernelOp kernel) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return failure();
  return readContraction(kernel, std::make_shared<const KernelForm>(std::move(*form)));
}

FailureOr<PlainContraction> readContraction(plan::KernelOp kernel, std::shared_ptr<const KernelForm> form) {
  return ContractionReader(kernel, std::move(form)).read();
}

} // namespace nacre::codegen
