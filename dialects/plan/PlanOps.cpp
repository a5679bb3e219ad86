// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How `plan` operations print, parse and are verified.

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

using namespace mlir;

namespace nacre::plan {

RankedTensorType StorageOp::getTypeOfModel() {
  auto stored = cast<ShapedType>(getResult().getType());
  Type external = getExternalType().value_or(stored.getElementType());
  if (auto whole = dyn_cast<RankedTensorType>(external))
    return whole;
  return RankedTensorType::get(stored.getShape(), external);
}

//===----------------------------------------------------------------------===//
// plan.kernel @name kind (%in: type, ...) into (%out: type, ...) cut axis : extent by grain attributes {...} { ... }
//===----------------------------------------------------------------------===//

EncodingAttr KernelOp::getEncoding(unsigned index) {
  return getEncodings() ? dyn_cast<EncodingAttr>((*getEncodings())[index]) : EncodingAttr();
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
  if (getEncodings() && int64_t(getEncodings()->size()) != getNumInputs())
    return emitOpError("must have one encoding per input");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("must end in plan.yield");
  if (yield.getValues().getTypes() != TypeRange(ValueRange(getOutputs()).getTypes()))
    return yield.emitOpError("must yield the contents of every written storage");
  return success();
}

//===----------------------------------------------------------------------===//
// plan.view, plan.for
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("must keep the element type");
  int64_t last = getOffset() + result.getNumElements();
  if (getCounter()) {
    auto loop = dyn_cast<ForOp>(getCounter().getParentRegion()->getParentOp());
    if (!loop)
      return emitOpError("must take its counter from a plan.for");
    last += std::max<int64_t>(0, getStep()) * (loop.getTripCount() - 1);
    if (getOffset() + std::min<int64_t>(0, getStep()) * (loop.getTripCount() - 1) < 0)
      return emitOpError("must stay inside its source");
  } else if (getStep() != 0) {
    return emitOpError("must name a counter to step by");
  }
  if (getOffset() < 0 || last > source.getNumElements())
    return emitOpError("must stay inside its source");
  return success();
}

LogicalResult ForOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError("must have the counter, an index, as its body's only argument");
  return success();
}

} // namespace nacre::plan
