// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked ONNX model to one function of `nn` operators.
//
// How:  1. inputs, whose shapes OnnxInputs settles; values that the user sets become constants,
//       2. nodes, in order, each by the handler of its operator and version,
//       3. outputs, and what folding left over is erased.

#include "compiler/import/Import.h"
#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/Inputs.h"
#include "compiler/import/onnx/Reader.h"
#include "compiler/import/onnx/Values.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

const ImportRegistry &getRegistry() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    registerElementwise(result);
    registerActivations(result);
    registerConstants(result);
    registerContractions(result);
    registerConvolutions(result);
    registerPoolings(result);
    registerNormalizations(result);
    registerReductions(result);
    registerRecurrences(result);
    registerResizes(result);
    registerShapes(result);
    registerSlices(result);
    registerQuantizations(result);
    return result;
  }();
  return registry;
}

bool isStandardDomain(StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

/// What the attribute holds. Files older than the field `type` say it by what is there.
onnx::AttributeProto::AttributeType getKind(const onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  if (attribute.has_type())
    return attribute.type();
  return attribute.has_f()          ? Proto::FLOAT
         : attribute.has_i()        ? Proto::INT
         : attribute.has_s()        ? Proto::STRING
         : attribute.has_t()        ? Proto::TENSOR
         : attribute.floats_size()  ? Proto::FLOATS
         : attribute.ints_size()    ? Proto::INTS
         : attribute.strings_size() ? Proto::STRINGS
                                    : Proto::UNDEFINED;
}

constexpr StringLiteral nameAttr = "nn.name";

class OnnxImporter {
public:
  OnnxImporter(OnnxModel &model, const ImportOptions &options, MLIRContext *context)
      : model(model), options(options), builder(context), foldBudget(options.maxConstantBytes) {}

  /// Null after an error.
  OwningOpRef<ModuleOp> import();
  LogicalResult check(std::vector<UnsupportedNode> &unsupported);

private:
  LogicalResult begin();
  LogicalResult importInputs();
  const ImportRegistry::Entry *findHandler(const onnx::NodeProto &proto) const;
  LogicalResult importNode(const onnx::NodeProto &proto);
  FailureOr<SmallVector<NamedAttribute>> importAttributes(const onnx::NodeProto &proto, Location loc);
  FailureOr<Value> getValue(StringRef name);
  LogicalResult importOutputs();
  void eraseUnused();

  OnnxModel &model;
  const ImportOptions &options;
  OpBuilder builder;
  int64_t foldBudget;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  llvm::StringMap<Value> values; // null where a node has failed
  llvm::StringMap<const onnx::TensorProto *> initializers;
};

//===----------------------------------------------------------------------===//
// 1. Inputs
//===----------------------------------------------------------------------===//

LogicalResult OnnxImporter::importInputs() {
  FailureOr<SmallVector<SettledInput>> inputs = settleInputs(model, options);
  if (failed(inputs))
    return failure();
  Block &entry = *func.addEntryBlock();
  builder.setInsertionPointToEnd(&entry);
  for (const SettledInput &input : *inputs) {
    Location loc = model.getLocation(input.name);
    if (input.value)
      values[input.name] = NnBuilder(builder, loc, foldBudget).constant(input.value);
    else
      values[input.name] = entry.addArgument(input.type, loc);
  }
  func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  for (BlockArgument argument : entry.getArguments())
    func.setArgAttr(argument.getArgNumber(), nameAttr, cast<NameLoc>(argument.getLoc()).getName());
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Nodes
//===----------------------------------------------------------------------===//

FailureOr<Value> OnnxImporter::getValue(StringRef name) {
  auto known = values.find(name);
  if (known != values.end())
    return known->second;
  const onnx::TensorProto *initializer = initializers.lookup(name);
  assert(initializer && "the reader has checked that every value is defined");
  Location loc = model.getLocation(name);
  FailureOr<OnnxTensor> tensor = model.read(*initializer, loc);
  if (failed(tensor))
    return failure();
  return values[name] = NnBuilder(builder, loc, foldBudget).constant(makeConstant(*tensor, name));
}

FailureOr<SmallVector<NamedAttribute>> OnnxImporter::importAttributes(const onnx::NodeProto &proto, Location loc) {
  SmallVector<NamedAttribute> result;
  llvm::StringSet<> names;
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    if (!names.insert(attribute.name()).second || attribute.name().empty())
      return emitError(loc) << "attribute '" << attribute.name() << "' must be given once and have a name";
    Attribute value;
    switch (getKind(attribute)) {
    case onnx::AttributeProto::INT:
      value = builder.getI64IntegerAttr(attribute.i());
      break;
    case onnx::AttributeProto::FLOAT:
      value = builder.getF32FloatAttr(attribute.f());
      break;
    case onnx::AttributeProto::STRING:
      value = builder.getStringAttr(attribute.s());
      break;
    case onnx::AttributeProto::INTS:
      value = builder.getDenseI64ArrayAttr(ArrayRef(attribute.ints().data(), attribute.ints_size()));
      break;
    case onnx::AttributeProto::FLOATS:
      value = builder.getDenseF32ArrayAttr(ArrayRef(attribute.floats().data(), attribute.floats_size()));
      break;
    case onnx::AttributeProto::STRINGS:
      value = builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(attribute.strings()));
      break;
    case onnx::AttributeProto::TENSOR: {
      FailureOr<OnnxTensor> tensor = model.read(attribute.t(), loc);
      if (failed(tensor))
        return failure();
      value = makeConstant(*tensor, attribute.t().name().empty() ? StringRef(attribute.name()) : attribute.t().name());
      break;
    }
    default:
      return emitError(loc) << "attribute '" << attribute.name()
                            << "' must be a number, a string, a tensor or a list of those";
    }
    result.push_back(builder.getNamedAttr(attribute.name(), value));
  }
  return result;
}

const ImportRegistry::Entry *OnnxImporter::findHandler(const onnx::NodeProto &proto) const {
  if (!isStandardDomain(proto.domain()))
    return nullptr;
  return getRegistry().find(proto.op_type(), model.getOpsetVersion(proto.domain()));
}

LogicalResult OnnxImporter::importNode(const onnx::NodeProto &proto) {
  Location loc = model.getLocation(proto);
  const ImportRegistry::Entry *entry = findHandler(proto);
  int64_t version = model.getOpsetVersion(proto.domain());
  if (!entry) {
    std::string qualified = proto.domain().empty() ? proto.op_type() : proto.domain() + "." + proto.op_type();
    InFlightDiagnostic error = emitError(loc) << "unsupported operator '" << qualified << "' (opset " << version << ")";
    std::optional<int64_t> first = getRegistry().getFirstVersion(proto.op_type());
    if (first && isStandardDomain(proto.domain()))
      error << "; it is supported from opset " << *first << " on";
    return error;
  }

  Node node{proto.op_type(), version, {}, {}, {}};
  for (const std::string &input : proto.input()) {
    FailureOr<Value> value = input.empty() ? Value() : getValue(input);
    if (failed(value))
      return failure();
    node.operands.push_back(*value);
  }
  // An optional operand may also be left out by an empty name at the end.
  while (!node.operands.empty() && !node.operands.back())
    node.operands.pop_back();
  size_t count = node.operands.size();
  // Of a list of any length none is optional.
  size_t required = entry->arity.max == unbounded ? std::max(count, entry->arity.min) : entry->arity.min;
  bool hasRequired = count >= required && llvm::all_of(ArrayRef(node.operands).take_front(required),
                                                       [](Value operand) { return static_cast<bool>(operand); });
  if (!hasRequired || count > entry->arity.max)
    return emitError(loc) << "operator '" << proto.op_type() << "' must have " << entry->arity.min
                          << " or more operands"
                          << ", but has " << count << " that do not fit its definition";
  for (const std::string &output : proto.output())
    node.results.push_back(!output.empty());

  FailureOr<SmallVector<NamedAttribute>> attributes = importAttributes(proto, loc);
  if (failed(attributes))
    return failure();
  node.attributes = std::move(*attributes);

  OperandBinder binder(node, NnBuilder(builder, loc, foldBudget), options.maxConstantBytes);
  entry->handler(binder);
  FailureOr<SmallVector<Value>> results = binder.finish();
  if (failed(results))
    return failure();
  for (auto [name, value] : llvm::zip_equal(proto.output(), *results))
    if (!name.empty())
      values[name] = value;
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Outputs
//===----------------------------------------------------------------------===//

LogicalResult OnnxImporter::importOutputs() {
  SmallVector<Value> results;
  for (const onnx::ValueInfoProto &output : model.getGraph().output()) {
    FailureOr<Value> value = getValue(output.name());
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  func::ReturnOp::create(builder, model.getLocation(), results);
  func.setFunctionType(
      builder.getFunctionType(func.getArgumentTypes(), llvm::to_vector(ValueRange(results).getTypes())));
  for (auto [index, output] : llvm::enumerate(model.getGraph().output()))
    func.setResultAttr(index, nameAttr, builder.getStringAttr(output.name()));
  return success();
}

void OnnxImporter::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult OnnxImporter::begin() {
  module = ModuleOp::create(model.getLocation());
  builder.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(builder, model.getLocation(), options.entry, builder.getFunctionType({}, {}));
  for (const onnx::TensorProto &initializer : model.getGraph().initializer())
    initializers[initializer.name()] = &initializer;

  return importInputs();
}

OwningOpRef<ModuleOp> OnnxImporter::import() {
  if (failed(begin()))
    return nullptr;
  for (const onnx::NodeProto *node : model.getNodes())
    if (failed(importNode(*node)))
      return nullptr;
  if (failed(importOutputs()))
    return nullptr;
  eraseUnused();
  return std::move(module);
}

LogicalResult OnnxImporter::check(std::vector<UnsupportedNode> &unsupported) {
  if (failed(begin()))
    return failure();
  for (const onnx::NodeProto *node : model.getNodes()) {
    // What a failed node would have computed is unknown, so of a node that reads it only the operator can be judged.
    bool isJudgeable = llvm::all_of(node->input(), [&](StringRef input) {
      auto value = values.find(input);
      return value == values.end() || value->second;
    });
    if (!isJudgeable && findHandler(*node)) {
      for (StringRef output : node->output())
        values[output] = Value();
      continue;
    }
    std::string reason;
    {
      ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && reason.empty())
          reason = diagnostic.str();
      });
      if (succeeded(importNode(*node)))
        continue;
    }
    for (StringRef output : node->output())
      values[output] = Value();
    Location loc = model.getLocation(*node);
    unsupported.push_back({cast<NameLoc>(loc).getName().str(), node->op_type(), model.getOpsetVersion(node->domain()),
                           std::move(reason)});
  }
  return success();
}

} // namespace

} // namespace nacre::importer::onnx_format

namespace nacre::importer {

using onnx_format::OnnxImporter;
using onnx_format::OnnxModel;

OwningOpRef<ModuleOp> importOnnx(StringRef path, const ImportOptions &options, MLIRContext *context) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  FailureOr<std::unique_ptr<OnnxModel>> model = OnnxModel::read(path, context);
  if (failed(model))
    return nullptr;
  return OnnxImporter(**model, options, context).import();
}

OwningOpRef<ModuleOp> importOnnx(llvm::MemoryBufferRef bytes, const ImportOptions &options, MLIRContext *context) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  std::shared_ptr<const llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBuffer(bytes, /*RequiresNullTerminator=*/false);
  FailureOr<std::unique_ptr<OnnxModel>> model =
      OnnxModel::parse(std::move(buffer), bytes.getBufferIdentifier(), /*folder=*/"", context);
  if (failed(model))
    return nullptr;
  return OnnxImporter(**model, options, context).import();
}

LogicalResult checkOnnx(StringRef path, const ImportOptions &options, MLIRContext *context,
                        std::vector<UnsupportedNode> &unsupported) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  FailureOr<std::unique_ptr<OnnxModel>> model = OnnxModel::read(path, context);
  if (failed(model))
    return failure();
  return OnnxImporter(**model, options, context).check(unsupported);
}

} // namespace nacre::importer
