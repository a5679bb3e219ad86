// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/ModelEntries.h"

#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/SaidOnce.h"
#include "compiler/driver/TrainedEntries.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/Variables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nacre {

bool asksForGradients(ModuleOp module) { return llvm::any_of(module.getOps<func::FuncOp>(), train::asksForGradients); }

LogicalResult writeGradients(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!train::asksForGradients(function))
      continue;
    PassManager passes(function.getContext(), func::FuncOp::getOperationName());
    graph::buildExpansion(passes);
    train::buildGradients(passes);
    if (failed(passes.run(function)))
      return failure();
  }
  return success();
}

/// Returns true if the model is trained as it says itself.
static bool trainsItself(const CompilerOptions &options) {
  return options.training && options.training->losses.empty();
}

std::unique_ptr<ModelEntries> ModelEntries::create(const CompilerOptions &options, MLIRContext &context) {
  if (options.training && !trainsItself(options))
    return std::make_unique<TrainedEntries>(options, context);
  return std::unique_ptr<ModelEntries>(new ModelEntries(options, context));
}

OwningOpRef<ModuleOp> ModelEntries::importEntry(EntryImports &imports, const importer::ImportOptions &importOptions,
                                                const importer::KeptTensors &kept, bool repeats) {
  const SaidOnce once(context, repeats);
  return imports.get(importOptions, kept);
}

void ModelEntries::append(OwningOpRef<ModuleOp> &module, OwningOpRef<ModuleOp> entry) {
  if (module)
    module->getBody()->getOperations().splice(module->getBody()->end(), entry->getBody()->getOperations());
  else
    module = std::move(entry);
}

LogicalResult ModelEntries::fail(const Twine &message) const { return emitError(UnknownLoc::get(&context)) << message; }

bool ModelEntries::prepareImport(importer::ImportOptions &) { return true; }

std::optional<MemoryLimit> ModelEntries::findLimit(const importer::Model &model) const {
  MemoryLimit limit{0, "--memory-cap", /*countsWeights=*/true, options.weightsApart};
  if (options.training)
    return std::nullopt;
  if (options.memoryCap) {
    limit.bytes = *options.memoryCap;
    return limit;
  }
  const std::optional<importer::MemoryCap> stated = model.getMemoryCap();
  if (!stated)
    return std::nullopt;
  limit.bytes = stated->bytes;
  limit.origin = ("'" + stated->origin + "'").str();
  emitRemark(FileLineColLoc::get(&context, llvm::sys::path::filename(options.modelPath), 0, 0))
      << limit.origin << " limits the weights and a session of one thread to " << (limit.bytes >> 20)
      << " MiB; change that with --memory-cap=<MiB>";
  return limit;
}

/// Entries share the state, so a variable must have the same type in all of them.
static LogicalResult checkVariables(ModuleOp module) {
  llvm::StringMap<std::pair<func::FuncOp, Type>> known;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      auto variable = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::variableAttr);
      if (!variable)
        continue;
      auto [first, isNew] = known.try_emplace(variable, function, argument.getType());
      if (!isNew && first->second.second != argument.getType())
        return emitError(function.getLoc())
               << "all entries share the state, but '" << variable.getValue() << "' is "
               << importer::describe(cast<ShapedType>(first->second.second)) << " in '" << first->second.first.getName()
               << "' and " << importer::describe(cast<ShapedType>(argument.getType())) << " in '" << function.getName()
               << "'; give it one shape, or compile a library for each shape";
    }
  return success();
}

OwningOpRef<ModuleOp> ModelEntries::import(EntryImports &imports, const importer::ImportOptions &prepared,
                                           const Choice &) {
  OwningOpRef<ModuleOp> module;
  for (const importer::ShapedEntry &entry : options.shapedEntries) {
    importer::ImportOptions importOptions = prepared;
    setShapes(importOptions, entry);
    OwningOpRef<ModuleOp> one = importEntry(imports, importOptions, keptTensorsOf(options), /*repeats=*/bool(module));
    if (!one) {
      if (!entry.sizes.empty())
        emitRemark(UnknownLoc::get(&context)) << "this is the entry for " << describeShapes(entry) << " of --shape";
      return nullptr;
    }
    append(module, std::move(one));
  }
  return succeeded(checkVariables(*module)) ? std::move(module) : nullptr;
}

LogicalResult ModelEntries::addSteps(ModuleOp module, const Choice &) {
  if (!trainsItself(options))
    return success();
  if (!module.lookupSymbol(train::trainEntry))
    return fail("--train requires a loss, as in --loss=softmax-cross-entropy:logits, because the model does not say "
                "itself how it "
                "is trained; see --help");
  PassManager passes(&context);
  train::buildOwnSteps(passes);
  return passes.run(module);
}

std::string ModelEntries::adviseOnMemory(const MemoryLimit &limit, const Trial &missing, int64_t scratchBytes) const {
  const bool isOption = limit.origin == "--memory-cap";
  return (": weights take " + Twine(missing.weightBytes) + " bytes, and a session of one thread takes " +
          Twine(missing.sessionBytes + scratchBytes) + "; " +
          (isOption ? "choose a smaller input shape, or narrower weights with --weight-type"
                    : "allow that with --memory-cap=" +
                          std::to_string(llvm::divideCeil(missing.bytes() + scratchBytes, int64_t(1) << 20))))
      .str();
}

} // namespace nacre
