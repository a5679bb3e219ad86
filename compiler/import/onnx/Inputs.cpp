// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model, with what the user says about them.
//
// How:  1. the options name inputs of the model,
//       2. symbols take values from the shapes that are given,
//       3. each input gets its shape, or its value.

#include "compiler/import/onnx/Inputs.h"

#include "compiler/import/onnx/Values.h"
#include "dialects/nn/ShapeRules.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

class InputSettler {
public:
  InputSettler(const OnnxModel &model, const ImportOptions &options) : model(model), options(options) {}

  FailureOr<SmallVector<SettledInput>> settle();

private:
  LogicalResult checkOptions();
  LogicalResult bindSymbols();
  FailureOr<InputType> readType(const onnx::ValueInfoProto &input);
  FailureOr<RankedTensorType> settleShape(const onnx::ValueInfoProto &input, const InputType &type);

  const OnnxModel &model;
  const ImportOptions &options;
  llvm::StringMap<int64_t> symbols;
};

LogicalResult InputSettler::checkOptions() {
  auto isInput = [&](StringRef name) {
    return llvm::any_of(model.getGraph().input(), [&](auto &input) { return input.name() == name; });
  };
  for (auto &[name, shape] : options.shapes)
    if (!isInput(name))
      return emitError(model.getLocation()) << "--shape must name an input of the model, but names '" << name << "'";
  for (auto &[name, text] : options.values)
    if (!isInput(name))
      return emitError(model.getLocation()) << "--set must name an input of the model, but names '" << name << "'";
  return success();
}

/// A shape given for one input also gives a value to the symbols in it, for all inputs.
LogicalResult InputSettler::bindSymbols() {
  for (const onnx::ValueInfoProto &input : model.getGraph().input()) {
    auto given = options.shapes.find(input.name());
    if (given == options.shapes.end())
      continue;
    const onnx::TensorShapeProto &shape = input.type().tensor_type().shape();
    if (input.type().tensor_type().has_shape() && shape.dim_size() != static_cast<int>(given->second.size()))
      return emitError(model.getLocation(input.name()))
             << "--shape must give " << shape.dim_size() << " dimensions, but gives " << given->second.size();
    for (auto [dim, size] : llvm::zip(shape.dim(), given->second))
      if (!dim.dim_param().empty() && symbols.try_emplace(dim.dim_param(), size).first->second != size)
        return emitError(model.getLocation(input.name()))
               << "--shape must give the symbolic dimension '" << dim.dim_param() << "' one value, but gives "
               << symbols.lookup(dim.dim_param()) << " and " << size;
  }
  return success();
}

FailureOr<InputType> InputSettler::readType(const onnx::ValueInfoProto &input) {
  Location loc = model.getLocation(input.name());
  if (!input.type().has_tensor_type())
    return emitError(loc) << "an input must be a tensor, but this one is a sequence, a map or has no type";
  const onnx::TypeProto::Tensor &tensor = input.type().tensor_type();
  InputType type;
  type.elementType = fromDataType(tensor.elem_type(), loc.getContext());
  if (!type.elementType)
    return emitError(loc) << "has the element type '" << getElementTypeName(tensor.elem_type())
                          << "', which is not supported";
  if (tensor.has_shape()) {
    type.shape.emplace();
    for (const onnx::TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
      bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
      type.shape->push_back(isKnown ? dim.dim_value() : ShapedType::kDynamic);
    }
  }
  return type;
}

FailureOr<RankedTensorType> InputSettler::settleShape(const onnx::ValueInfoProto &input, const InputType &type) {
  StringRef name = input.name();
  Location loc = model.getLocation(name);
  auto given = options.shapes.find(name.str());
  bool isGiven = given != options.shapes.end();
  if (!type.shape && !isGiven)
    return emitError(loc) << "has no shape in the model; give it with --shape " << name << "=<dim>x<dim>...";

  SmallVector<int64_t> shape = isGiven ? given->second : *type.shape;
  for (auto [axis, dim] : llvm::enumerate(shape)) {
    if (isGiven) {
      int64_t stated = type.shape ? (*type.shape)[axis] : ShapedType::kDynamic;
      if (dim < 0)
        return emitError(loc) << "axis " << axis << " must have a size of at least 0, but --shape gives " << dim;
      if (!ShapedType::isDynamic(stated) && stated != dim)
        return emitError(loc) << "axis " << axis << " must have the size that the model states, " << stated
                              << ", but --shape gives " << dim;
      continue;
    }
    if (!ShapedType::isDynamic(dim))
      continue;
    StringRef symbol = input.type().tensor_type().shape().dim(static_cast<int>(axis)).dim_param();
    auto known = symbols.find(symbol);
    if (!symbol.empty() && known != symbols.end()) {
      dim = known->second;
    } else if (axis == 0) {
      dim = 1;
      if (!symbol.empty())
        symbols[symbol] = dim;
      emitRemark(loc) << "the batch dimension '" << symbol << "' is taken as 1; change it with --shape " << name
                      << "=<dim>x<dim>...";
    } else {
      return emitError(loc) << "axis " << axis << " must have a size, but is symbolic ('" << symbol
                            << "'); give it with --shape " << name << "=<dim>x<dim>...";
    }
  }
  if (shape.size() > maxRank)
    return emitError(loc) << "must have at most " << maxRank << " dimensions, but has " << shape.size();
  if (!nn::countElements(shape))
    return emitError(loc) << "must fit into memory, but has shape [" << ArrayRef<int64_t>(shape) << "]";
  return RankedTensorType::get(shape, type.elementType);
}

FailureOr<SmallVector<SettledInput>> InputSettler::settle() {
  if (failed(checkOptions()) || failed(bindSymbols()))
    return failure();
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &initializer : model.getGraph().initializer())
    initializers.insert(initializer.name());

  SmallVector<SettledInput> inputs;
  for (const onnx::ValueInfoProto &input : model.getGraph().input()) {
    auto set = options.values.find(input.name());
    bool isSet = set != options.values.end();
    if (!isSet && initializers.contains(input.name()))
      continue;
    FailureOr<InputType> type = readType(input);
    if (failed(type))
      return failure();
    SettledInput &settled = inputs.emplace_back();
    settled.name = input.name();
    if (isSet) {
      FailureOr<ElementsAttr> value = readInputValue(set->second, *type, model.getLocation(input.name()));
      if (failed(value))
        return failure();
      settled.value = *value;
      settled.type = cast<RankedTensorType>(value->getType());
      continue;
    }
    FailureOr<RankedTensorType> shape = settleShape(input, *type);
    if (failed(shape))
      return failure();
    settled.type = *shape;
  }
  return inputs;
}

} // namespace

FailureOr<SmallVector<SettledInput>> settleInputs(const OnnxModel &model, const ImportOptions &options) {
  return InputSettler(model, options).settle();
}

} // namespace nacre::importer::onnx_format
