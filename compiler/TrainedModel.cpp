// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TrainedModel.h"

#include "compiler/DescribeLaunches.h"
#include "compiler/SaidOnce.h"
#include "compiler/graph/Passes.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/Variables.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace nacre {

static LogicalResult fail(MLIRContext &context, const Twine &message) {
  return emitError(UnknownLoc::get(&context)) << message;
}

/// Of the first input.
static int64_t batchOf(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = cast<RankedTensorType>(argument.getType());
        !function.getArgAttr(argument.getArgNumber(), nn::variableAttr) && type.getRank() > 0)
      return type.getDimSize(0);
  return 1;
}

OwningOpRef<ModuleOp> TrainedModel::import(importer::ImportOptions importOptions) {
  importer::TrainedEntry &trained = importOptions.training.emplace();
  trained.seed = options.seed;
  trained.normalizesByBatch = [this](StringRef scale) {
    return !options.training->freezesStatistics && train::isTrained(*options.training, scale);
  };
  std::vector<std::string> watched;
  for (const std::string &text : options.training->losses)
    if (llvm::Expected<train::Loss> loss = train::parseLoss(text))
      watched.push_back(loss->tensor);
    else
      return (void)fail(context, llvm::toString(loss.takeError())), nullptr;

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
    const SaidOnce once(context, /*repeats=*/name != train::mainEntry);
    OwningOpRef<ModuleOp> one = importer::importModel(options.modelPath, importOptions, &context);
    if (!one)
      return nullptr;
    if (!module)
      module = std::move(one);
    else
      module->getBody()->getOperations().splice(module->getBody()->end(), one->getBody()->getOperations());
  }
  return module;
}

bool asksForGradients(ModuleOp module) { return llvm::any_of(module.getOps<func::FuncOp>(), train::asksForGradients); }

/// What has no gradients in one piece becomes loops first.
static LogicalResult runOn(func::FuncOp function, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(function.getContext(), func::FuncOp::getOperationName());
  graph::buildExpansion(passes);
  build(passes);
  return passes.run(function);
}

LogicalResult writeGradients(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (train::asksForGradients(function) && failed(runOn(function, train::buildGradients)))
      return failure();
  return success();
}

LogicalResult TrainedModel::addSteps(ModuleOp module) {
  PassManager selection(&context);
  train::buildSelection(selection, *options.training);
  if (failed(selection.run(module)))
    return failure();
  auto function = module.lookupSymbol<func::FuncOp>(train::trainEntry);
  if (!microBatch)
    wholeBatch = batchOf(function);
  else if (auto whole = module.lookupSymbol<func::FuncOp>(train::wholeEntry))
    wholeBatch = batchOf(whole);
  if (failed(runOn(function, [](OpPassManager &) {})))
    return failure();
  PassManager steps(&context);
  train::buildSteps(steps, *options.training);
  return steps.run(module);
}

static int64_t memoryOf(ModuleOp scheduled) { return int64_t(arenaBytes(scheduled) + stateBytes(scheduled)); }

bool TrainedModel::exceedsCap(ModuleOp scheduled) const {
  return options.training->memoryCap && memoryOf(scheduled) > *options.training->memoryCap;
}

LogicalResult TrainedModel::takeSmallerParts(ModuleOp scheduled) {
  least = std::min(least, memoryOf(scheduled)); // sums of gradients may take more than smaller parts save
  int64_t part = (microBatch ? microBatch : wholeBatch) - 1;
  while (part > 0 && wholeBatch % part != 0)
    --part;
  if (part > 0) {
    if (llvm::Error error = train::checkParts(*options.training))
      return fail(context, llvm::toString(std::move(error)));
    microBatch = part;
    return success();
  }
  constexpr int64_t mebibyte = 1 << 20;
  return fail(context, "--memory-cap must be at least " + Twine(llvm::divideCeil(least, mebibyte)) +
                           " MiB for this model, but is " + Twine(*options.training->memoryCap / mebibyte) +
                           "; train fewer weights, with --trainable, or a smaller --train-batch");
}

} // namespace nacre
