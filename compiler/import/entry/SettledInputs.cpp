// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model, with the options that the user sets for them.
//
// 1. Match options with inputs of the model.
// 2. Give symbols the values in the given shapes.
// 3. Give each input its shape, or its value.
// 4. Check that a new batch is the same for all inputs.
// 5. Report all missing shapes in one error (OpenShapes.h).

#include "compiler/import/entry/SettledInputs.h"

#include "compiler/import/entry/InputValues.h"
#include "compiler/import/entry/OpenShapes.h"
#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include <set>

using namespace mlir;

namespace nacre::importer {
namespace {

class InputSettler {
public:
  InputSettler(ModelView &model, GraphView &graph, const ImportOptions &options)
      : model(model), graph(graph), options(options), inputs(graph.getInputs()) {}

  SettledInputs settle(llvm::function_ref<void()> beforeAsking) {
    checkOptions();
    takeBatch();
    bindSymbols();
    for (const GraphValue &input : inputs)
      settle(input);
    checkBatches();
    if (!open.isEmpty())
      beforeAsking();
    result.hasFailed |= failed(open.askForShapes(graph));
    return std::move(result);
  }

private:
  void checkOptions();
  std::optional<size_t> batchAxisOf(const GraphValue &input, size_t rank);
  void takeBatch();
  void bindSymbols();
  void settle(const GraphValue &input);
  SmallVector<int64_t> withBatch(const GraphValue &input, SmallVector<int64_t> shape);
  RankedTensorType settleShape(const GraphValue &input);
  RankedTensorType takeGivenShape(const GraphValue &input, ArrayRef<int64_t> given);
  bool takeNewBatch(const GraphValue &input, ArrayRef<int64_t> given);
  RankedTensorType makeType(const GraphValue &input, ArrayRef<int64_t> shape);
  static std::string suggestBatch(const SettledInput &input, int64_t batch);
  void checkBatches();

  InFlightDiagnostic error(Location loc) {
    result.hasFailed = true;
    return emitError(loc);
  }
  InFlightDiagnostic error(const GraphValue &input) { return error(graph.getLocation(input.name)); }

  ModelView &model;
  GraphView &graph;
  const ImportOptions &options;
  SmallVector<GraphValue> inputs;
  OpenShapes open;
  SettledInputs result;
};

//===----------------------------------------------------------------------===//
// 1. and 2. Options and symbols
//===----------------------------------------------------------------------===//

/// Checks that options name inputs. Only the call for the first graph reports unknown names, for all graphs of the
/// model.
void InputSettler::checkOptions() {
  if (&graph != &model.getGraph())
    return;
  // Old ONNX files list all weights as inputs. Users may set them, but are rarely interested in them.
  std::set<StringRef> names, required;
  for (const ModelEntry &entry : model.getEntries())
    for (const GraphValue &input : entry.graph->getInputs())
      if (input.variable.empty()) {
        names.insert(input.name);
        if (!input.hasDefault)
          required.insert(input.name);
      }
  auto check = [&](const std::string &name, StringRef option) {
    if (!names.count(name))
      error(graph.getLocation()) << option << " must name an input of the model, but names '" << name << "'; "
                                 << describeInputs(name, names, required);
  };
  for (auto &[name, shape] : options.shapes)
    check(name, "--shape");
  for (auto &[name, text] : options.values)
    check(name, "--set");
  if (options.training)
    for (auto &[name, axis] : options.training->batchAxes)
      check(name, "--batch-axis");
}

/// Returns the axis of an input that holds the batch of a trained model. Returns `nullopt` if no axis does, or if the
/// batch does not change.
std::optional<size_t> InputSettler::batchAxisOf(const GraphValue &input, size_t rank) {
  if (!options.training || options.training->batch == 0)
    return std::nullopt;
  auto told = options.training->batchAxes.find(input.name.str());
  if (told == options.training->batchAxes.end())
    return rank > 0 ? std::optional<size_t>(0) : std::nullopt;
  if (told->second && *told->second >= static_cast<int64_t>(rank)) {
    error(input) << "--batch-axis must name one of the " << rank << " axes of '" << input.name << "', but names "
                 << *told->second;
    return std::nullopt;
  }
  return told->second;
}

/// Replaces the batch that the model states by the batch of training.
void InputSettler::takeBatch() {
  for (GraphValue &input : inputs) {
    if (!input.type.shape)
      continue;
    const std::optional<size_t> axis = batchAxisOf(input, input.type.shape->size());
    if (!axis)
      continue;
    Dimension &dim = (*input.type.shape)[*axis];
    auto given = options.shapes.find(input.name.str());
    const bool isGiven = given != options.shapes.end() && given->second.size() > *axis;
    if (result.statedBatch == 0 && (isGiven || !dim.isOpen()))
      result.statedBatch = isGiven && dim.isOpen() ? given->second[*axis] : dim.size;
    if (!dim.symbol.empty())
      result.symbols[dim.symbol] = options.training->batch;
    dim = {options.training->batch};
  }
}

/// Gives the symbols of an input the sizes of its shape in the options, for all inputs.
void InputSettler::bindSymbols() {
  for (const GraphValue &input : inputs) {
    auto given = options.shapes.find(input.name.str());
    if (given == options.shapes.end() || !input.type.shape)
      continue;
    for (auto [dim, size] : llvm::zip(*input.type.shape, given->second))
      if (!dim.symbol.empty() && result.symbols.try_emplace(dim.symbol, size).first->second != size)
        error(input) << "--shape must set the symbolic dimension '" << dim.symbol << "' once, but sets it to "
                     << result.symbols.lookup(dim.symbol) << " and " << size;
  }
}

//===----------------------------------------------------------------------===//
// 3. Each input
//===----------------------------------------------------------------------===//

void InputSettler::settle(const GraphValue &input) {
  auto set = options.values.find(input.name.str());
  bool isSet = input.variable.empty() && set != options.values.end();
  if (!isSet && input.hasDefault)
    return;
  SettledInput &settled = result.inputs.emplace_back();
  settled.name = input.name;
  settled.source = input.getSource();
  settled.variable = input.variable;
  settled.initial = input.initial;
  settled.role = input.role;
  if (!input.type.name.empty()) {
    error(input) << "has the element type '" << input.type.name << "', which is not supported";
  } else if (!input.type.elementType) {
    error(input) << "an input must be a tensor, but this one is a sequence, a map or has no type";
  } else if (isSet) {
    FailureOr<ElementsAttr> value = readInputValue(set->second, input.type, model, graph.getLocation(input.name));
    result.hasFailed |= failed(value);
    if (succeeded(value)) {
      settled.value = *value;
      settled.type = cast<RankedTensorType>(value->getType());
    }
  } else {
    settled.type = settleShape(input);
  }
}

RankedTensorType InputSettler::makeType(const GraphValue &input, ArrayRef<int64_t> shape) {
  if (shape.size() > maxRank)
    error(input) << "must have at most " << maxRank << " dimensions, but has " << shape.size();
  else if (!nn::countElements(shape))
    error(input) << "must fit into memory, but has shape [" << shape << "]";
  else
    return RankedTensorType::get(shape, input.type.elementType);
  return {};
}

/// Records a batch that differs from the stated one. Reports an error and returns false if the sizes of several axes
/// differ.
bool InputSettler::takeNewBatch(const GraphValue &input, ArrayRef<int64_t> given) {
  ArrayRef<Dimension> stated = *input.type.shape;
  std::optional<NewBatch> &batch = result.inputs.back().batch;
  for (auto [axis, size] : llvm::enumerate(given)) {
    if (stated[axis].isOpen() || stated[axis].size == size)
      continue;
    const NewBatch found = {int64_t(axis), stated[axis].size, size};
    if (batch || found.stated == 0 || size == 0) {
      error(input) << found.describe()
                   << (batch ? ", as well as another size of axis " + std::to_string(batch->axis) : "");
      return false;
    }
    batch = found;
  }
  return true;
}

RankedTensorType InputSettler::takeGivenShape(const GraphValue &input, ArrayRef<int64_t> given) {
  ArrayRef<Dimension> stated;
  if (input.type.shape)
    stated = *input.type.shape;
  if (input.type.shape && stated.size() != given.size()) {
    error(input) << "--shape must give " << describeCount(stated.size(), "dimension") << ", but gives " << given.size();
    return {};
  }
  for (auto [axis, size] : llvm::enumerate(given)) {
    if (size < 0) {
      error(input) << "axis " << axis << " must have a non-negative size, but --shape sets " << size;
      return {};
    }
    if (size == 0 && (stated.empty() || stated[axis].isOpen()))
      result.inputs.back().emptiedAxis = axis;
  }
  if (!input.type.shape)
    return makeType(input, given);
  if (!makeType(input, given) || !takeNewBatch(input, given))
    return {};
  SmallVector<int64_t> shape(given);
  if (const std::optional<NewBatch> &batch = result.inputs.back().batch)
    shape[batch->axis] = batch->stated;
  return makeType(input, shape);
}

SmallVector<int64_t> InputSettler::withBatch(const GraphValue &input, SmallVector<int64_t> shape) {
  if (result.hasFailed)
    return shape; // the error was reported
  if (std::optional<size_t> axis = batchAxisOf(input, shape.size()))
    shape[*axis] = options.training->batch;
  return shape;
}

RankedTensorType InputSettler::settleShape(const GraphValue &input) {
  auto given = options.shapes.find(input.name.str());
  if (given != options.shapes.end())
    return takeGivenShape(input, withBatch(input, given->second));
  if (open.add(input, result.symbols)) {
    result.hasFailed = true;
    return {};
  }
  SmallVector<int64_t> shape;
  for (const Dimension &dim : *input.type.shape) {
    shape.push_back(dim.size);
    if (!dim.isOpen())
      continue;
    auto known = result.symbols.find(dim.symbol);
    if (!dim.symbol.empty() && known != result.symbols.end()) {
      shape.back() = known->second;
      continue;
    }
    shape.back() = dim.usual.value_or(1);
    if (dim.usual)
      continue;
    if (!dim.symbol.empty())
      result.symbols[dim.symbol] = 1;
    emitRemark(graph.getLocation(input.name))
        << "the batch dimension " << (dim.symbol.empty() ? "" : ("'" + dim.symbol + "' ").str())
        << "is assumed to be 1; change it with --shape " << input.name << "=<dim>x<dim>...";
  }
  return makeType(input, shape);
}

//===----------------------------------------------------------------------===//
// 4. A new batch
//===----------------------------------------------------------------------===//

std::string InputSettler::suggestBatch(const SettledInput &input, int64_t batch) {
  SmallVector<int64_t> shape(input.type.getShape());
  shape.front() = batch;
  return describeShape(shape);
}

/// Checks that all inputs with a new batch agree. An input that keeps its stated shape is used for all rows. That may
/// be a mistake if its shape has the old batch.
void InputSettler::checkBatches() {
  auto first = llvm::find_if(result.inputs, [](const SettledInput &input) { return input.batch.has_value(); });
  if (result.hasFailed || first == result.inputs.end())
    return;
  for (const SettledInput &input : result.inputs) {
    if (input.batch && (input.batch->stated != first->batch->stated || input.batch->wanted != first->batch->wanted))
      error(graph.getLocation(input.name))
          << "--shape must change the batch from " << first->batch->stated << " to " << first->batch->wanted
          << ", as for input '" << first->name << "', but changes it from " << input.batch->stated << " to "
          << input.batch->wanted;
    // If the next value of a state has rows, the state gets rows, too.
    const bool isState = !input.variable.empty() || llvm::any_of(options.states, [&](StringRef state) {
      return state.starts_with((input.name + ":").str());
    });
    if (!input.batch && !input.value && !isState && input.type.getRank() > 0 &&
        input.type.getDimSize(0) == first->batch->stated)
      emitRemark(graph.getLocation(input.name))
          << "all rows of the batch share this input, because --shape does not change its batch of "
          << first->batch->stated << "; add --shape " << input.name << "=" << suggestBatch(input, first->batch->wanted)
          << " to give each row its own";
  }
  result.changesBatch = !result.hasFailed;
}

} // namespace

std::string NewBatch::describe() const {
  return "axis " + std::to_string(axis) + " must have the declared size " + std::to_string(stated) +
         ", but --shape sets " + std::to_string(wanted);
}

SettledInputs settleInputs(ModelView &model, GraphView &graph, const ImportOptions &options,
                           llvm::function_ref<void()> beforeAsking) {
  return InputSettler(model, graph, options).settle(beforeAsking);
}

} // namespace nacre::importer
