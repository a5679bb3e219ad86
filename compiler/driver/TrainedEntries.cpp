// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/TrainedEntries.h"

#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/import/batch/ChangeBatch.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/Variables.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace nacre {

/// Returns the inputs that have a batch, each with its axis.
static SmallVector<importer::BatchChange::Input> batchedInputs(func::FuncOp function,
                                                               const train::TrainingOptions &options) {
  SmallVector<importer::BatchChange::Input> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::nameAttr);
    if (!name || function.getArgAttr(argument.getArgNumber(), nn::variableAttr))
      continue;
    std::optional<int64_t> axis = train::batchAxisOf(options, name.getValue());
    if (axis && *axis < type.getRank())
      inputs.push_back({argument.getArgNumber(), *axis});
  }
  return inputs;
}

static int64_t sizeOf(func::FuncOp function, const importer::BatchChange::Input &input) {
  return cast<RankedTensorType>(function.getArgument(input.argument).getType()).getDimSize(input.axis);
}

/// Returns the size of the batch, from the first input that has one; 1 if none has.
static int64_t batchOf(func::FuncOp function, const train::TrainingOptions &options) {
  const SmallVector<importer::BatchChange::Input> inputs = batchedInputs(function, options);
  return inputs.empty() ? 1 : sizeOf(function, inputs.front());
}

namespace {

/// The reason why a batch cannot be divided, and a hint for the user.
struct Obstacle {
  std::string reason, hint;
};

} // namespace

/// Returns what prevents a division of the batch: in each output and each loss's tensor, an example must be in one
/// piece. `part` is the same function for a part of the batch, or null if no part is known.
static std::optional<Obstacle> findObstacle(func::FuncOp function, func::FuncOp part,
                                            const train::TrainingOptions &options) {
  const int64_t batch = batchOf(function, options);
  SmallVector<importer::BatchChange::Input> inputs = batchedInputs(function, options);
  llvm::erase_if(inputs, [&](const auto &input) { return sizeOf(function, input) != batch; });
  for (unsigned result = 0; result < function.getNumResults() && batch > 1; ++result) {
    auto name = function.getResultAttrOfType<StringAttr>(result, nn::nameAttr);
    const auto type = cast<RankedTensorType>(function.getResultTypes()[result]);
    const bool mayHaveBatch = part ? part.getResultTypes()[result] != type
                                   : llvm::any_of(type.getShape(), [&](int64_t size) { return size % batch == 0; });
    if (!name || !mayHaveBatch)
      continue;
    const std::string tensor = "'" + name.getValue().str() + "'";
    const auto rows = importer::findRows(function, result, batch, inputs);
    if (failed(rows))
      return Obstacle{"an operator before " + tensor + " combines examples of the batch",
                      "let the model compute each example of " + tensor + " separately"};
    if (*rows && (*rows)->outer != 1)
      return Obstacle{"the elements of an example are not next to each other in " + tensor,
                      "transpose the batch to the front before the model merges it with other axes of " + tensor};
  }
  return std::nullopt;
}

bool TrainedEntries::prepareImport(importer::ImportOptions &importOptions) {
  importer::TrainedEntry &trained = importOptions.training.emplace();
  trained.seed = options.seed;
  trained.normalizesByBatch = [this](StringRef scale) {
    return !options.training->freezesStatistics && train::isTrained(*options.training, scale);
  };
  auto refuse = [&](llvm::Error error) { return succeeded(fail(llvm::toString(std::move(error)))); };
  for (const std::string &text : options.training->batchAxes)
    if (llvm::Expected<train::BatchAxis> axis = train::parseBatchAxis(text))
      trained.batchAxes[axis->input] = axis->axis;
    else
      return refuse(axis.takeError());
  for (const std::string &text : options.training->dropouts)
    if (llvm::Expected<train::Dropout> dropout = train::parseDropout(text))
      trained.dropouts[dropout->tensor] = dropout->ratio;
    else
      return refuse(dropout.takeError());
  for (const std::string &text : options.training->losses)
    if (llvm::Expected<train::Loss> loss = train::parseLoss(text))
      watched.push_back(loss->tensor);
    else
      return refuse(loss.takeError());
  return true;
}

std::optional<MemoryLimit> TrainedEntries::findLimit(const importer::Model &) const {
  if (!options.training->memoryCap)
    return std::nullopt;
  return MemoryLimit{*options.training->memoryCap, "--memory-cap", /*countsWeights=*/false, options.weightsApart};
}

OwningOpRef<ModuleOp> TrainedEntries::import(EntryImports &imports, const importer::ImportOptions &prepared,
                                             const Choice &choice) {
  importer::ImportOptions importOptions = prepared;
  importer::TrainedEntry &trained = *importOptions.training;
  const int64_t microBatch = choice.part;
  const int64_t whole = options.training->batch, part = microBatch ? microBatch : whole;
  struct Entry {
    StringRef name;
    int64_t batch; ///< 0: the model's.
  };
  SmallVector<Entry> entries = {{train::mainEntry, 0}, {train::trainEntry, part}, {train::evaluateEntry, part}};
  if (microBatch)
    entries.push_back({train::wholeEntry, whole});
  OwningOpRef<ModuleOp> module;
  for (const auto &[name, batch] : entries) {
    importOptions.entry = name;
    trained.isTraining = name == train::trainEntry;
    trained.batch = batch;
    trained.watched = name == train::mainEntry ? std::vector<std::string>() : watched;
    OwningOpRef<ModuleOp> one = importEntry(imports, importOptions, {}, /*repeats=*/name != train::mainEntry);
    if (!one) {
      // The model was imported with its own batch before, so the node that failed does not allow this one.
      if (batch)
        emitRemark(module->getLoc()) << "the model cannot be trained with a batch of " << batch << ", which "
                                     << (name == train::wholeEntry || !microBatch ? "--train-batch" : "--micro-batch")
                                     << " asks for; omit that option, or export the model with this batch, or read it "
                                        "with another one by --shape";
      return nullptr;
    }
    append(module, std::move(one));
  }
  return module;
}

std::string TrainedEntries::findUndivided(ModuleOp module) const {
  auto function = module.lookupSymbol<func::FuncOp>(train::trainEntry);
  const auto results = llvm::seq(function.getNumResults()), arguments = llvm::seq(function.getNumArguments());
  const bool updates = llvm::any_of(results, [&](unsigned i) { return function.getResultAttr(i, nn::variableAttr); });
  // Dropout reads the number of the step.
  const bool drops = llvm::any_of(arguments, [&](unsigned i) {
    return nn::readRole(function.getArgAttr(i, nn::roleAttr)) == nn::VariableRole::Counter;
  });
  if (updates || drops)
    return "use --batch-norm=frozen, or take the dropout out";
  if (llvm::Error error = train::checkParts(*options.training)) {
    llvm::consumeError(std::move(error));
    return "--loss must have losses that are means over all examples";
  }
  if (!options.training->memoryCap)
    return "";
  const auto obstacle =
      findObstacle(module.lookupSymbol<func::FuncOp>(train::evaluateEntry), func::FuncOp(), *options.training);
  return obstacle ? obstacle->hint : "";
}

LogicalResult TrainedEntries::addSteps(ModuleOp module, const Choice &choice) {
  const int64_t microBatch = choice.part;
  PassManager selection(&context);
  train::buildSelection(selection, *options.training);
  if (failed(selection.run(module)))
    return failure();
  auto function = module.lookupSymbol<func::FuncOp>(train::trainEntry);
  if (!microBatch) {
    wholeBatch = batchOf(function, *options.training);
    undivided = findUndivided(module);
  }
  if (auto whole = module.lookupSymbol<func::FuncOp>(train::wholeEntry)) {
    wholeBatch = batchOf(whole, *options.training);
    if (wholeBatch % microBatch != 0)
      return emitError(whole.getLoc()) << "--micro-batch must divide the batch of " << wholeBatch << ", but is "
                                       << microBatch;
    auto part = module.lookupSymbol<func::FuncOp>(train::evaluateEntry);
    if (const auto obstacle = findObstacle(whole, part, *options.training))
      return emitError(whole.getLoc()) << "--micro-batch and --memory-cap must split the batch, but "
                                       << obstacle->reason << "; " << obstacle->hint << ", or omit --micro-batch";
  }
  // Operators that have no gradients as a whole become loops first.
  PassManager expansion(&context, func::FuncOp::getOperationName());
  graph::buildExpansion(expansion);
  if (failed(expansion.run(function)))
    return failure();
  PassManager steps(&context);
  train::TrainingOptions training = *options.training;
  training.scalesLoss = choice.scalesLoss;
  train::buildSteps(steps, training);
  return steps.run(module);
}

std::string TrainedEntries::adviseOnMemory(const MemoryLimit &, const Trial &, int64_t) const {
  return "; train fewer weights, with --trainable, or a smaller --train-batch" +
         (undivided.empty() ? "" : ", or let the batch be taken in parts: " + undivided);
}

} // namespace nacre
