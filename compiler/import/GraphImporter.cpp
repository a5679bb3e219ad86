// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a checked model of any format to functions of `nn` operators.
//
// Each entry is imported in three steps. First, inputs are settled; values that the user sets become constants. Then,
// nodes are imported in order, by the handler of their operator and version, or as a function of the model. At last,
// outputs are compared with their declarations, and unused operators are erased. --check does the same, but continues
// after errors.

#include "compiler/import/GraphImporter.h"

#include "compiler/import/builder/EraseUnused.h"
#include "compiler/import/builder/OpenWeights.h"
#include "compiler/import/entry/BorderQuantization.h"
#include "compiler/import/entry/CompletedEntry.h"
#include "compiler/import/entry/DeclaredOutputs.h"
#include "compiler/import/entry/GivenBounds.h"
#include "compiler/import/entry/InputValues.h"
#include "compiler/import/entry/KeptState.h"
#include "compiler/import/entry/KeptValues.h"
#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/NodeNames.h"
#include "compiler/import/training/AddedDropouts.h"
#include "compiler/import/training/WatchedTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nacre::importer {
namespace {

class GraphImporter {
public:
  /// Adds a function to `module`. All entries of a model share `shared` and `bounds`.
  GraphImporter(ModelView &model, const ModelEntry &entry, const ImportOptions &options, ImportState &shared,
                GivenBounds &bounds, ModuleOp module, ImportedNodes *nodes = nullptr)
      : model(model), name(((entry.name.empty() ? StringRef(options.entry) : entry.name) + options.entrySuffix).str()),
        options(options), builder(module.getContext()), shared(shared), bounds(bounds), module(module),
        main{*entry.graph, nullptr, {}}, nodes(nodes) {
    shared.nameOf = [this](Value value) {
      return findTensor(main.graph, [&](StringRef tensor) { return main.values.lookup(tensor) == value; });
    };
  }
  ~GraphImporter() { shared.nameOf = nullptr; }

  LogicalResult import(const KeptTensors &kept);
  void check(std::vector<Problem> &problems, size_t &nodes);

private:
  /// Graph, and the values of its names. A value is null if its node failed, or if it is an omitted input of a
  /// function. Names that are not in `values` belong to the outer graph.
  struct Scope {
    GraphView &graph;
    Scope *outer;
    llvm::StringMap<Value> values;
  };

  void begin(llvm::function_ref<void()> beforeAsking);
  FailureOr<Value> getValue(Scope &scope, StringRef name);
  Value adapt(StringRef name, Value value, Location loc);
  LogicalResult importNodes(Scope &scope);
  LogicalResult importNode(Scope &scope, size_t index, const GraphNode &node);
  FailureOr<SmallVector<Value>> runNode(Scope &scope, size_t index, const GraphNode &source, Node &node);
  FailureOr<SmallVector<Value>> importBody(GraphView &graph, Scope *outer, ArrayRef<Value> arguments, Location loc);
  bool isJudgeable(const Scope &scope, const GraphNode &node) const;
  void forget(Scope &scope, const GraphNode &node);
  void tryRest(Scope &scope, size_t first);
  LogicalResult importOutputs(Scope &scope);

  ModelView &model;
  std::string name;
  const ImportOptions &options;
  OpBuilder builder;
  ImportState &shared;
  GivenBounds &bounds;
  ModuleOp module;
  func::FuncOp func;
  SettledInputs inputs;
  Scope main;
  std::optional<OpenWeights> weights; ///< weights as arguments, for a trained model only
  std::optional<AddedDropouts> dropouts;
  ImportedNodes *nodes;           ///< list of imported nodes; may be null
  std::optional<GraphNode> newer; ///< node whose operator set is newer than its registry, if there is one
};

//===----------------------------------------------------------------------===//
// 1. Inputs
//===----------------------------------------------------------------------===//

void GraphImporter::begin(llvm::function_ref<void()> beforeAsking) {
  GraphView &graph = main.graph;
  builder.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(builder, graph.getLocation(), name, builder.getFunctionType({}, {}));
  Block &entry = *func.addEntryBlock();
  if (options.training) {
    shared.weights = &weights.emplace(func, *options.training);
    dropouts.emplace(*options.training);
  }
  builder.setInsertionPointToEnd(&entry);

  inputs = settleInputs(model, graph, options, beforeAsking);
  shared.changesBatch = inputs.changesBatch;
  if (weights)
    weights->setStatedBatch(inputs.statedBatch);
  SmallVector<Attribute> notes; // set together, because each change of a note copies the list of all notes
  for (const SettledInput &input : inputs.inputs) {
    Location loc = graph.getLocation(input.name);
    Value &value = main.values[input.source];
    if (input.value) {
      value = NnBuilder(builder, loc, shared).constant(input.value);
    } else if (input.type) {
      value = entry.addArgument(input.type, loc);
      notes.push_back(noteInput(cast<NameLoc>(loc).getName(), input));
    }
  }
  func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  func.setAllArgAttrs(notes);
  for (const SettledInput &input : inputs.inputs)
    if (Value &value = main.values[input.source])
      inputs.hasFailed |= !(value = adapt(input.source, value, graph.getLocation(input.name)));
}

//===----------------------------------------------------------------------===//
// 2. Nodes
//===----------------------------------------------------------------------===//

FailureOr<Value> GraphImporter::getValue(Scope &scope, StringRef name) {
  auto known = scope.values.find(name);
  if (known != scope.values.end())
    return known->second;
  if (scope.outer && !scope.graph.hasConstant(name))
    return getValue(*scope.outer, name);
  FailureOr<ElementsAttr> constant = scope.graph.readConstant(name);
  Value &value = scope.values[name];
  if (failed(constant))
    return failure();
  // The constant is outside of the region that is being filled, because later readers may be outside, too.
  OpBuilder::InsertionGuard guard(builder);
  if (Operation *around = func.front().findAncestorOpInBlock(*builder.getInsertionBlock()->getParentOp()))
    builder.setInsertionPoint(around);
  if (weights && &scope == &main && OpenWeights::isTrainable(*constant))
    return value = weights->open(name, *constant, scope.graph.getLocation(name));
  value = NnBuilder(builder, scope.graph.getLocation(name), shared).constant(*constant);
  if (!value)
    return failure();
  return value;
}

/// Returns what nodes read as the tensor `name` of the main graph, which options may change. Null after an error.
Value GraphImporter::adapt(StringRef name, Value value, Location loc) {
  const NnBuilder nn(builder, loc, shared);
  Value bounded = bounds.apply(name, value, nn);
  return dropouts ? dropouts->apply(name, bounded, nn) : bounded;
}

/// Returns the results of a node whose operands are known. The handler of its operator computes them, or the function
/// that it calls.
FailureOr<SmallVector<Value>> GraphImporter::runNode(Scope &scope, size_t index, const GraphNode &source, Node &node) {
  const ImportRegistry::Entry *entry = findHandler(source);
  if (!entry) {
    std::unique_ptr<GraphView> function = scope.graph.openFunction(index);
    if (!function)
      return refuse(source);
    return importBody(*function, /*outer=*/nullptr, node.operands, source.loc);
  }
  if (source.version > source.registry->getNewestVersion())
    newer = source;
  FailureOr<SmallVector<NamedAttribute>> attributes = scope.graph.readAttributes(index);
  if (failed(attributes))
    return failure();
  node.attributes = std::move(*attributes);
  node.versionWord = source.registry->getVersionWord();
  SmallVector<std::unique_ptr<GraphView>> graphs;
  for (StringRef attribute : source.graphs) {
    GraphView &graph = *graphs.emplace_back(scope.graph.openGraph(index, attribute));
    node.graphs.push_back({attribute, graph, [this, &scope, &graph, loc = source.loc](ArrayRef<Value> arguments) {
                             return importBody(graph, &scope, arguments, loc);
                           }});
  }
  return runHandler(*entry, node, NnBuilder(builder, source.loc, shared));
}

LogicalResult GraphImporter::importNode(Scope &scope, size_t index, const GraphNode &source) {
  if (!shared.takeOperator(source.loc))
    return failure();
  Node node{source.op, source.version, {}, {}, {}};
  for (StringRef operand : source.operands) {
    FailureOr<Value> value = operand.empty() ? Value() : getValue(scope, operand);
    if (failed(value))
      return failure();
    node.operands.push_back(*value);
  }
  for (StringRef result : source.results)
    node.results.push_back(!result.empty());
  auto run = [&] { return runNode(scope, index, source, node); };
  FailureOr<SmallVector<Value>> results = weights ? weights->run(node.operands, main.values, shared, run) : run();
  if (failed(results))
    return failure();
  if (results->size() < source.results.size())
    return emitError(source.loc) << "must have at most " << describeCount(results->size(), "result")
                                 << ", like the function or graph it runs, but has " << source.results.size();
  if (nodes)
    nodes->add(scope.graph, source, node.operands, *results);
  for (auto [name, value] : llvm::zip(source.results, *results)) {
    if (name.empty())
      continue;
    if (value && &scope == &main && !(value = adapt(name, value, source.loc)))
      return failure();
    scope.values[name] = value;
  }
  return success();
}

/// Imports the nodes of a graph as if they were at `loc`, the location of the call. Returns the outputs of the graph.
FailureOr<SmallVector<Value>> GraphImporter::importBody(GraphView &graph, Scope *outer, ArrayRef<Value> arguments,
                                                        Location loc) {
  Scope scope{graph, outer, {}};
  SmallVector<GraphValue> inputs = graph.getInputs();
  if (arguments.size() > inputs.size())
    return emitError(loc) << "must have at most " << describeCount(inputs.size(), "operand")
                          << ", like the function or graph it runs, but has " << arguments.size();
  for (auto [index, input] : llvm::enumerate(inputs))
    if (index < arguments.size() || !input.hasDefault)
      scope.values[input.name] = index < arguments.size() ? arguments[index] : Value();
  for (size_t index = 0; index < graph.getNumNodes(); ++index)
    if (failed(importNode(scope, index, graph.getNode(index))))
      return failure();
  SmallVector<Value> results;
  for (const GraphValue &output : graph.getOutputs()) {
    FailureOr<Value> value = getValue(scope, output.getSource());
    if (failed(value))
      return failure();
    if (!*value)
      return emitError(loc) << "must have an operand for '" << output.name << "', which it returns";
    results.push_back(*value);
  }
  return results;
}

LogicalResult GraphImporter::importNodes(Scope &scope) {
  for (size_t index = 0; index < scope.graph.getNumNodes(); ++index) {
    GraphNode node = scope.graph.getNode(index);
    if (succeeded(importNode(scope, index, node)))
      continue;
    if (shared.unfixedInputs.empty())
      return failure();
    // Other nodes may need constant inputs, too, so one error asks for all of them.
    forget(scope, node);
    tryRest(scope, index + 1);
    if (shared.unfixedInputs.size() > 1)
      emitError(scope.graph.getLocation()) << askForValues(shared.unfixedInputs.getArrayRef());
    return failure();
  }
  return success();
}

/// True if all operands are known. The result of a failed node is unknown, so only the operators of its readers can be
/// checked.
bool GraphImporter::isJudgeable(const Scope &scope, const GraphNode &node) const {
  auto isKnown = [&](StringRef operand) {
    auto value = scope.values.find(operand);
    return operand.empty() || value == scope.values.end() || value->second;
  };
  return llvm::all_of(node.operands, isKnown) && llvm::all_of(node.captures, isKnown);
}

void GraphImporter::forget(Scope &scope, const GraphNode &node) {
  for (StringRef result : node.results)
    scope.values[result] = Value();
}

/// Imports all nodes from index `first` on that have known operands, without diagnostics.
void GraphImporter::tryRest(Scope &scope, size_t first) {
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  for (size_t index = first; index < scope.graph.getNumNodes(); ++index) {
    GraphNode node = scope.graph.getNode(index);
    if (!isJudgeable(scope, node) || failed(importNode(scope, index, node)))
      forget(scope, node);
  }
}

//===----------------------------------------------------------------------===//
// 3. Outputs
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::importOutputs(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<GraphValue> outputs = scope.graph.getOutputs();
  bool hasFailed = false;
  for (const GraphValue &output : outputs) {
    FailureOr<Value> value = getValue(scope, output.getSource());
    hasFailed |= failed(value);
    if (succeeded(value) && *value)
      hasFailed |= failed(
          checkOutput(output, *value, shared.counts.lookup(*value), inputs, scope.graph.getLocation(output.name)));
    results.push_back(succeeded(value) ? *value : Value());
  }
  if (hasFailed || llvm::is_contained(results, Value()))
    return failure();
  SmallVector<SmallVector<int64_t>> counts = addCounts(results, shared);
  SmallVector<Attribute> limits = bounds.addSizes(results, builder);
  func::ReturnOp::create(builder, scope.graph.getLocation(), results);
  return noteResults(func, outputs, counts, limits);
}

LogicalResult GraphImporter::import(const KeptTensors &kept) {
  begin([&] { refuseUnsupported(main.graph); });
  if (inputs.hasFailed || failed(importNodes(main)) || failed(importOutputs(main)))
    return failure();
  bounds.noteNames(main.values);
  if (newer)
    warnOfNewerVersion(*newer, main.graph.getLocation());
  auto find = [&](StringRef name) -> Value {
    Value value = main.values.lookup(model.normalizeName(name));
    return shared.counts.contains(value) ? Value() : value;
  };
  if (weights)
    weights->giveResults();
  if (weights && (failed(dropouts->check(main.values, *weights, func.getLoc())) ||
                  failed(watchTensors(func, options.training->watched, find))))
    return failure();
  if (kept.isAny() && failed(keepValues(func, model, main.graph, find, kept)))
    return failure();
  if (failed(settleQuantization(func, inputs, main.graph)) || failed(completeEntry(func, inputs, options, model)))
    return failure();
  if (weights)
    weights->eraseUnused();
  return success();
}

//===----------------------------------------------------------------------===//
// 4. Check
//===----------------------------------------------------------------------===//

void GraphImporter::check(std::vector<Problem> &problems, size_t &nodes) {
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
  collect([&] { begin([] {}); }, addValue("input"));
  bool areAllSupported = true;
  for (size_t index = 0, count = main.graph.getNumNodes(); index < count; ++index, ++nodes) {
    GraphNode node = main.graph.getNode(index);
    bool isSupported = findHandler(node) || main.graph.openFunction(index);
    areAllSupported &= isSupported;
    LogicalResult imported = failure();
    std::string reason;
    if (isJudgeable(main, node) || !isSupported)
      collect([&] { imported = importNode(main, index, node); },
              [&](Diagnostic &diagnostic) { reason = reason.empty() ? describe(diagnostic, node) : reason; });
    if (failed(imported))
      forget(main, node);
    if (!reason.empty())
      problems.push_back({Problem::Kind::Node, nameOf(node.loc).str(),
                          isSupported ? qualify(node) + describeVersion(node) : std::string(), std::move(reason)});
  }
  collect([&] { (void)importOutputs(main); }, addValue("output"));
  if (shared.unfixedInputs.size() > 1)
    problems.push_back({Problem::Kind::Value, "", "input", askForValues(shared.unfixedInputs.getArrayRef())});
  if (problems.empty())
    collect([&] { (void)completeEntry(func, inputs, options, model); }, addValue("model"));
  if (areAllSupported && newer)
    warnOfNewerVersion(*newer, main.graph.getLocation());
}

} // namespace

OwningOpRef<ModuleOp> importGraph(ModelView &model, const ImportOptions &options, MLIRContext *context,
                                  const KeptTensors &kept, ImportedNodes *nodes) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  ImportState shared(options);
  OwningOpRef<ModuleOp> module = ModuleOp::create(model.getGraph().getLocation());
  GivenBounds bounds(options, shared);
  for (const ModelEntry &entry : model.getEntries())
    if (failed(GraphImporter(model, entry, options, shared, bounds, *module, nodes).import(kept)))
      return nullptr;
  return succeeded(bounds.check(module->getLoc())) ? std::move(module) : nullptr;
}

void checkGraph(ModelView &model, const ImportOptions &options, MLIRContext *context, CheckResult &result) {
  context->loadDialect<func::FuncDialect, nn::NnDialect>();
  ImportState shared(options);
  OwningOpRef<ModuleOp> module = ModuleOp::create(model.getGraph().getLocation());
  GivenBounds bounds(options, shared);
  for (const ModelEntry &entry : model.getEntries())
    GraphImporter(model, entry, options, shared, bounds, *module).check(result.problems, result.nodes);
}

} // namespace nacre::importer
