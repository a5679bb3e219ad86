// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. sizes; 2. sort and merge loops; 3. panels; 4. the kind of the kernel; 5. epilogues.

#include "codegen/form/ContractionForm.h"

#include "codegen/form/PlainContraction.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "nacre-contraction-form"

using namespace mlir;

namespace nacre::codegen {

static LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

//===----------------------------------------------------------------------===//
// 1. Sizes
//===----------------------------------------------------------------------===//

int64_t iterationsOf(ArrayRef<ContractionLoop> loops) {
  int64_t iterations = 1;
  for (const ContractionLoop &loop : loops)
    iterations *= loop.size;
  return iterations;
}

int64_t LoopedContraction::depthSize() const { return iterationsOf(depth) / groups.groups() * groups.run; }

double LoopedContraction::multiplyAdds() const {
  double count = double(columns.size) * parts * depthSize();
  for (const auto *group : {&outer, &rows})
    for (const ContractionLoop &loop : *group)
      count *= loop.size;
  return count;
}

ContractionShape shapeOf(const LoopedContraction &contraction) {
  ContractionShape shape;
  shape.columns = contraction.columns.size;
  shape.parts = contraction.parts;
  shape.depth = contraction.depthSize();
  shape.rows = contraction.rows.back().size;
  shape.rowBytes = contraction.rows.back().strides[Contraction::Lhs] *
                   bytesOfElement(contraction.operands[Contraction::Lhs].elementType);
  shape.runs = iterationsOf(ArrayRef(contraction.rows).drop_back());
  return shape;
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

using Cut = LoopedContraction::Cut;

/// Merges neighboring loops of `group` if each operand walks them like one loop. If the group contains the cut loop,
/// this loop is only merged with loops inside it.
template <typename Group> static void merge(LoopedContraction &contraction, Group &group, Cut kind) {
  const bool hasCut = kind != Cut::None && contraction.cut == kind;
  for (unsigned inner = group.size(); inner-- > 1;) {
    const unsigned outer = inner - 1;
    if (hasCut && contraction.cutLoop == inner)
      continue;
    const ContractionLoop &from = group[inner];
    if (!llvm::all_of(llvm::zip_equal(group[outer].strides, from.strides),
                      [&](auto pair) { return std::get<0>(pair) == std::get<1>(pair) * from.size; }))
      continue;
    if (hasCut && contraction.cutLoop == outer)
      contraction.cutFactor *= from.size;
    if (hasCut && contraction.cutLoop > outer)
      --contraction.cutLoop;
    group[outer].size *= from.size;
    group[outer].strides = from.strides;
    group.erase(group.begin() + inner);
  }
}

template <typename Kind> static Kind sorted(const PlainContraction &plain) {
  Kind result;
  static_cast<Contraction &>(result) = plain;
  for (auto [number, loop] : llvm::enumerate(plain.loops)) {
    const bool isCut = plain.cutLoop == number;
    if (number == plain.column || (loop.size == 1 && !isCut))
      continue;
    if (!loop.parallel) {
      result.depth.push_back(loop);
      continue;
    }
    const bool isRow = loop.movesLhs && !loop.movesRhs;
    auto &group = isRow ? result.rows : result.outer;
    if (isCut) {
      result.cut = isRow ? Cut::Rows : Cut::Outer;
      result.cutLoop = group.size();
    }
    group.push_back(loop);
  }
  result.columns = plain.loops[plain.column];
  if (plain.cutLoop == plain.column)
    result.cut = Cut::Columns;

  merge(result, result.depth, Cut::None);
  merge(result, result.rows, Cut::Rows);
  merge(result, result.outer, Cut::Outer);
  for (auto *group : {&result.rows, &result.depth})
    if (group->empty())
      group->push_back({1, SmallVector<int64_t, 6>(plain.operands.size(), 0)});
  return result;
}

MatrixProduct asProduct(const PlainContraction &plain) {
  assert(!plain.depthwise && "its columns have separate rows");
  return sorted<MatrixProduct>(plain);
}

DepthwiseConvolution asDepthwise(const PlainContraction &plain) {
  assert(plain.depthwise && "its columns share their rows");
  return sorted<DepthwiseConvolution>(plain);
}

//===----------------------------------------------------------------------===//
// 3. Panels
//===----------------------------------------------------------------------===//

/// Makes each iteration of the innermost depth loop a group of k steps.
static LogicalResult groupDepth(MatrixProduct &product, const DepthGroups &depth) {
  product.groups = depth;
  if (depth.k == 1 || depth.run == 1) // A group of one step is already a separate word.
    return success();
  ContractionLoop &steps = product.depth.back();
  const int64_t stride = product.panels->width;
  const bool isRun = steps.size == depth.run || (depth.run % depth.k == 0 && steps.size % depth.k == 0);
  if (!isRun || steps.strides[Contraction::Lhs] != 1 || steps.strides[Contraction::Rhs] != stride)
    return misfit("the steps of a group must lie one after another in the left operand");
  steps.size = llvm::divideCeil(steps.size, depth.k);
  steps.strides[Contraction::Lhs] = depth.k;
  steps.strides[Contraction::Rhs] = stride * depth.k;
  return success();
}

std::optional<DepthGroups> depthGroupsOf(const PlainContraction &plain, int64_t k) {
  if (plain.depthwise || plain.parts != 1 || plain.rhsAxes.size() < 2 || plain.rhsAxes.size() != plain.rhsShape.size())
    return std::nullopt;
  DepthGroups depth{k, 1};
  for (unsigned axis = plain.rhsAxes.size() - 1; axis-- > 0;) {
    // Find the only loop that walks the axis. It must do so from the beginning to the end.
    const WalkedAxis &walked = plain.rhsAxes[axis];
    std::optional<unsigned> by;
    for (auto [loop, coefficient] : llvm::enumerate(walked.coefficients)) {
      if (coefficient == 0 || plain.loops[loop].size == 1)
        continue;
      if (by || coefficient != 1)
        return depth;
      by = loop;
    }
    const int64_t size = plain.rhsShape[axis];
    if (size == 1)
      continue;
    if (!by || walked.constant != 0 || plain.loops[*by].size != size || plain.loops[*by].parallel ||
        plain.loops[*by].strides[Contraction::Lhs] != depth.run)
      break;
    depth.run *= size;
    if (depth.run % k == 0)
      return depth;
  }
  return depth;
}

FailureOr<MatrixProduct> inPanels(const PlainContraction &plain, int64_t width, const DepthGroups &depth) {
  if (plain.depthwise)
    return misfit("a depthwise weight must be plain");
  if (plain.resultWidth != 0 && plain.resultWidth != width)
    return misfit("a packed weight must be as wide as the panels of the result");
  const unsigned rank = plain.rhsShape.size();
  if (rank == 0 || plain.rhsAxes.size() != rank || plain.operands[Contraction::Rhs].offset != 0)
    return misfit("a packed weight must be read whole");
  const WalkedAxis &last = plain.rhsAxes.back();
  if (last.coefficients[plain.column] != 1)
    return misfit("a packed weight's last axis must be the columns");

  // Distance in elements between indices of each axis of Rhs; 0 for the last axis, which is the columns.
  SmallVector<int64_t> axisStrides(rank, 0);
  int64_t stride = width * plain.parts * (depth.run == 1 ? depth.k : 1), steps = 1;
  for (unsigned axis = rank - 1; axis-- > 0;) {
    axisStrides[axis] = stride;
    stride *= plain.rhsShape[axis];
    steps *= plain.rhsShape[axis];
    if (steps == depth.run)
      stride = width * plain.parts * depth.stored();
  }
  if (depth.k > 1 && (plain.parts != 1 || steps % depth.run != 0))
    return misfit("groups of steps must be of whole runs, and of one part");
  const int64_t columns = plain.loops[plain.column].size, groupPanels = llvm::divideCeil(columns, width);
  const Panels panels = {width, stride};

  PlainContraction packed = plain;
  ContractionOperand &rhs = packed.operands[Contraction::Rhs];
  for (auto [axis, axisStride] : llvm::zip_equal(plain.rhsAxes, axisStrides))
    rhs.offset += axis.constant * axisStride;
  // The columns of each group begin a new panel.
  for (auto [number, loop] : llvm::enumerate(packed.loops)) {
    int64_t &rhsStride = loop.strides[Contraction::Rhs];
    rhsStride = 0;
    for (auto [axis, axisStride] : llvm::zip_equal(plain.rhsAxes, axisStrides))
      rhsStride += axis.coefficients[number] * axisStride;
    if (number == plain.column || last.coefficients[number] == 0)
      continue;
    if (last.coefficients[number] != columns)
      return misfit("groups of columns must follow one another");
    if (plain.parts != 1)
      return misfit("parts must cover all columns");
    rhsStride += groupPanels * panels.stride;
  }
  MatrixProduct result = sorted<MatrixProduct>(packed);
  result.panels = panels;
  if (failed(groupDepth(result, depth)))
    return failure();
  return result;
}

bool isWalkedByRows(const PlainContraction &plain, plan::KernelOp kernel, unsigned operand) {
  const ProductLoop &columns = plain.loops[plain.column];
  const unsigned argument = plain.operands[operand].argument;
  if (plain.depthwise || plain.prologue || plain.parts != 1 || plain.operands[operand].offset != 0 ||
      columns.strides[operand] != 1 || argument >= kernel.getBody().getNumArguments())
    return false;
  int64_t elements = columns.size;
  for (auto [number, loop] : llvm::enumerate(plain.loops)) {
    if (number == plain.column || !loop.parallel)
      continue;
    if (loop.movesRhs || loop.strides[operand] % columns.size != 0 || (loop.size > 1 && loop.strides[operand] == 0))
      return false;
    elements *= loop.size;
  }
  auto type = cast<RankedTensorType>(kernel.getBody().getArgument(argument).getType());
  return type.getNumElements() == elements && type.getRank() > 0 && type.getShape().back() == columns.size;
}

FailureOr<PlainContraction> withResultsInPanels(const PlainContraction &plain, plan::KernelOp kernel) {
  PlainContraction packed = plain;
  const int64_t columns = plain.loops[plain.column].size;
  for (unsigned number = Contraction::Result; number < plain.operands.size(); ++number) {
    ContractionOperand &operand = packed.operands[number];
    plan::EncodingAttr encoding = kernel.getEncoding(operand.argument);
    if (!encoding || encoding.getKind() != plan::EncodingKind::Panel)
      continue;
    const int64_t width = encoding.getWidth();
    if (encoding.getParts() != 1 || !isWalkedByRows(plain, kernel, number) ||
        (packed.resultWidth != 0 && packed.resultWidth != width))
      return misfit("results in panels must be written row by row, in panels of one width");
    packed.resultWidth = width;
    int64_t rows = 1;
    for (auto [loop, walked] : llvm::enumerate(packed.loops))
      if (loop != plain.column && walked.parallel) {
        walked.strides[number] = walked.strides[number] / columns * width;
        rows *= walked.size;
      }
    operand.panelStride = rows * width;
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// 4. The kind of the kernel
//===----------------------------------------------------------------------===//

FailureOr<ContractionForm> parseContraction(plan::KernelOp kernel) {
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (succeeded(plain))
    plain = withResultsInPanels(*plain, kernel);
  if (failed(plain))
    return failure();
  auto asForm = [](auto read) -> FailureOr<ContractionForm> {
    if (failed(read))
      return failure();
    return ContractionForm(std::move(*read));
  };
  plan::EncodingAttr encoding = kernel.getEncoding(plain->operands[Contraction::Rhs].argument);
  if (encoding && encoding.getParts() != plain->parts)
    return misfit("a packed weight must have the parts that the kernel reads");
  if (encoding && encoding.getKind() == plan::EncodingKind::Panel)
    return asForm(inPanels(*plain, encoding.getWidth(), groupsOf(encoding)));
  return plain->depthwise ? ContractionForm(asDepthwise(*plain)) : ContractionForm(asProduct(*plain));
}

//===----------------------------------------------------------------------===//
// 5. Epilogues
//===----------------------------------------------------------------------===//

SmallVector<Value> epilogueArguments(const Contraction &contraction, ArrayRef<Value> sums,
                                     llvm::function_ref<Value(unsigned operand)> load,
                                     llvm::function_ref<Value(TypedAttr)> constant) {
  SmallVector<Value> arguments;
  unsigned operand = Contraction::Extra;
  for (std::optional<unsigned> part : contraction.productInputs)
    arguments.push_back(part ? sums[*part] : load(operand++));
  for (unsigned result : contraction.results) {
    Type type = contraction.operands[result].elementType;
    arguments.push_back(constant(cast<TypedAttr>(Builder(type.getContext()).getZeroAttr(type))));
  }
  return arguments;
}

} // namespace nacre::codegen
