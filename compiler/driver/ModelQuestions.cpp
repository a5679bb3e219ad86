// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements ModelQuestions.h.

#include "compiler/driver/ModelQuestions.h"

#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/driver/SaidOnce.h"
#include "compiler/import/model/NodeNames.h"
#include "compiler/train/Optimizers.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/Variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <set>

using namespace mlir;

namespace nacre {

void printOperators(raw_ostream &text) { importer::printOperators(text); }

//===----------------------------------------------------------------------===//
// --check
//===----------------------------------------------------------------------===//

/// Locations and texts of notes and warnings.
using Said = std::set<std::pair<const void *, std::string>>;

static Said::value_type describeNote(Diagnostic &diagnostic) {
  return {diagnostic.getLocation().getAsOpaquePointer(), diagnostic.str()};
}

/// Prints the problems of training a supported model, and returns the number of lines. Ignores notes and warnings in
/// `said`, because the import runs a second time.
static unsigned checkTraining(const CompilerOptions &options, MLIRContext &context, const Said &said,
                              raw_ostream &text) {
  CompilerOptions toTrain = options;
  toTrain.compileTo = Phase::Train;
  std::vector<std::string> lines; // without duplicates, because operators in a loop may be visited several times
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(said.count(describeNote(diagnostic)) > 0);
    StringRef node = importer::nameOf(diagnostic.getLocation());
    std::string line = toPrintable((node.empty() ? " " : "\"" + node.str() + "\": ") + diagnostic.str());
    if (!llvm::is_contained(lines, line))
      lines.push_back(std::move(line));
    return success();
  });
  CompileReport report;
  (void)compileModel(toTrain, context, llvm::nulls(), report, [](Phase, unsigned, unsigned) {});
  for (const std::string &line : lines)
    text << options.modelPath << ":" << line << "\n";
  return lines.size();
}

/// Lists the problems of one of the entries that --shape requests. Adds the notes to `said`.
static LogicalResult checkEntry(const CompilerOptions &options, const importer::ShapedEntry &entry,
                                MLIRContext &context, Said &said, importer::CheckResult &result) {
  ScopedDiagnosticHandler remember(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      said.insert(describeNote(diagnostic));
    return failure();
  });
  importer::ImportOptions importOptions = importOptionsOf(options);
  setShapes(importOptions, entry);
  return importer::checkModel(options.modelPath, importOptions, &context, result);
}

llvm::FailureOr<ProblemCount> checkModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text) {
  ProblemCount count;
  Said said;
  llvm::StringSet<> known;
  for (const importer::ShapedEntry &entry : options.shapedEntries) {
    importer::CheckResult result;
    if (failed(checkEntry(options, entry, context, said, result)))
      return failure();
    count.allNodes = result.nodes;
    for (const importer::Problem &problem : result.problems) {
      const std::string where = problem.name.empty() ? "" : "\"" + problem.name + "\":";
      if (!known.insert(where + " " + problem.describe()).second)
        continue;
      const bool isOfFirst = &entry == &options.shapedEntries.front();
      text << options.modelPath << ":" << toPrintable(where + " " + problem.describe())
           << (isOfFirst ? "" : " (for " + toPrintable(describeShapes(entry)) + ")") << "\n";
      ++(problem.kind == importer::Problem::Kind::Node ? count.nodes : count.values);
    }
  }
  if (options.training && known.empty())
    count.training = checkTraining(options, context, said, text);
  return count;
}

//===----------------------------------------------------------------------===//
// --list-weights
//===----------------------------------------------------------------------===//

namespace {

struct Weight {
  std::string name, type, nodes;
  int64_t bytes;
  bool isTrained;
};

std::string describe(RankedTensorType type) {
  return "f32[" + llvm::join(llvm::map_range(type.getShape(), [](int64_t size) { return std::to_string(size); }), ",") +
         "]";
}

std::string nodesOf(Value weight) {
  llvm::SetVector<StringRef> names;
  for (Operation *user : weight.getUsers())
    if (StringRef name = importer::nameOf(user->getLoc()); !name.empty())
      names.insert(name);
  SmallVector<std::string> quoted;
  for (StringRef name : llvm::reverse(names)) // getUsers() lists the last user first
    quoted.push_back(toPrintable(name.str()));
  return llvm::join(quoted, ", ");
}

} // namespace

static std::vector<Weight> findWeights(ModuleOp module, const train::TrainingOptions &training) {
  std::vector<Weight> weights;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      if (nn::readRole(function.getArgAttr(argument.getArgNumber(), nn::roleAttr)) != nn::VariableRole::Weight)
        continue;
      StringRef name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::variableAttr).getValue();
      auto type = cast<RankedTensorType>(argument.getType());
      weights.push_back({toPrintable(name.str()), describe(type), nodesOf(argument),
                         type.getNumElements() * int64_t(sizeof(float)), train::isTrained(training, name)});
    }
  return weights;
}

/// Returns a report with the predicted times of a training step. The report is empty if the options have no device or
/// no loss.
static FailureOr<CompileReport> predictStep(const CompilerOptions &options, MLIRContext &context) {
  CompileReport report;
  if (options.device.empty() || options.training->losses.empty())
    return report;
  CompilerOptions toPlace = options;
  toPlace.compileTo = Phase::Place;
  const SaidOnce once(context, /*repeats=*/true);
  if (failed(compileModel(toPlace, context, llvm::nulls(), report, [](Phase, unsigned, unsigned) {})))
    return failure();
  return report;
}

namespace {

/// Table of weights. If `hasTimes`, it has two columns of predicted times in milliseconds.
class WeightTable {
public:
  WeightTable(ArrayRef<Weight> weights, bool hasTimes, raw_ostream &text) : hasTimes(hasTimes), text(text) {
    for (const Weight &weight : weights) {
      nameWidth = std::max(nameWidth, weight.name.size());
      typeWidth = std::max(typeWidth, weight.type.size());
    }
    print("weight", "type", "trained", "bytes", "moments", {"ms", "way ms"}, "nodes");
  }

  void print(StringRef name, StringRef type, StringRef trained, const Twine &bytes, const Twine &moments,
             std::array<std::string, 2> times, StringRef nodes) {
    text << llvm::left_justify(name, nameWidth) << "  " << llvm::left_justify(type, typeWidth)
         << llvm::formatv("  {0,-7}  {1,11}  {2,11}", trained, bytes.str(), moments.str());
    if (hasTimes)
      text << llvm::formatv("  {0,9}  {1,9}", times[0], times[1]);
    text << "  " << nodes << "\n";
  }

private:
  const bool hasTimes;
  raw_ostream &text;
  size_t nameWidth = 6, typeWidth = 4;
};

} // namespace

LogicalResult listWeights(const CompilerOptions &options, MLIRContext &context, raw_ostream &text) {
  llvm::Expected<train::Optimizer> optimizer = train::parseOptimizer(options.training->optimizer);
  if (!optimizer)
    return emitError(UnknownLoc::get(&context)) << llvm::toString(optimizer.takeError());
  importer::ImportOptions importOptions = importOptionsOf(options);
  importOptions.trainsItself.reset();
  importer::TrainedEntry &entry = importOptions.training.emplace();
  entry.isTraining = true;
  entry.normalizesByBatch = [&options](StringRef scale) {
    return !options.training->freezesStatistics && train::isTrained(*options.training, scale);
  };
  OwningOpRef<ModuleOp> module = importer::importModel(options.modelPath, importOptions, &context);
  if (!module)
    return failure();
  const int64_t kept = train::momentsOf(*optimizer).size() + options.training->accumulate;
  const std::vector<Weight> weights = findWeights(*module, *options.training);
  FailureOr<CompileReport> predicted = predictStep(options, context);
  if (failed(predicted))
    return failure();
  const std::optional<StepTimes> &step = predicted->stepTimes;
  WeightTable table(weights, step.has_value(), text);
  auto describeTime = [](double milliseconds) { return llvm::formatv("{0:F3}", milliseconds).str(); };
  int64_t bytes = 0, moments = 0;
  double milliseconds = 0;
  for (const Weight &weight : weights) {
    const int64_t more = weight.isTrained ? kept * weight.bytes : 0;
    std::array<std::string, 2> times;
    for (const WeightCost &cost : predicted->weightCosts)
      if (toPrintable(cost.name) == weight.name) {
        times = {describeTime(cost.milliseconds), describeTime(cost.wayMilliseconds)};
        milliseconds += cost.milliseconds;
      }
    table.print(weight.name, weight.type, weight.isTrained ? "yes" : "no", Twine(weight.bytes), Twine(more), times,
                weight.nodes);
    bytes += weight.isTrained ? weight.bytes : 0;
    moments += more;
  }
  table.print("", "", "", Twine(bytes), Twine(moments), {describeTime(milliseconds), ""}, "trained weights in total");
  if (step)
    text << llvm::formatv("predicted time of a step on {0}: forward {1:F2} ms, backward {2:F2} ms, update {3:F2} ms\n",
                          options.device, step->forward, step->backward, step->update);
  else if (!options.device.empty())
    text << "pass --loss to predict the milliseconds on the device\n";
  return success();
}

} // namespace nacre
