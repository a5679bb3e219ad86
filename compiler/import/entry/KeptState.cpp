// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KeptState.h. The parts of this file are:
// 1. Finds the input and output that a text names.
// 2. Makes the variable.

#include "compiler/import/entry/KeptState.h"
#include "compiler/import/messages/TypeNames.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer {
namespace {

//===----------------------------------------------------------------------===//
// 1. Names in a text
//===----------------------------------------------------------------------===//

using Names = SmallVector<std::string>; ///< names of arguments or results; empty for one without a name

Names namesOf(func::FuncOp function, bool areInputs) {
  Names names;
  for (unsigned index = 0; index < (areInputs ? function.getNumArguments() : function.getNumResults()); ++index) {
    auto name = areInputs ? function.getArgAttrOfType<StringAttr>(index, nn::nameAttr)
                          : function.getResultAttrOfType<StringAttr>(index, nn::nameAttr);
    names.push_back(name ? name.str() : "");
  }
  return names;
}

std::optional<unsigned> find(const Names &names, const std::string &name) {
  const auto *found = llvm::find(names, name);
  return name.empty() || found == names.end() ? std::nullopt : std::optional<unsigned>(found - names.begin());
}

std::string quote(const Names &names) {
  std::string text;
  for (const std::string &name : names)
    if (!name.empty())
      text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

struct Pair {
  unsigned argument, result;
};

FailureOr<Pair> resolve(func::FuncOp function, StringRef text, const ModelView &model) {
  const Names inputs = namesOf(function, true), outputs = namesOf(function, false);
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    std::optional<unsigned> argument = find(inputs, model.normalizeName(text.take_front(colon)));
    std::optional<unsigned> result = find(outputs, model.normalizeName(text.drop_front(colon + 1)));
    if (argument && result)
      return Pair{*argument, *result};
  }
  return emitError(function.getLoc()) << "--state must be <input>:<output>, but is '" << text << "'; inputs are "
                                      << quote(inputs) << ", and outputs are " << quote(outputs);
}

//===----------------------------------------------------------------------===//
// 2. The variable
//===----------------------------------------------------------------------===//

LogicalResult keepState(func::FuncOp function, Pair pair) {
  auto error = [&] { return emitError(function.getLoc()); };
  auto input = function.getArgAttrOfType<StringAttr>(pair.argument, nn::nameAttr);
  auto output = function.getResultAttrOfType<StringAttr>(pair.result, nn::nameAttr);
  if (function.getArgAttr(pair.argument, nn::variableAttr))
    return error() << "input '" << input.getValue() << "' is named by two --state options; remove one";
  if (function.getResultAttr(pair.result, nn::variableAttr))
    return error() << "output '" << output.getValue() << "' is named by two --state options; remove one";
  auto from = cast<RankedTensorType>(function.getArgumentTypes()[pair.argument]);
  auto to = cast<RankedTensorType>(function.getResultTypes()[pair.result]);
  if (from != to)
    return error() << "input '" << input.getValue() << "' and output '" << output.getValue()
                   << "' must have the same type and shape to be kept as state, but are " << describe(from) << " and "
                   << describe(to);
  if (nn::isNarrow(from.getElementType()))
    return error() << "input '" << input.getValue()
                   << "' must be of a type that supports arithmetic to be kept as state, but is " << describe(from);
  if (function.getResultAttr(pair.result, nn::countsAttr))
    return error() << "output '" << output.getValue()
                   << "' must have a size that is known at compile time to be kept as state";
  function.setArgAttr(pair.argument, nn::variableAttr, input);
  function.setResultAttr(pair.result, nn::variableAttr, input);
  return success();
}

} // namespace

DictionaryAttr noteInput(StringAttr name, const SettledInput &input) {
  NamedAttrList note;
  note.set(nn::nameAttr, name);
  if (!input.variable.empty())
    noteVariable(note, input.variable, input.initial, input.role, Builder(name.getContext()));
  return note.getDictionary(name.getContext());
}

LogicalResult keepStates(func::FuncOp function, ArrayRef<std::string> texts, const ModelView &model) {
  for (const std::string &text : texts) {
    FailureOr<Pair> pair = resolve(function, text, model);
    if (failed(pair) || failed(keepState(function, *pair)))
      return failure();
  }
  auto isOutput = [&](unsigned result) {
    return function.getResultAttr(result, nn::nameAttr) && !function.getResultAttr(result, nn::variableAttr);
  };
  if (!texts.empty() && llvm::none_of(llvm::seq(function.getNumResults()), isOutput))
    return emitError(function.getLoc())
           << "--state keeps all outputs, but the model needs one more; name another tensor with --output";
  return success();
}

} // namespace nacre::importer
