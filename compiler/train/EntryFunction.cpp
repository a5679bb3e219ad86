// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EntryFunction.h.

#include "compiler/train/EntryFunction.h"

#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::train {

EntryFunction::EntryFunction(func::FuncOp function) : function(function), builder(function.getContext()) {
  for (auto [index, value] : llvm::enumerate(getEnd()->getOperands())) {
    DictionaryAttr notes = function.getResultAttrDict(index);
    results.push_back({value, notes ? notes : builder.getDictionaryAttr({})});
  }
}

EntryFunction::~EntryFunction() {
  SmallVector<Type> types;
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> notes;
  for (const Result &result : results) {
    types.push_back(result.value.getType());
    values.push_back(result.value);
    notes.push_back(result.notes);
  }
  getEnd()->setOperands(values);
  function.removeResAttrsAttr();
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(notes);
}

StringRef EntryFunction::noteOf(BlockArgument argument, StringRef note) {
  auto text = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), note);
  return text ? text.getValue() : StringRef();
}

Value EntryFunction::findInput(StringRef name) {
  for (BlockArgument argument : function.getArguments())
    if (noteOf(argument, nn::nameAttr) == name && noteOf(argument, nn::variableAttr).empty())
      return argument;
  return {};
}

Value EntryFunction::input(StringRef name, RankedTensorType type) {
  if (Value known = findInput(name))
    return known.getType() == type ? known : Value();
  unsigned place = 0; // Add it after the other inputs.
  for (BlockArgument argument : function.getArguments())
    if (noteOf(argument, nn::variableAttr).empty())
      place = argument.getArgNumber() + 1;
  auto notes = builder.getDictionaryAttr(builder.getNamedAttr(nn::nameAttr, builder.getStringAttr(name)));
  if (failed(function.insertArgument(place, type, notes, NameLoc::get(builder.getStringAttr(name)))))
    return {};
  return function.getArgument(place);
}

Value EntryFunction::variable(StringRef name, RankedTensorType type, nn::VariableRole role) {
  if (BlockArgument argument = findVariable(name))
    return argument;
  auto notes =
      builder.getDictionaryAttr({builder.getNamedAttr(nn::variableAttr, builder.getStringAttr(name)),
                                 builder.getNamedAttr(nn::roleAttr, nn::getRoleAttr(builder.getContext(), role))});
  const unsigned place = function.getNumArguments();
  if (failed(function.insertArgument(place, type, notes, NameLoc::get(builder.getStringAttr(name)))))
    return {};
  return function.getArgument(place);
}

Value EntryFunction::variableBeside(StringRef weight, StringRef name, nn::VariableRole role) {
  Value made = variable(name, cast<RankedTensorType>(findVariable(weight).getType()), role);
  if (DenseI64ArrayAttr order = orderOf(weight))
    function.setArgAttr(cast<BlockArgument>(made).getArgNumber(), nn::orderAttr, order);
  return made;
}

DenseI64ArrayAttr EntryFunction::orderOf(StringRef name) {
  BlockArgument argument = findVariable(name);
  return argument ? function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), nn::orderAttr)
                  : DenseI64ArrayAttr();
}

BlockArgument EntryFunction::findVariable(StringRef name) {
  for (BlockArgument argument : function.getArguments())
    if (noteOf(argument, nn::variableAttr) == name)
      return argument;
  return {};
}

SmallVector<std::pair<StringRef, BlockArgument>> EntryFunction::variables(nn::VariableRole role) {
  SmallVector<std::pair<StringRef, BlockArgument>> found;
  for (BlockArgument argument : function.getArguments())
    if (nn::readRole(function.getArgAttr(argument.getArgNumber(), nn::roleAttr)) == role)
      found.push_back({noteOf(argument, nn::variableAttr), argument});
  return found;
}

void EntryFunction::add(Value value, StringRef note, StringRef text) {
  results.push_back({value, builder.getDictionaryAttr(builder.getNamedAttr(note, builder.getStringAttr(text)))});
}

} // namespace nacre::train
