// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing, parsing and verification of `plan` operations.

#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::plan {

Value rootOf(Value operand) {
  while (auto view = operand.getDefiningOp<ViewOp>())
    operand = view.getSource();
  return operand;
}

/// Prints `{ launches }`. parseSteps creates a block even if there are no launches.
static void printSteps(OpAsmPrinter &printer, Operation *, Region &steps) { printer.printRegion(steps); }

static ParseResult parseSteps(OpAsmParser &parser, Region &steps) {
  if (parser.parseRegion(steps))
    return failure();
  if (steps.empty())
    steps.emplaceBlock();
  return success();
}

} // namespace nacre::plan

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

namespace nacre::plan {

RankedTensorType StorageOp::getTypeOfModel() {
  auto stored = cast<ShapedType>(getResult().getType());
  Type external = getExternalType().value_or(stored.getElementType());
  if (auto whole = dyn_cast<RankedTensorType>(external))
    return whole;
  SmallVector<int64_t> shape(stored.getShape());
  if (auto order = (*this)->getAttrOfType<DenseI64ArrayAttr>(kOrder))
    for (auto [size, axis] : llvm::zip_equal(stored.getShape(), order.asArrayRef()))
      shape[axis] = size;
  return RankedTensorType::get(shape, external);
}

//===----------------------------------------------------------------------===//
// plan.kernel @name kind (%in: type, ...) into (%out: type, ...) cut axis : extent by grain attributes {...} { ... }
//===----------------------------------------------------------------------===//

EncodingAttr KernelOp::getEncoding(unsigned index) {
  return getEncodings() && index < getEncodings()->size() ? dyn_cast<EncodingAttr>((*getEncodings())[index])
                                                          : EncodingAttr();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << ' ' << stringifyKernelKind(getKind()) << " (";
  auto printArgument = [&](BlockArgument argument) { printer.printRegionArgument(argument); };
  llvm::interleaveComma(getInputs(), printer, printArgument);
  printer << ") into (";
  llvm::interleaveComma(getOutputs(), printer, printArgument);
  printer << ") cut " << getCutAxis() << " : " << getCutExtent() << " by " << getGrain();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getKindAttrName(), getNumInputsAttrName(),
                                            getCutAxisAttrName(), getCutExtentAttrName(), getGrainAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  StringRef kindWord;
  SMLoc kindLoc;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      (kindLoc = parser.getCurrentLocation(), parser.parseKeyword(&kindWord)))
    return failure();
  std::optional<KernelKind> kind = symbolizeKernelKind(kindWord);
  if (!kind)
    return parser.emitError(kindLoc, "unknown kernel kind '") << kindWord << "'";

  SmallVector<OpAsmParser::Argument> arguments, outputs;
  int64_t axis, extent, grain;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("into") ||
      parser.parseArgumentList(outputs, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("cut") || parser.parseInteger(axis) || parser.parseColon() || parser.parseInteger(extent) ||
      parser.parseKeyword("by") || parser.parseInteger(grain) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getKindAttrName(result.name), KernelKindAttr::get(builder.getContext(), *kind));
  result.addAttribute(getNumInputsAttrName(result.name), builder.getI64IntegerAttr(arguments.size()));
  result.addAttribute(getCutAxisAttrName(result.name), builder.getI64IntegerAttr(axis));
  result.addAttribute(getCutExtentAttrName(result.name), builder.getI64IntegerAttr(extent));
  result.addAttribute(getGrainAttrName(result.name), builder.getI64IntegerAttr(grain));
  arguments.append(outputs);
  return parser.parseRegion(*result.addRegion(), arguments);
}

LogicalResult KernelOp::verifyRegions() {
  if (getNumInputs() < 0 || getNumInputs() >= int64_t(getBody().getNumArguments()))
    return emitOpError("must write at least one storage");
  for (BlockArgument argument : getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape())
      return emitOpError("argument ") << argument.getArgNumber() << " must be a tensor of static shape, but is "
                                      << argument.getType();
  }
  if (getCutExtent() < 1 || getGrain() < 1)
    return emitOpError("must have a positive cut extent and grain");
  if (getEncodings() && int64_t(getEncodings()->size()) != getNumInputs() &&
      getEncodings()->size() != getBody().getNumArguments())
    return emitOpError("must have one encoding per input, or per argument");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("must end in plan.yield");
  if (yield.getValues().getTypes() != TypeRange(ValueRange(getOutputs()).getTypes()))
    return yield.emitOpError("must yield the contents of every written storage");
  return success();
}

//===----------------------------------------------------------------------===//
// plan.view
//===----------------------------------------------------------------------===//

/// Returns the largest number of iterations of the loop with this counter. Returns `nullopt` if the loop has no bound,
/// or if it is not a loop.
static std::optional<int64_t> boundOfCounter(Value counter) {
  Operation *loop = counter.getParentRegion()->getParentOp();
  if (auto counted = dyn_cast<ForOp>(loop))
    return counted.getTripCount();
  if (auto tested = dyn_cast<WhileOp>(loop))
    return tested.getBound();
  return std::nullopt;
}

LogicalResult ViewOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("must keep the element type");
  int64_t moved = 0; // Elements by which the last iteration is moved.
  if (getCounter()) {
    std::optional<int64_t> iterations = boundOfCounter(getCounter());
    if (!iterations)
      return emitOpError("must take its counter from a plan.for, or from a plan.while with a bound");
    if (llvm::MulOverflow(getStep(), *iterations - 1, moved))
      return emitOpError("must stay inside its source");
  } else if (getStep() != 0) {
    return emitOpError("must name a counter to step by");
  }
  const int64_t offset = getOffset();
  int64_t room = source.getNumElements() - result.getNumElements();
  if (room < 0)
    return emitOpError("must stay inside its source");
  // A kernel that works on the first elements of each row does not access the rest of the last row.
  if (!getCounter() && result.getRank() > 1 && result.getNumElements() > 0 && offset < source.getNumElements())
    room += result.getNumElements() / result.getDimSize(0) - 1;
  // All operands of these differences are non-negative, so no difference overflows.
  if (offset < 0 || offset > room || (moved < 0 ? -(moved + 1) >= offset : moved > room - offset))
    return emitOpError("must stay inside its source");
  return success();
}

//===----------------------------------------------------------------------===//
// plan.launch
//===----------------------------------------------------------------------===//

/// Verifies that the operands of `step` move only with the innermost loop around it, as the runtime requires. Tensors
/// are not checked, because they have no storage yet.
static LogicalResult verifyCounters(Operation *step) {
  Operation *loop = step->getParentOp();
  while (loop && !isa<ForOp, WhileOp>(loop))
    loop = loop->getParentOp();
  for (Value operand : step->getOperands())
    while (auto view = isa<MemRefType>(operand.getType()) ? operand.getDefiningOp<ViewOp>() : ViewOp()) {
      if (view.getCounter() && view.getCounter().getParentRegion()->getParentOp() != loop)
        return step->emitOpError("must work on views that move with the innermost loop around it");
      operand = view.getSource();
    }
  return success();
}

LogicalResult LaunchOp::verify() { return verifyCounters(*this); }

//===----------------------------------------------------------------------===//
// plan.for, plan.while, plan.condition, plan.if
//===----------------------------------------------------------------------===//

/// True if a control step can read `value`: it has one integer element of `bits` bits.
static bool isScalar(Value value, unsigned bits) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() == 1 && type.getElementType().isInteger(bits);
}

static LogicalResult verifyCondition(Operation *op, Value condition) {
  if (!isScalar(condition, 8))
    return op->emitOpError("must have one i8 as its condition, but has ") << condition.getType();
  return verifyCounters(op);
}

/// Verifies that `loop` and the loops around it are no more than the runtime has counters for.
static LogicalResult verifyDepth(Operation *loop) {
  unsigned depth = 0;
  for (Operation *op = loop; op; op = op->getParentOp())
    depth += isa<ForOp, WhileOp>(op);
  if (depth > kMaxLoopDepth)
    return loop->emitOpError("must be nested in at most ") << kMaxLoopDepth - 1 << " other loops";
  return success();
}

LogicalResult ForOp::verify() {
  if (getCount() && !isScalar(getCount(), 64))
    return emitOpError("must have one i64 as its count, but has ") << getCount().getType();
  return failure(failed(verifyCounters(*this)) || failed(verifyDepth(*this)));
}

LogicalResult ForOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError("must have the counter, an index, as its body's only argument");
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  for (Region *region : getRegions())
    if (Block &block = region->front();
        block.getNumArguments() > 1 || (block.getNumArguments() == 1 && !block.getArgument(0).getType().isIndex()))
      return emitOpError("must have no argument of a region but the counter, an index");
  if (getTest().front().empty() || !isa<ConditionOp>(getTest().front().back()))
    return emitOpError("must test a plan.condition");
  if (!getBody().front().empty() && isa<ConditionOp>(getBody().front().back()))
    return emitOpError("must have its plan.condition in its condition region, not in its body");
  return verifyDepth(*this);
}

LogicalResult ConditionOp::verify() { return verifyCondition(*this, getCondition()); }

LogicalResult IfOp::verify() { return verifyCondition(*this, getCondition()); }

LogicalResult IfOp::verifyRegions() {
  for (Region *region : getRegions())
    if (!region->empty() && region->front().getNumArguments() != 0)
      return emitOpError("must have regions without arguments");
  return success();
}

} // namespace nacre::plan
