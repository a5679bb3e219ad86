// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked model, of any format, to one function of `nn` operators.
//
// How:  1. inputs, which are settled first; values that the user sets become constants,
//       2. nodes, in order, each by the handler of its operator and version,
//       3. outputs, compared with what the model declares; what folding left over is erased,
//       4. --check: the same, going on behind errors.

#include "compiler/import/GraphImporter.h"

#include "compiler/import/SettledInputs.h"
#include "compiler/import/TypeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {
namespace {

constexpr StringLiteral nameAttr = "nn.name";

class GraphImporter {
public:
  GraphImporter(ModelView &model, const ImportOptions &options, MLIRContext *context)
      : model(model), options(options), builder(context), shared{options.maxConstantBytes, {}},
        main{model.getGraph(), {}} {}

  /// Null after an error.
  OwningOpRef<ModuleOp> import();
  void check(std::vector<Problem> &problems);

private:
  /// A graph, and the values that its names stand for: null where what computes one has failed.
  struct Scope {
    GraphView &graph;
    llvm::StringMap<Value> values;
  };

  void begin();
  FailureOr<Value> getValue(Scope &scope, StringRef name);
  LogicalResult importNodes(Scope &scope);
  LogicalResult importNode(Scope &scope, size_t index, const GraphNode &node);
  bool isJudgeable(const Scope &scope, const GraphNode &node) const;
  void forget(Scope &scope, const GraphNode &node);
  void tryRest(Scope &scope, size_t first);
  std::string askForValues() const;
  LogicalResult importOutputs(Scope &scope);
  LogicalResult checkOutput(const GraphValue &output, Value value, Location loc) const;
  bool isOpenToInputs(ArrayRef<Dimension> declared) const;
  void warnOfNewerVersion();
  void eraseUnused();

  ModelView &model;
  const ImportOptions &options;
  OpBuilder builder;
  ImportState shared;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  SettledInputs inputs;
  Scope main;
  std::optional<GraphNode> newer; ///< a node of an operator set newer than its registry knows
};

const ImportRegistry::Entry *findHandler(const GraphNode &node) { return node.registry->find(node.op, node.version); }

//===----------------------------------------------------------------------===//
// 1. Inputs
//===----------------------------------------------------------------------===//

void GraphImporter::begin() {
  GraphView &graph = main.graph;
  module = ModuleOp::create(graph.getLocation());
  builder.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(builder, graph.getLocation(), options.entry, builder.getFunctionType({}, {}));
  Block &entry = *func.addEntryBlock();
  builder.setInsertionPointToEnd(&entry);

  inputs = settleInputs(model, options);
  for (const SettledInput &input : inputs.inputs) {
    Location loc = graph.getLocation(input.name);
    Value &value = main.values[input.name];
    if (input.value)
      value = NnBuilder(builder, loc, shared).constant(input.value);
    else if (input.type)
      value = entry.addArgument(input.type, loc);
  }
  func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  for (BlockArgument argument : entry.getArguments())
    func.setArgAttr(argument.getArgNumber(), nameAttr, cast<NameLoc>(argument.getLoc()).getName());
}

//===----------------------------------------------------------------------===//
// 2. Nodes
//===----------------------------------------------------------------------===//

FailureOr<Value> GraphImporter::getValue(Scope &scope, StringRef name) {
  auto known = scope.values.find(name);
  if (known != scope.values.end())
    return known->second;
  FailureOr<ElementsAttr> constant = scope.graph.readConstant(name);
  Value &value = scope.values[name];
  if (failed(constant))
    return failure();
  return value = NnBuilder(builder, scope.graph.getLocation(name), shared).constant(*constant);
}

/// `com.example.Thing`
std::string qualify(const GraphNode &node) {
  return (node.domain.empty() ? node.op : node.domain + "." + node.op).str();
}

/// ` (opset 13)`, or nothing where the model does not say.
std::string describeVersion(const GraphNode &node) {
  return node.version ? (" (" + node.registry->getVersionWord() + " " + Twine(node.version) + ")").str() : "";
}

LogicalResult refuse(const GraphNode &node) {
  InFlightDiagnostic error = emitError(node.loc)
                             << "unsupported operator '" << qualify(node) << "'" << describeVersion(node);
  StringRef word = node.registry->getVersionWord();
  if (std::optional<int64_t> first = node.registry->getFirstVersion(node.op))
    error << "; it is supported from " << word << " " << *first << " on";
  if (int64_t newest = node.registry->getNewestVersion(); node.version > newest)
    error << "; the newest " << word << " that Nacre knows is " << newest << ": export the model with that one";
  return error;
}

LogicalResult GraphImporter::importNode(Scope &scope, size_t index, const GraphNode &source) {
  const ImportRegistry::Entry *entry = findHandler(source);
  if (!entry)
    return refuse(source);
  if (source.version > source.registry->getNewestVersion())
    newer = source;

  Node node{source.op, source.version, {}, {}, {}};
  for (StringRef operand : source.operands) {
    FailureOr<Value> value = operand.empty() ? Value() : getValue(scope, operand);
    if (failed(value))
      return failure();
    node.operands.push_back(*value);
  }
  for (StringRef result : source.results)
    node.results.push_back(!result.empty());
  FailureOr<SmallVector<NamedAttribute>> attributes = scope.graph.readAttributes(index);
  if (failed(attributes))
    return failure();
  node.attributes = std::move(*attributes);
  node.versionWord = source.registry->getVersionWord();

  FailureOr<SmallVector<Value>> results =
      runHandler(*entry, node, NnBuilder(builder, source.loc, shared), options.maxConstantBytes);
  if (failed(results))
    return failure();
  for (auto [name, value] : llvm::zip_equal(source.results, *results))
    if (!name.empty())
      scope.values[name] = value;
  return success();
}

LogicalResult GraphImporter::importNodes(Scope &scope) {
  for (size_t index = 0; index < scope.graph.getNumNodes(); ++index) {
    GraphNode node = scope.graph.getNode(index);
    if (succeeded(importNode(scope, index, node)))
      continue;
    if (shared.unfixedInputs.empty())
      return failure();
    // Where one node needs an input to be fixed, others may need more, and the user had better be told at once.
    forget(scope, node);
    tryRest(scope, index + 1);
    if (shared.unfixedInputs.size() > 1)
      emitError(scope.graph.getLocation()) << askForValues();
    return failure();
  }
  return success();
}

/// What a failed node would have computed is unknown, so of a node that reads it only the operator can be judged.
bool GraphImporter::isJudgeable(const Scope &scope, const GraphNode &node) const {
  return llvm::all_of(node.operands, [&](StringRef operand) {
    auto value = scope.values.find(operand);
    return operand.empty() || value == scope.values.end() || value->second;
  });
}

void GraphImporter::forget(Scope &scope, const GraphNode &node) {
  for (StringRef result : node.results)
    scope.values[result] = Value();
}

/// Imports what can be judged from node `first` on, without a word.
void GraphImporter::tryRest(Scope &scope, size_t first) {
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  for (size_t index = first; index < scope.graph.getNumNodes(); ++index) {
    GraphNode node = scope.graph.getNode(index);
    if (!isJudgeable(scope, node) || failed(importNode(scope, index, node)))
      forget(scope, node);
  }
}

std::string GraphImporter::askForValues() const {
  auto join = [&](auto describe, StringRef separator) {
    return llvm::join(llvm::map_range(shared.unfixedInputs, describe), separator);
  };
  return "the inputs " + join([](StringRef name) { return ("'" + name + "'").str(); }, ", ") +
         " must be known when the model is compiled; fix them with " +
         join([](StringRef name) { return ("--set " + name + "=<value|file>").str(); }, " ");
}

void GraphImporter::warnOfNewerVersion() {
  if (!newer)
    return;
  StringRef word = newer->registry->getVersionWord();
  emitWarning(main.graph.getLocation()) << "the model uses " << word << " " << newer->version
                                        << ", but the newest that Nacre knows is "
                                        << newer->registry->getNewestVersion()
                                        << "; its operators are taken to mean what they mean there";
}

//===----------------------------------------------------------------------===//
// 3. Outputs
//===----------------------------------------------------------------------===//

/// Whether sizes of the inputs that the model leaves open are not in what it declares: that may then be said of other
/// sizes.
bool GraphImporter::isOpenToInputs(ArrayRef<Dimension> declared) const {
  return inputs.hasUnnamed || llvm::any_of(inputs.symbols.keys(), [&](StringRef symbol) {
           return llvm::none_of(declared, [&](const Dimension &dim) { return dim.symbol == symbol; });
         });
}

static std::string describeDeclared(ArrayRef<Dimension> dims) {
  auto describe = [](const Dimension &dim) {
    return !dim.isOpen() ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol.str();
  };
  return dims.empty() ? "scalar" : llvm::join(llvm::map_range(dims, describe), "x");
}

LogicalResult GraphImporter::checkOutput(const GraphValue &output, Value value, Location loc) const {
  const DeclaredType &declared = output.type;
  auto type = cast<RankedTensorType>(value.getType());
  bool isOther = declared.elementType && declared.elementType != type.getElementType();
  if (isOther || !declared.name.empty())
    return emitError(loc) << "must have the element type that the model declares, "
                          << (isOther ? getTypeName(declared.elementType) : declared.name.str())
                          << ", but the graph computes " << describe(type) << "; correct the declaration";
  if (!declared.shape)
    return success();
  ArrayRef<Dimension> dims = *declared.shape;
  bool agrees = static_cast<int64_t>(dims.size()) == type.getRank();
  for (auto [dim, size] : llvm::zip(dims, type.getShape()))
    agrees &= dim.isOpen() || dim.size == size;
  if (!agrees && !isOpenToInputs(dims))
    return emitError(loc) << "must have the shape that the model declares, " << describeDeclared(dims)
                          << ", but the graph computes " << describe(type) << "; correct the declaration";
  if (!agrees) {
    emitWarning(loc) << "the model declares the shape " << describeDeclared(dims) << ", but the graph computes "
                     << describe(type) << " for these sizes of its inputs";
    return success();
  }
  for (auto [dim, size] : llvm::zip(dims, type.getShape()))
    if (auto known = inputs.symbols.find(dim.symbol); known != inputs.symbols.end() && known->second != size)
      emitWarning(loc) << "the model declares the shape " << describeDeclared(dims) << ", and '" << dim.symbol
                       << "' is " << known->second << " in its inputs, but the graph computes " << describe(type);
  return success();
}

LogicalResult GraphImporter::importOutputs(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<GraphValue> outputs = scope.graph.getOutputs();
  bool hasFailed = false;
  for (const GraphValue &output : outputs) {
    FailureOr<Value> value = getValue(scope, output.name);
    if (failed(value))
      hasFailed = true;
    else if (*value)
      hasFailed |= failed(checkOutput(output, *value, scope.graph.getLocation(output.name)));
    results.push_back(succeeded(value) ? *value : Value());
  }
  if (hasFailed || llvm::is_contained(results, Value()))
    return failure();
  func::ReturnOp::create(builder, scope.graph.getLocation(), results);
  func.setFunctionType(
      builder.getFunctionType(func.getArgumentTypes(), llvm::to_vector(ValueRange(results).getTypes())));
  for (auto [index, output] : llvm::enumerate(outputs))
    func.setResultAttr(index, nameAttr, builder.getStringAttr(output.name));
  return success();
}

void GraphImporter::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OwningOpRef<ModuleOp> GraphImporter::import() {
  begin();
  if (inputs.hasFailed || failed(importNodes(main)) || failed(importOutputs(main)))
    return nullptr;
  warnOfNewerVersion();
  eraseUnused();
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// 4. Check
//===----------------------------------------------------------------------===//

/// The name in a location of a node or a value; empty for the model's own.
StringRef nameOf(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  return named ? named.getName().getValue() : StringRef();
}

void GraphImporter::check(std::vector<Problem> &problems) {
  auto collect = [&](auto work, auto add) {
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      add(diagnostic);
      return success();
    });
    work();
  };
  auto addValue = [&](const char *what) {
    return [&problems, what](Diagnostic &diagnostic) {
      problems.push_back({Problem::Kind::Value, nameOf(diagnostic.getLocation()).str(), what, diagnostic.str()});
    };
  };
  collect([&] { begin(); }, addValue("input"));
  bool areAllSupported = true;
  for (size_t index = 0; index < main.graph.getNumNodes(); ++index) {
    GraphNode node = main.graph.getNode(index);
    areAllSupported &= findHandler(node) != nullptr;
    LogicalResult imported = failure();
    std::string reason;
    if (isJudgeable(main, node) || !findHandler(node))
      collect([&] { imported = importNode(main, index, node); },
              [&](Diagnostic &diagnostic) { reason = reason.empty() ? diagnostic.str() : reason; });
    if (failed(imported))
      forget(main, node);
    if (!reason.empty())
      problems.push_back(
          {Problem::Kind::Node, nameOf(node.loc).str(), qualify(node) + describeVersion(node), std::move(reason)});
  }
  collect([&] { (void)importOutputs(main); }, addValue("output"));
  if (shared.unfixedInputs.size() > 1)
    problems.push_back({Problem::Kind::Value, "", "input", askForValues()});
  if (areAllSupported)
    warnOfNewerVersion();
}

} // namespace

OwningOpRef<ModuleOp> importGraph(ModelView &model, const ImportOptions &options, MLIRContext *context) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  return GraphImporter(model, options, context).import();
}

void checkGraph(ModelView &model, const ImportOptions &options, MLIRContext *context, std::vector<Problem> &problems) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  GraphImporter(model, options, context).check(problems);
}

} // namespace nacre::importer
