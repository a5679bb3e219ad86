// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the outputs that a model declares with the results of its graph.

#include "compiler/import/entry/DeclaredOutputs.h"

#include "compiler/import/builder/VariableNotes.h"
#include "compiler/import/messages/ComplexValues.h"
#include "compiler/import/messages/TypeNames.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {

static std::string describeDeclared(ArrayRef<Dimension> dims) {
  auto describe = [](const Dimension &dim) {
    return !dim.isOpen() ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol.str();
  };
  return dims.empty() ? "scalar" : llvm::join(llvm::map_range(dims, describe), "x");
}

LogicalResult checkOutput(const GraphValue &output, Value value, const nn::AxisCounts &counts,
                          const SettledInputs &inputs, Location loc) {
  const DeclaredType &declared = output.type;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (isNothing(value) && !declared.name.empty())
    return emitError(loc) << "an output must hold numbers, but this one has element type '" << declared.name
                          << "'; exclude it by naming the outputs you need with --output";
  if (isComplex(value))
    return emitError(loc) << "an output must be a tensor of real numbers, but this one " << complexAdvice;
  if (!type)
    return emitError(loc) << "an output must be a tensor, but this one is " << describe(value)
                          << "; output its elements one by one";
  const bool isOther = declared.elementType && declared.elementType != type.getElementType();
  // The size of a variable in memory follows from its declaration.
  if (isOther && !output.variable.empty())
    return emitError(loc) << "must have the declared element type " << getTypeName(declared.elementType)
                          << ", but the graph computes " << describe(type) << "; correct the declaration";
  if (isOther || !declared.name.empty())
    emitWarning(loc) << "the model declares the element type "
                     << (isOther ? getTypeName(declared.elementType) : declared.name.str())
                     << " of this output, but the graph computes " << describe(type) << ", which is used";
  if (!declared.shape)
    return success();
  ArrayRef<Dimension> dims = *declared.shape;
  bool agrees = static_cast<int64_t>(dims.size()) == type.getRank();
  nn::AxisCounts known = counts;
  known.resize(type.getRank());
  // A model that was traced with one input may declare the size for that input.
  for (auto [dim, size, count] : llvm::zip(dims, type.getShape(), known))
    agrees &= dim.isOpen() || dim.size == size || (count && dim.size <= size);
  if (!agrees && !output.variable.empty())
    return emitError(loc) << "must have the declared shape " << describeDeclared(dims) << ", but the graph computes "
                          << describe(type) << "; correct the declaration";
  if (!agrees) {
    emitWarning(loc) << "the model declares the shape " << describeDeclared(dims)
                     << " of this output, but the graph computes " << describe(type) << ", which is used";
    return success();
  }
  for (auto [dim, size, count] : llvm::zip(dims, type.getShape(), known))
    if (auto given = inputs.symbols.find(dim.symbol); !count && given != inputs.symbols.end() && given->second != size)
      emitWarning(loc) << "the model declares the shape " << describeDeclared(dims) << " of this output, and '"
                       << dim.symbol << "' is " << given->second << " in its inputs, but the graph computes "
                       << describe(type) << ", which is used";
  return success();
}

SmallVector<SmallVector<int64_t>> addCounts(SmallVectorImpl<Value> &results, const ImportState &shared) {
  SmallVector<SmallVector<int64_t>> numbers(results.size());
  llvm::DenseMap<Value, int64_t> numberOf;
  for (size_t index = 0; index < numbers.size(); ++index)
    for (Value count : shared.counts.lookup(results[index])) {
      if (count && numberOf.try_emplace(count, results.size()).second)
        results.push_back(count);
      numbers[index].push_back(count ? numberOf[count] : -1);
    }
  return numbers;
}

LogicalResult noteResults(func::FuncOp function, ArrayRef<GraphValue> outputs, ArrayRef<SmallVector<int64_t>> counts,
                          ArrayRef<Attribute> limits) {
  Builder builder(function.getContext());
  const OperandRange results = function.front().getTerminator()->getOperands();
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), llvm::to_vector(results.getTypes())));
  SmallVector<Attribute> notes(results.size(), builder.getDictionaryAttr({}));
  llvm::copy(limits, notes.end() - limits.size());
  for (auto [index, output] : llvm::enumerate(outputs)) {
    NamedAttrList note;
    note.set(nn::nameAttr, builder.getStringAttr(output.name));
    if (!counts[index].empty())
      note.set(nn::countsAttr, builder.getDenseI64ArrayAttr(counts[index]));
    if (!output.variable.empty() && failed(noteNextValue(note, output.variable, function.getLoc())))
      return failure();
    notes[index] = note.getDictionary(builder.getContext());
  }
  function.setAllResultAttrs(notes);
  return success();
}

} // namespace nacre::importer
