// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. run the import phase, and the train phase if the model itself contains gradients,
//       2. make ports of arguments and results, named by the attributes that the import set,
//       3. run: convert bytes to tensors, interpret, convert back, and cut data-dependent outputs to their actual
//          sizes.

#include "tools/eval/InterpretedModel.h"
#include "codegen/package/ElementTypes.h"
#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/TrainedEntries.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/KeptValues.h"
#include "dialects/nn/Limits.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"

#include <cstring>

using namespace mlir;
using nacre::evaluate::Tensor;
using nacre::run::ExitCode;
using nacre::run::Failure;
using nacre::run::Outcome;
using nacre::run::Port;

namespace nacre::tools {

//===----------------------------------------------------------------------===//
// 1. Import
//===----------------------------------------------------------------------===//

static std::string namesOf(ModuleOp module) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
  return names;
}

Outcome InterpretedModel::open(const CompilerOptions &options, const std::string &entry, MLIRContext &context) {
  Failure refused{ExitCode::Refused, "'" + options.modelPath + "' is not read; the messages above say why"};
  const importer::ImportOptions importOptions = importOptionsOf(options);
  if (const auto model = importer::Model::read(options.modelPath, importOptions, &context)) {
    module = model->import(importOptions, keptTensorsOf(options));
    files = model->getFiles();
  }
  if (!module || (asksForGradients(*module) && failed(writeGradients(*module))))
    return refused;
  // A library may have `main@16` and `main@64` for the shapes of --shape. Here, one --shape is given to `main`.
  const StringRef stem = StringRef(entry).split('@').first;
  for (auto candidate : module->getOps<func::FuncOp>())
    if (!function && (entry.empty() || candidate.getName() == entry || candidate.getName() == stem))
      function = candidate;
  if (!function)
    return run::usageFailure("--entry must be one of " + namesOf(*module) + ", but is '" + entry + "'");

  //===--------------------------------------------------------------------===//
  // 2. Ports
  //===--------------------------------------------------------------------===//

  bytes.reserve(function.getNumArguments() + function.getNumResults()); // ports point into this memory
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const auto type = cast<RankedTensorType>(function.getArgument(i).getType());
    const auto variable = function.getArgAttrOfType<StringAttr>(i, nn::variableAttr);
    inputNumbers.push_back(variable ? -1 : int(inputs.size()));
    if (!variable) {
      addPort(inputs, function.getArgAttrOfType<StringAttr>(i, nn::nameAttr).getValue(), type);
      continue;
    }
    Tensor &value = stateValues[variable.str()] = Tensor(type);
    if (auto initial = function.getArgAttrOfType<ElementsAttr>(i, nn::initialAttr)) {
      FailureOr<Tensor> known = evaluate::fromConstant(initial);
      if (failed(known))
        return refused;
      value = *known;
    }
    show(addPort(states, variable.getValue(), type), value);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, nn::variableAttr) && function.getResultAttr(i, nn::nameAttr))
      addOutput(i);
  return std::nullopt;
}

Port &InterpretedModel::addPort(std::vector<Port> &ports, StringRef name, Type type) {
  const auto tensor = cast<RankedTensorType>(type);
  Port &port = ports.emplace_back();
  port.name = name.str();
  port.tensor.type = package::findElementType(tensor.getElementType())->number;
  port.tensor.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  port.tensor.count = size_t(tensor.getNumElements());
  // One more byte, so that a tensor without elements has an address.
  std::vector<char> &own = bytes.emplace_back(port.tensor.bytes() + 1);
  port.data = own.data();
  port.tensor.data = port.data;
  return port;
}

void InterpretedModel::addOutput(unsigned result) {
  addPort(outputs, function.getResultAttrOfType<StringAttr>(result, nn::nameAttr).getValue(),
          function.getResultTypes()[result]);
  outputNumbers.push_back(result);
  Source &source = sources.emplace_back();
  if (auto kept = function.getResultAttrOfType<ArrayAttr>(result, nn::keptAttr))
    source = {cast<IntegerAttr>(kept[0]).getInt(), cast<StringAttr>(kept[1]).str(), cast<StringAttr>(kept[2]).str()};
}

//===----------------------------------------------------------------------===//
// 3. A run
//===----------------------------------------------------------------------===//

/// Copies a tensor to a port, and sets the port's shape to the tensor's shape, which is not larger.
void InterpretedModel::show(Port &port, const Tensor &tensor) {
  const std::vector<char> elements = evaluate::toBytes(tensor);
  port.tensor.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  port.tensor.count = size_t(tensor.size());
  std::copy(elements.begin(), elements.end(), static_cast<char *>(port.data));
}

/// Returns the valid part of a result. Other results are counts with the actual sizes of its data-dependent axes.
Tensor InterpretedModel::takeThere(unsigned result, ArrayRef<Tensor> results) const {
  const Tensor &tensor = results[result];
  const auto counts = func::FuncOp(function).getResultAttrOfType<DenseI64ArrayAttr>(result, nn::countsAttr);
  if (!counts)
    return tensor;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [axis, count] : llvm::enumerate(counts.asArrayRef()))
    if (count >= 0)
      shape[axis] = std::clamp<int64_t>(results[count].integer(0), 0, shape[axis]);
  Tensor there(RankedTensorType::get(shape, tensor.getElementType()));
  for (int64_t i = 0; i < there.size(); ++i) {
    int64_t from = 0, rest = i, stride = 1;
    for (size_t axis = shape.size(); axis-- > 0; stride *= tensor.getShape()[axis]) {
      from += rest % shape[axis] * stride;
      rest /= shape[axis];
    }
    there.write()[i] = tensor[from];
  }
  return there;
}

Outcome InterpretedModel::run(const evaluate::Settings &settings) {
  SmallVector<Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (inputNumbers[i] < 0) {
      arguments.push_back(stateValues[function.getArgAttrOfType<StringAttr>(i, nn::variableAttr).str()]);
      continue;
    }
    const Port &port = inputs[inputNumbers[i]];
    arguments.push_back(evaluate::fromBytes(cast<RankedTensorType>(function.getArgument(i).getType()),
                                            {static_cast<const char *>(port.data), port.tensor.bytes()}));
  }
  FailureOr<SmallVector<Tensor>> results = evaluate::evaluate(function, arguments, settings);
  if (failed(results))
    return Failure{ExitCode::Refused, "the model is not evaluated; the messages above say why"};
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto note = func::FuncOp(function).getResultAttrOfType<ArrayAttr>(i, nn::limitAttr)) {
      const nn::Limit limit = nn::readLimit(note);
      if (const int64_t size = (*results)[i].integer(0); size > limit.most)
        return Failure{ExitCode::Usage, "'" + toPrintable(limit.tensor.str()) + "' must be at most " +
                                            std::to_string(limit.most) + ", its bound (--bound), but is " +
                                            std::to_string(size)};
    }
  values.clear();
  for (auto [port, result] : llvm::zip_equal(outputs, outputNumbers)) {
    values.push_back(takeThere(result, *results));
    show(port, values.back());
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto variable = function.getResultAttrOfType<StringAttr>(i, nn::variableAttr))
      stateValues[variable.str()] = (*results)[i];
  for (Port &port : states)
    show(port, stateValues[port.name]);
  return std::nullopt;
}

} // namespace nacre::tools
