// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. is it a contraction; 2. what each loop moves; 3. sort, drop and merge loops; 4. find the cut.

#include "codegen/form/ContractionForm.h"

#include "codegen/form/ScalarBody.h"
#include "codegen/form/Winograd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-contraction-form"

using namespace mlir;

namespace nacre::codegen {

int64_t Contraction::depthSize() const {
  int64_t size = 1;
  for (const ContractionLoop &loop : depth)
    size *= loop.size;
  return size;
}

double Contraction::multiplyAdds() const {
  double count = double(columns.size) * depthSize();
  for (const auto *group : {&outer, &rows})
    for (const ContractionLoop &loop : *group)
      count *= loop.size;
  return count;
}

ContractionShape shapeOf(const Contraction &contraction) {
  ContractionShape shape;
  shape.columns = contraction.columns.size;
  shape.depth = contraction.depthSize();
  shape.rows = contraction.rows.back().size;
  shape.rowBytes = contraction.rows.back().strides[Contraction::Lhs] *
                   (contraction.operands[Contraction::Lhs].elementType.getIntOrFloatBitWidth() / 8);
  for (const ContractionLoop &loop : llvm::drop_end(contraction.rows))
    shape.runs *= loop.size;
  return shape;
}

//===----------------------------------------------------------------------===//
// 1. Recognition
//===----------------------------------------------------------------------===//

bool isMultiplyAdd(const Work &work) {
  if (work.inputs.size() < 2 || work.results.size() != 1)
    return false;
  for (const Input &shapeOnly : llvm::drop_begin(work.inputs, 2))
    if (shapeOnly.source != Input::Source::Unread)
      return false;
  Block &body = *work.body;
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(work.inputs.size());
  auto product = add.getLhs() == accumulator   ? add.getRhs().getDefiningOp<arith::MulFOp>()
                 : add.getRhs() == accumulator ? add.getLhs().getDefiningOp<arith::MulFOp>()
                                               : arith::MulFOp();
  if (!product)
    return false;
  auto converted = [](Value value) {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : value;
  };
  Value lhs = converted(product.getLhs()), rhs = converted(product.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

namespace {

LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

/// Coefficient of each loop in the sum that `map` gives for `axis`.
FailureOr<SmallVector<int64_t>> coefficients(AffineMap map, unsigned axis) {
  Place place;
  place.strides.assign(map.getNumResults(), 0);
  place.shape.assign(map.getNumResults(), 1);
  place.strides[axis] = 1;
  FailureOr<Access> access = composeAccess(place, map, Type());
  if (failed(access))
    return failure();
  return SmallVector<int64_t>(access->strides);
}

class Parser {
public:
  Parser(plan::KernelOp kernel, const KernelForm &form) : kernel(kernel), form(form), product(form.work.front()) {}

  FailureOr<Contraction> parse() {
    if (form.written.size() != 1 || form.work.size() > 2 || !isMultiplyAdd(product) ||
        !matchPattern(product.results.front().start, m_AnyZeroFloat()))
      return misfit("there must be one multiply-add from zero, one epilogue at most, and one target");
    result.product = &product;
    result.written = &form.written.front();
    result.accumulatorType = product.results.front().elementType;
    if (!result.accumulatorType.isF32() && !result.accumulatorType.isF64())
      return misfit("accumulators must be f32 or f64");
    result.operands.resize(Contraction::Extra);
    strides.assign(Contraction::Extra, {});
    if (failed(parseTarget()))
      return failure();
    std::optional<unsigned> column = findColumns();
    if (!column) {
      swapped = true;
      column = findColumns();
    }
    if (!column) {
      swapped = false;
      column = findChannels();
      result.depthwise = column.has_value();
    }
    if (!column)
      return misfit("one operand must walk columns that lie one after another in the result");
    if (failed(parseOperands(*column)) || failed(sortLoops(*column)))
      return failure();
    return std::move(result);
  }

private:
  //===--------------------------------------------------------------------===//
  // 2. What each loop moves
  //===--------------------------------------------------------------------===//

  /// The target, and the epilogue's own inputs, by the loops of the product.
  LogicalResult parseTarget() {
    const Result &accumulator = product.results.front();
    if (accumulator.written.has_value() != (form.work.size() == 1))
      return misfit("the last operation must write the target");
    FailureOr<Access> target = composeAccess(result.written->place, accumulator.map, result.written->elementType);
    if (failed(target))
      return failure();
    setOperand(Contraction::Result, *target);
    if (form.work.size() == 1)
      return success();

    const Work &epilogue = form.work.back();
    if (!epilogue.allParallel() || epilogue.results.size() != 1 || !epilogue.results.front().map.isIdentity())
      return misfit("an epilogue must be all-parallel and write by the identity");
    if (!canInline(*epilogue.body))
      return misfit("an epilogue must hold operations on scalars");
    result.epilogue = &epilogue;
    bool readsProduct = false;
    for (auto [number, input] : llvm::enumerate(epilogue.inputs)) {
      if (input.source == Input::Source::Work && input.map.isIdentity() && !readsProduct) {
        readsProduct = true;
        result.accumulatorInput = number;
        continue;
      }
      if (input.source != Input::Source::Storage || !input.access.padded.empty())
        return misfit("an epilogue must read the product once, and storages");
      Place byAxis;
      byAxis.argument = input.access.argument;
      byAxis.offset = input.access.offset;
      byAxis.strides = input.access.strides;
      byAxis.shape = epilogue.sizes;
      FailureOr<Access> access = composeAccess(byAxis, accumulator.map, input.elementType);
      if (failed(access))
        return failure();
      result.operands.emplace_back();
      strides.emplace_back();
      setOperand(result.operands.size() - 1, *access);
    }
    return success(readsProduct);
  }

  void setOperand(unsigned operand, const Access &access) {
    result.operands[operand] = {access.argument, access.offset, access.elementType};
    strides[operand] = access.strides;
  }

  bool walks(unsigned input, unsigned loop) const { return product.inputs[input].map.isFunctionOfDim(loop); }

  plan::EncodingAttr panelOf(unsigned input) const {
    auto encoding = plan::KernelOp(kernel).getEncoding(product.inputs[input].access.argument);
    return encoding && encoding.getKind() != plan::EncodingKind::Plain ? encoding : plan::EncodingAttr();
  }

  /// The loop over columns. A packed operand has them as its last axis, so it is Rhs.
  std::optional<unsigned> findColumns() const {
    const unsigned lhs = swapped, rhs = !swapped;
    if (panelOf(lhs))
      return std::nullopt;
    for (unsigned loop = product.loops(); loop-- > 0;) {
      if (!product.parallel[loop] || walks(lhs, loop) || !walks(rhs, loop))
        continue;
      if (strides[Contraction::Result][loop] == 1 || (!swapped && product.sizes[loop] == 1))
        return loop;
    }
    return std::nullopt;
  }

  /// The loop along which all operands lie one after another.
  std::optional<unsigned> findChannels() const {
    for (unsigned loop = product.loops(); loop-- > 0;)
      if (product.parallel[loop] && strides[Contraction::Result][loop] == 1 &&
          llvm::all_of(ArrayRef(product.inputs).take_front(2), [&](const Input &input) {
            return input.source == Input::Source::Storage && input.access.strides[loop] == 1;
          }))
        return loop;
    return std::nullopt;
  }

  LogicalResult parseOperands(unsigned column) {
    const Input &lhs = product.inputs[swapped], &rhs = product.inputs[!swapped];
    for (const Input *input : {&lhs, &rhs})
      if (input->source != Input::Source::Storage || !input->access.padded.empty())
        return misfit("operands must be in storages, padding included");
    setOperand(Contraction::Lhs, lhs.access);
    setOperand(Contraction::Rhs, rhs.access);
    plan::EncodingAttr panel = panelOf(!swapped);
    if (panel && result.depthwise)
      return misfit("a depthwise weight must be plain");
    if (panel && panel.getKind() == plan::EncodingKind::Winograd)
      return parseWinograd(panel, rhs);
    return panel ? parsePanels(panel, rhs, column) : success();
  }

  /// y(n, h, w, o) += x(n, h + i, w + j, c) * f(i, j, c, o), with 3x3 taps and rows and pixels any distance apart.
  LogicalResult parseWinograd(plan::EncodingAttr encoding, const Input &rhs) {
    enum Loop : unsigned { Image, Down, Across, Column, TapDown, TapAcross, Channel, Count };
    auto targets = [&](ArrayRef<unsigned> loops) {
      return AffineMap::getMultiDimMapWithTargets(Count, loops, kernel.getContext());
    };
    auto type = cast<RankedTensorType>(kernel.getBody().getArgument(rhs.access.argument).getType());
    const SmallVector<bool> parallel = {true, true, true, true, false, false, false};
    if (product.loops() != Count || product.parallel != parallel || type.getRank() != 4 || rhs.access.offset != 0 ||
        llvm::is_contained(product.sizes, 0) || rhs.map != targets({TapDown, TapAcross, Channel, Column}) ||
        product.results.front().map != targets({Image, Down, Across, Column}))
      return misfit("a Winograd filter must be that of a convolution in two dimensions");
    ArrayRef<int64_t> lhs = strides[Contraction::Lhs];
    const bool hasTaps = product.sizes[TapDown] == winograd::kTaps && product.sizes[TapAcross] == winograd::kTaps;
    if (!hasTaps || lhs[Down] != lhs[TapDown] || lhs[Across] != lhs[TapAcross] || lhs[Channel] != 1 ||
        strides[Contraction::Result][Column] != 1)
      return misfit("a Winograd filter must be 3x3 and walk every pixel");
    for (const ContractionOperand &operand : result.operands)
      if (!operand.elementType.isF32())
        return misfit("a Winograd convolution must be of f32");
    if (form.cutAxis > Down || (form.cutAxis == Down && product.sizes[Image] != 1))
      return misfit("a Winograd convolution must be cut among its images or its rows");
    result.winogradTile = encoding.getTile();
    result.panelWidth = encoding.getWidth();
    const int64_t inputs = winograd::inputsOf(result.winogradTile);
    result.panelStride = inputs * inputs * product.sizes[Channel] * result.panelWidth;
    return success();
  }

  /// Rhs's strides in its packed form.
  LogicalResult parsePanels(plan::EncodingAttr panel, const Input &rhs, unsigned column) {
    auto type = cast<RankedTensorType>(kernel.getBody().getArgument(rhs.access.argument).getType());
    if (rhs.map.getNumResults() != unsigned(type.getRank()) || rhs.access.offset != 0)
      return misfit("a packed weight must be read whole");
    const unsigned last = type.getRank() - 1;
    result.panelWidth = panel.getWidth();
    Place packed;
    packed.argument = rhs.access.argument;
    packed.shape.assign(type.getShape().begin(), type.getShape().end());
    packed.strides.assign(type.getRank(), 0);
    int64_t stride = result.panelWidth;
    for (unsigned axis = last; axis-- > 0; stride *= packed.shape[axis])
      packed.strides[axis] = stride;
    result.panelStride = stride;
    FailureOr<Access> access = composeAccess(packed, rhs.map, rhs.elementType);
    FailureOr<SmallVector<int64_t>> onColumns = coefficients(rhs.map, last);
    if (failed(access) || failed(onColumns) || (*onColumns)[column] != 1)
      return misfit("a packed weight's last axis must be the columns");
    // A group's columns begin with a panel of their own.
    const int64_t groupPanels = llvm::divideCeil(product.sizes[column], result.panelWidth);
    for (auto [loop, coefficient] : llvm::enumerate(*onColumns))
      if (loop != column && coefficient != 0) {
        if (coefficient != product.sizes[column])
          return misfit("groups of columns must follow one another");
        access->strides[loop] += groupPanels * result.panelStride;
      }
    setOperand(Contraction::Rhs, *access);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // 3. and 4. Loops, and the cut
  //===--------------------------------------------------------------------===//

  ContractionLoop makeLoop(unsigned loop) const {
    ContractionLoop made;
    made.size = product.sizes[loop];
    for (ArrayRef<int64_t> ofOperand : strides)
      made.strides.push_back(ofOperand[loop]);
    return made;
  }

  LogicalResult sortLoops(unsigned column) {
    const unsigned lhs = swapped, rhs = !swapped;
    std::optional<unsigned> cut = findCut();
    result.cutAxis = form.cutAxis;
    result.cutExtent = form.cutExtent;
    for (unsigned loop = 0; loop < product.loops(); ++loop) {
      if (loop == column || (product.sizes[loop] == 1 && loop != cut && !result.winogradTile))
        continue;
      const bool inLhs = walks(lhs, loop), inRhs = walks(rhs, loop);
      if (!product.parallel[loop]) {
        if (!inLhs || !inRhs)
          return misfit("a reduction must walk both operands");
        result.depth.push_back(makeLoop(loop));
        continue;
      }
      const bool isRow = inLhs && !inRhs;
      auto &group = isRow ? result.rows : result.outer;
      if (loop == cut) {
        result.cut = isRow ? Contraction::Cut::Rows : Contraction::Cut::Outer;
        result.cutLoop = group.size();
      }
      group.push_back(makeLoop(loop));
    }
    result.columns = makeLoop(column);
    if (cut == column)
      result.cut = Contraction::Cut::Columns;

    if (result.winogradTile)
      return success();
    merge(result.depth, Contraction::Cut::None);
    merge(result.rows, Contraction::Cut::Rows);
    merge(result.outer, Contraction::Cut::Outer);
    for (auto *group : {&result.rows, &result.depth})
      if (group->empty())
        group->push_back({1, SmallVector<int64_t, 6>(strides.size(), 0)});
    return success();
  }

  /// The loop that walks the cut axis; none where several do: such a kernel is not divided.
  std::optional<unsigned> findCut() const {
    FailureOr<SmallVector<int64_t>> onAxis = coefficients(product.results.front().map, form.cutAxis);
    std::optional<unsigned> cut;
    for (unsigned loop = 0; succeeded(onAxis) && loop < onAxis->size(); ++loop) {
      if ((*onAxis)[loop] == 0)
        continue;
      if (cut || (*onAxis)[loop] != 1)
        return std::nullopt;
      cut = loop;
    }
    return cut;
  }

  /// Makes one loop of neighbours where that is the same to every operand. The cut loop stays the outermost of its own.
  template <typename Group> void merge(Group &group, Contraction::Cut kind) {
    const bool hasCut = kind != Contraction::Cut::None && result.cut == kind;
    for (unsigned inner = group.size(); inner-- > 1;) {
      const unsigned outer = inner - 1;
      if (hasCut && result.cutLoop == inner)
        continue;
      const ContractionLoop &from = group[inner];
      if (!llvm::all_of(llvm::zip_equal(group[outer].strides, from.strides),
                        [&](auto pair) { return std::get<0>(pair) == std::get<1>(pair) * from.size; }))
        continue;
      if (hasCut && result.cutLoop == outer)
        result.cutFactor *= from.size;
      if (hasCut && result.cutLoop > outer)
        --result.cutLoop;
      group[outer].size *= from.size;
      group[outer].strides = from.strides;
      group.erase(group.begin() + inner);
    }
  }

  plan::KernelOp kernel;
  const KernelForm &form;
  const Work &product;
  Contraction result;
  bool swapped = false;                      ///< Rhs is the product's first input.
  SmallVector<SmallVector<int64_t>> strides; ///< By operand, then by the product's loop.
};

} // namespace

FailureOr<Contraction> parseContraction(plan::KernelOp kernel, const KernelForm &form) {
  return Parser(kernel, form).parse();
}

} // namespace nacre::codegen
