// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/builder/VariableNotes.h"

#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer {

/// True if all elements are zero, which is the default initial value of a variable.
static bool isZeros(ElementsAttr value) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(value);
  if (failed(view))
    return false;
  int64_t count = view->isSplat() ? std::min<int64_t>(value.getNumElements(), 1) : value.getNumElements();
  for (int64_t index = 0; index < count; ++index) {
    double element = 0;
    view->read(index, 1, 1, &element);
    if (element != 0 || std::signbit(element))
      return false;
  }
  return true;
}

void noteVariable(NamedAttrList &argument, StringRef name, ElementsAttr initial, nn::VariableRole role,
                  Builder builder) {
  if (role != nn::VariableRole::Recurrent)
    argument.set(nn::roleAttr, nn::getRoleAttr(builder.getContext(), role));
  argument.set(nn::variableAttr, builder.getStringAttr(name));
  if (initial && !isZeros(initial))
    argument.set(nn::initialAttr, initial);
}

LogicalResult noteNextValue(NamedAttrList &result, StringRef name, Location loc) {
  if (result.get(nn::countsAttr))
    return emitError(loc) << "variable '" << toPrintable(name)
                          << "' becomes must have a size that is known at compile time";
  result.set(nn::variableAttr, StringAttr::get(loc.getContext(), name));
  return success();
}

} // namespace nacre::importer
