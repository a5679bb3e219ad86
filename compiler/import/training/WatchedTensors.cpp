// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WatchedTensors.h.

#include "compiler/import/training/WatchedTensors.h"

#include "dialects/PrintableText.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

using namespace mlir;

namespace nacre::importer {

static std::string describeOutputs(func::FuncOp function) {
  std::string names;
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (auto name = function.getResultAttrOfType<StringAttr>(result, nn::nameAttr))
      names += (names.empty() ? "'" : ", '") + toPrintable(name.str()) + "'";
  return names;
}

LogicalResult watchTensors(func::FuncOp function, ArrayRef<std::string> names,
                           llvm::function_ref<Value(StringRef)> find) {
  Builder builder(function.getContext());
  Operation *end = function.front().getTerminator();
  auto isResult = [&](StringRef name) {
    return llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned result) {
      auto known = function.getResultAttrOfType<StringAttr>(result, nn::nameAttr);
      return known && known.getValue() == name;
    });
  };
  for (const std::string &name : names) {
    if (isResult(name))
      continue;
    Value value = find(name);
    if (!value || !isa<RankedTensorType>(value.getType()))
      return emitError(function.getLoc())
             << "--loss must name a tensor of known size, but there is no such tensor '" << toPrintable(name)
             << "'; the model's outputs are " << describeOutputs(function);
    const unsigned number = function.getNumResults();
    end->insertOperands(number, value);
    if (failed(function.insertResult(
            number, value.getType(),
            builder.getDictionaryAttr({builder.getNamedAttr(nn::nameAttr, builder.getStringAttr(name)),
                                       builder.getNamedAttr(nn::watchedAttr, builder.getUnitAttr())}))))
      return failure();
  }
  return success();
}

} // namespace nacre::importer
