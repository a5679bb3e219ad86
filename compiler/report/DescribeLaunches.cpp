// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/DescribeLaunches.h"

#include "codegen/OperandOrigin.h"
#include "codegen/PackWeights.h"
#include "codegen/package/NodeNames.h"
#include "compiler/price/LaunchPrice.h"
#include "compiler/report/ContractionTypes.h"
#include "compiler/report/DescribeEntries.h"
#include "compiler/schedule/Lifetimes.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre {

static constexpr double kMilliseconds = 1e-6; // Number of milliseconds in a nanosecond.

std::vector<NarrowWeight> describeNarrowWeights(ModuleOp encoded) {
  std::vector<NarrowWeight> rows;
  for (auto weight : encoded.getOps<plan::WeightOp>())
    if (std::optional<plan::WeightRounding> rounding = plan::weightRoundingOf(weight))
      rows.push_back({package::nodeNames(weight.getLoc()), weight.getSymName().str(), rounding->savedBytes,
                      rounding->largestRelativeError, rounding->relativeError});
  return rows;
}

/// Returns the size in bytes of a whole weight in its encoding.
static uint64_t packedBytes(plan::WeightOp weight) {
  return codegen::PackedWeight(cast<RankedTensorType>(weight.getValue().getType()), weight.getEncodingAttr())
      .sizeInBytes();
}

static void countBytes(plan::LaunchOp launch, plan::KernelKind kind, const SymbolTable &symbols, LaunchReport &row) {
  int64_t written = 0;
  for (Value output : launch.getOutputs()) {
    row.writtenBytes += storedBytes(cast<ShapedType>(output.getType()));
    written += cast<ShapedType>(output.getType()).getNumElements();
  }
  for (Value input : launch.getInputs()) {
    const uint64_t bytes = storedBytes(cast<ShapedType>(input.getType()));
    Value root = codegen::originOfOperand(input).root;
    if (auto use = root.getDefiningOp<plan::UseOp>()) {
      uint64_t stored = input == root ? packedBytes(symbols.lookup<plan::WeightOp>(use.getWeight())) : bytes;
      if (kind == plan::KernelKind::Indexed) // A gather reads only as many rows as it writes.
        stored = std::min(stored,
                          written * bytes / std::max<int64_t>(1, cast<ShapedType>(input.getType()).getNumElements()));
      row.weightBytes += stored;
      row.singleWeightBytes += getElementTypeOrSelf(input.getType()).isF32() ? stored : 0;
    } else
      row.readBytes += bytes;
  }
}

/// Counts the columns of the first weight in panels. Each group of columns, and each part, has separate panels.
static void countColumns(plan::LaunchOp launch, const SymbolTable &symbols, LaunchReport &row) {
  for (Value input : launch.getInputs()) {
    auto use = codegen::originOfOperand(input).root.getDefiningOp<plan::UseOp>();
    auto weight = use ? symbols.lookup<plan::WeightOp>(use.getWeight()) : plan::WeightOp();
    plan::EncodingAttr encoding = weight ? weight.getEncodingAttr() : plan::EncodingAttr();
    if (!encoding || encoding.getKind() != plan::EncodingKind::Panel)
      continue;
    row.columns =
        cast<ShapedType>(weight.getValue().getType()).getShape().back() / encoding.getGroups() / encoding.getParts();
    return;
  }
}

/// Returns the reason why a contraction that computes one of `nodes` is in floats. Returns an empty text if it is in
/// integers, or if the model is not quantized.
static std::string whyInFloats(const QuantizedContractions &contractions, ArrayRef<std::string> nodes) {
  for (const FloatContraction &each : contractions.inFloats)
    if (llvm::any_of(each.nodes, [&](const std::string &node) { return llvm::is_contained(nodes, node); }))
      return each.reason;
  return "";
}

/// True if an operand of the kernel is in panels with several steps side by side.
static bool readsWords(plan::KernelOp kernel) {
  return llvm::any_of(llvm::seq(kernel.getNumInputs()), [&](unsigned input) {
    const plan::EncodingAttr encoding = kernel.getEncoding(input);
    return encoding && encoding.getK() > 1;
  });
}

static LaunchReport describe(plan::LaunchOp launch, const SymbolTable &symbols, const package::CompiledKernel &compiled,
                             const codegen::MachineModel &machine, const QuantizedContractions &contractions) {
  plan::KernelOp kernel = compiled.kernel;
  LaunchReport row;
  row.nodes = package::nodeNames(launch.getLoc());
  row.nodeList = package::listNodes(launch.getLoc());
  row.kernel = launch.getKernel().str();
  row.kind = plan::stringifyKernelKind(kernel.getKind()).str();
  kernel->walk([&](Operation *op) { row.hasParallelIterations |= op->hasAttr(plan::kParallel); });
  row.contractionType = contractionTypeOf(kernel);
  if (!row.contractionType.empty() && row.contractionType != "int8")
    row.inFloatsBecause = whyInFloats(contractions, row.nodeList);
  row.multipliesBfloats = row.contractionType == "bf16" && readsWords(kernel);
  row.halfSums = plan::halfSumsOf(kernel);
  row.flops = compiled.variants.front().flops;
  countBytes(launch, kernel.getKind(), symbols, row);
  countColumns(launch, symbols, row);
  row.inDoubles = llvm::any_of(launch.getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF64(); });
  const auto fallback = llvm::find_if(compiled.variants, [](const codegen::KernelCode &code) { return code.fallback; });
  row.fallback = fallback != compiled.variants.end();
  if (row.fallback)
    row.fallbackReason = fallback->declinedBy.empty() ? "there is no emitter for kernels of kind " + row.kind
                                                      : "no emitter accepts its form: " + fallback->declinedBy;
  row.gpuShare = double(plan::gpuShareOf(launch)) / kernel.getCutExtent();
  row.executedFlops = row.gpuShare * row.flops + (1 - row.gpuShare) * compiled.variants.front().executedFlops;
  auto declined = launch->getAttrOfType<StringAttr>(plan::kGpuDeclined);
  if (!declined)
    declined = kernel->getAttrOfType<StringAttr>(plan::kGpuDeclined);
  row.gpuDeclined = declined ? declined.str() : compiled.gpu.declined;
  if (auto predicted = launch->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds)) {
    row.predictedMilliseconds = {predicted[0] * kMilliseconds, std::nullopt};
    if (predicted.size() > 1)
      row.predictedMilliseconds->gpu = predicted[1] * kMilliseconds;
    row.placedMilliseconds = placedMilliseconds(launch);
  }
  row.iterations = plan::countExecutions(launch);
  price::LaunchWork work = price::readWork(launch, kernel, /*rivals=*/0);
  if (row.fallback) { // The rates would assume instructions that the fallback does not use.
    work.form = codegen::WorkForm::Scan;
    work.products.rate = work.products.winogradGain = 1;
  }
  row.estimatedMilliseconds = row.iterations * price::priceOf(work, machine) * kMilliseconds;
  return row;
}

/// Indices of an entry's storages and ports in its EntryReport.
class MemoryOfEntry {
public:
  explicit MemoryOfEntry(plan::EntryOp entry) {
    for (auto [number, storage] : llvm::enumerate(schedule::readLifetimes(entry).storages))
      storages[plan::StorageOp(storage).getResult()] = number;
    for (auto port : entry.getBody().getOps<plan::StorageOp>())
      if (port.getRole() != plan::Role::Temporary)
        ports.try_emplace(port.getResult(), ports.size());
  }

  /// Adds the indices of the storages and ports of `operands` to the two lists, without duplicates.
  void list(ValueRange operands, std::vector<unsigned> &ofStorages, std::vector<unsigned> &ofPorts) const {
    auto add = [](std::vector<unsigned> &list, unsigned number) {
      if (!llvm::is_contained(list, number))
        list.push_back(number);
    };
    for (Value operand : operands) {
      Value root = codegen::originOfOperand(operand).root;
      if (auto storage = storages.find(root); storage != storages.end())
        add(ofStorages, storage->second);
      else if (auto port = ports.find(root); port != ports.end())
        add(ofPorts, port->second);
    }
  }

private:
  llvm::DenseMap<Value, unsigned> storages, ports;
};

std::vector<LaunchReport> describeLaunches(ModuleOp scheduled, ArrayRef<package::CompiledKernel> kernels,
                                           const codegen::Target &first, const QuantizedContractions &contractions) {
  llvm::StringMap<const package::CompiledKernel *> byName;
  for (const package::CompiledKernel &kernel : kernels)
    byName[plan::KernelOp(kernel.kernel).getSymName()] = &kernel;
  const SymbolTable symbols(scheduled);
  std::vector<LaunchReport> rows;
  for (auto entry : scheduled.getOps<plan::EntryOp>()) {
    const MemoryOfEntry memory(entry);
    for (auto [number, step] : llvm::enumerate(stepsOf(entry)))
      if (auto launch = dyn_cast<plan::LaunchOp>(step)) {
        LaunchReport &row =
            rows.emplace_back(describe(launch, symbols, *byName.lookup(launch.getKernel()), first.model, contractions));
        row.lanes = first.lanes();
        row.entry = entry.getSymName().str();
        row.step = number;
        memory.list(launch.getInputs(), row.reads, row.portReads);
        memory.list(launch.getOutputs(), row.writes, row.portWrites);
      }
  }
  return rows;
}

uint64_t arenaBytes(ModuleOp scheduled) {
  uint64_t most = 0;
  for (auto entry : scheduled.getOps<plan::EntryOp>())
    most = std::max<uint64_t>(most, entry.getArenaBytes().value_or(0));
  return most;
}

uint64_t stateBytes(ModuleOp scheduled) {
  llvm::StringMap<uint64_t> byName; // A state has the same name in all entries that share it.
  scheduled.walk([&](plan::StorageOp storage) {
    if (storage.getRole() == plan::Role::State)
      byName[*storage.getName()] = storedBytes(cast<ShapedType>(storage.getResult().getType()));
  });
  uint64_t sum = 0;
  for (const auto &state : byName)
    sum += state.second;
  return sum;
}

} // namespace nacre
