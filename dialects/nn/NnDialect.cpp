// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the dialect's operators and attributes, and materializes constants.

#include "dialects/nn/NnDialect.h"

#include "dialects/nn/ConstantData.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

#include "dialects/nn/NnDialect.cpp.inc"
#include "dialects/nn/NnEnums.cpp.inc"
#include "dialects/nn/NnInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"

using namespace mlir;

namespace nacre::nn {

void NnDialect::initialize() {
  addFolding();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
}

Attribute CodesAttr::parse(AsmParser &parser, Type) {
  APFloat scale(0.0);
  int64_t zero = 0;
  if (parser.parseLess() || parser.parseFloat(APFloat::IEEEdouble(), scale) || parser.parseComma() ||
      parser.parseInteger(zero) || parser.parseGreater())
    return {};
  return get(parser.getContext(), scale, zero);
}

void CodesAttr::print(AsmPrinter &printer) const { printer << '<' << getScale() << ", " << getZero() << '>'; }

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

} // namespace nacre::nn
