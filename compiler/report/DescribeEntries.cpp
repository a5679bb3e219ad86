// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. memory: reads lifetimes from the entry in the same way as the schedule phase;
// 2. times of the parts of a step: reads the predictions that placement has attached to launches;
// 3. weights: the cost of a weight includes launches that write it or its moments, and earlier launches that compute
//    its gradient. Other launches of the backward pass serve all weights before them.

#include "compiler/report/DescribeEntries.h"

#include "codegen/package/NodeNames.h"
#include "compiler/schedule/Lifetimes.h"
#include "dialects/PrintableText.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/Variables.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre {

static constexpr double kMilliseconds = 1e-6; // Number of milliseconds in a nanosecond.

//===----------------------------------------------------------------------===//
// 1. Memory
//===----------------------------------------------------------------------===//

static void addSteps(Region &region, SmallVectorImpl<Operation *> &steps) {
  for (Operation &op : region.getOps()) {
    if (!isa<plan::LaunchOp, plan::ConditionOp, plan::ForOp, plan::WhileOp, plan::IfOp>(op))
      continue;
    steps.push_back(&op);
    for (Region &inside : op.getRegions())
      addSteps(inside, steps);
    if (isa<plan::ForOp, plan::WhileOp>(op))
      steps.push_back(&op);
  }
}

SmallVector<Operation *> stepsOf(plan::EntryOp entry) {
  SmallVector<Operation *> steps;
  addSteps(entry.getBody(), steps);
  return steps;
}

static std::optional<PredictedRun> describeRun(plan::EntryOp entry) {
  if (auto predicted = entry->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds))
    return PredictedRun{predicted[0] * kMilliseconds, predicted[1] * kMilliseconds,
                        unsigned(entry->getAttrOfType<IntegerAttr>(plan::kMeetings).getInt())};
  return std::nullopt;
}

std::optional<PredictedRun> describeRun(ModuleOp placed) {
  auto entries = placed.getOps<plan::EntryOp>();
  return entries.empty() ? std::nullopt : describeRun(*entries.begin());
}

static EntryReport describe(plan::EntryOp entry) {
  const schedule::TemporaryLifetimes lifetimes = schedule::readLifetimes(entry);
  const SmallVector<Operation *> steps = stepsOf(entry);
  EntryReport row;
  row.name = entry.getSymName().str();
  row.arenaBytes = entry.getArenaBytes().value_or(0);
  row.predicted = describeRun(entry);
  for (Operation *step : steps)
    row.steps.push_back(package::nodeNames(step->getLoc()));
  for (auto port : entry.getBody().getOps<plan::StorageOp>())
    if (port.getRole() != plan::Role::Temporary)
      row.ports.push_back({toPrintable(port.getName().value_or("")), plan::stringifyRole(port.getRole()).str(),
                           uint64_t(storedBytes(cast<ShapedType>(port.getResult().getType()))),
                           port.getTypeOfModel().getShape().vec(), plan::predictedSnrOf(port)});
  for (auto [storage, demand] : llvm::zip_equal(lifetimes.storages, lifetimes.demands)) {
    plan::StorageOp op = storage;
    row.storages.push_back({"", op.getOffset().value_or(0), demand.sizeInBytes, demand.firstStep, demand.lastStep});
    // The first step may be a loop, which only extends the lifetime. In this case, the first writer comes later.
    for (unsigned at = demand.firstStep; at <= demand.lastStep && row.storages.back().nodes.empty(); ++at)
      if (auto launch = dyn_cast<plan::LaunchOp>(steps[at]);
          launch &&
          llvm::any_of(launch.getOutputs(), [&](Value output) { return plan::rootOf(output) == op.getResult(); }))
        row.storages.back().nodes = row.steps[at];
  }
  return row;
}

std::vector<EntryReport> describeEntries(ModuleOp scheduled) {
  std::vector<EntryReport> rows;
  for (auto entry : scheduled.getOps<plan::EntryOp>())
    rows.push_back(describe(entry));
  return rows;
}

//===----------------------------------------------------------------------===//
// 2. Times of a step
//===----------------------------------------------------------------------===//

/// Returns the entry that trains. Returns null if there is no such entry or no device.
static plan::EntryOp findPredictedStep(ModuleOp placed) {
  for (auto entry : placed.getOps<plan::EntryOp>())
    if (entry.getSymName() == train::trainEntry && entry->hasAttr(plan::kPredictedNanoseconds))
      return entry;
  return {};
}

/// Engines that share a launch work simultaneously, so the larger time counts.
double placedMilliseconds(plan::LaunchOp launch) {
  auto predicted = launch->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds);
  if (!predicted)
    return 0;
  const double all = double((*launch.getCpu())[1]), gpuShare = all > 0 ? double(plan::gpuShareOf(launch)) / all : 0;
  const double cpu = double(predicted[0]) * (1 - gpuShare);
  const double gpu = predicted.size() > 1 ? double(predicted[1]) * gpuShare : 0;
  return plan::countExecutions(launch) * std::max(cpu, gpu) * kMilliseconds;
}

std::optional<StepTimes> describeStepTimes(ModuleOp placed) {
  plan::EntryOp entry = findPredictedStep(placed);
  if (!entry)
    return std::nullopt;
  StepTimes times;
  entry.walk([&](plan::LaunchOp launch) {
    const StepPart part = partOf(package::nodeNames(launch->getLoc()));
    (part == StepPart::Forward    ? times.forward
     : part == StepPart::Backward ? times.backward
                                  : times.update) += placedMilliseconds(launch);
  });
  return times;
}

//===----------------------------------------------------------------------===//
// 3. Weights
//===----------------------------------------------------------------------===//

namespace {

/// Computes the costs of weights in the entry that trains.
class WeightCosts {
public:
  explicit WeightCosts(plan::EntryOp entry) {
    entry.walk([&](plan::LaunchOp launch) {
      launches.push_back({launch, package::nodeNames(launch->getLoc()), placedMilliseconds(launch)});
      for (Value output : launch.getOutputs())
        writers[plan::rootOf(output)].push_back(launches.size() - 1);
      for (Value input : launch.getInputs())
        readers[plan::rootOf(input)].push_back(launches.size() - 1);
    });
    for (auto storage : entry.getBody().front().getOps<plan::StorageOp>())
      if (storage.getRole() == plan::Role::State && writers.contains(storage.getResult()))
        (nn::readRole(storage->getAttr(plan::kStateRole)) == nn::VariableRole::Weight ? weights : others)
            .push_back(storage);
  }

  std::vector<WeightCost> run() {
    std::vector<llvm::SetVector<unsigned>> own;
    llvm::DenseMap<unsigned, unsigned> sharers;
    for (plan::StorageOp weight : weights) {
      own.push_back(launchesOf(weight));
      for (unsigned launch : own.back())
        ++sharers[launch];
    }
    const std::vector<std::pair<unsigned, double>> way = readWay(sharers);
    std::vector<WeightCost> rows;
    for (size_t number = 0; number < weights.size(); ++number) {
      WeightCost &row = rows.emplace_back();
      row.name = weights[number].getName()->str();
      for (unsigned launch : own[number])
        row.milliseconds += launches[launch].milliseconds / sharers[launch];
      const unsigned first = firstRead(weights[number]);
      for (const auto &[place, milliseconds] : way)
        row.wayMilliseconds += place > first ? milliseconds : 0;
    }
    return rows;
  }

private:
  struct Launch {
    plan::LaunchOp op;
    std::string nodes;
    double milliseconds;
  };

  /// Returns the launches that write the weight or its moments, and the launches that compute the gradient for them.
  llvm::SetVector<unsigned> launchesOf(plan::StorageOp weight) {
    llvm::SetVector<unsigned> found;
    auto addWriters = [&](Value storage) { found.insert_range(writers.lookup(storage)); };
    addWriters(weight.getResult());
    for (plan::StorageOp other : others)
      if (other.getName()->starts_with(weight.getName()->str() + "#"))
        addWriters(other.getResult());
    const int64_t bytes = storedBytes(cast<ShapedType>(weight.getTypeOfModel()));
    for (size_t next = 0; next < found.size(); ++next)
      for (Value input : launches[found[next]].op.getInputs())
        for (unsigned launch : writers.lookup(plan::rootOf(input)))
          if (isOfGradient(launches[launch].nodes,
                           storedBytes(cast<ShapedType>(plan::rootOf(input).getType())) >= bytes))
            found.insert(launch);
    return found;
  }

  /// True if a launch computes a weight's gradient, or moves it on its way to the update. `isAsLarge` is true if the
  /// result of the launch is as large as the weight. The norm of all gradients belongs to no weight.
  static bool isOfGradient(const std::string &nodes, bool isAsLarge) {
    if (makesWeightGradient(nodes) && !StringRef(nodes).contains(train::clipName))
      return true;
    return isAsLarge && (nodes.empty() || makesWeightGradient(nodes) || partOf(nodes) == StepPart::Update);
  }

  /// Returns the first launch of the forward pass that reads the weight.
  unsigned firstRead(plan::StorageOp weight) const {
    for (unsigned launch : readers.lookup(weight.getResult()))
      if (partOf(launches[launch].nodes) == StepPart::Forward)
        return launch;
    return launches.size();
  }

  static SmallVector<StringRef> namesOf(const Launch &launch) {
    SmallVector<StringRef> names;
    StringRef(launch.nodes).split(names, ", ");
    return names;
  }

  /// Returns the launches of the backward pass that belong to no single weight. Each has the index of the forward
  /// launch that it differentiates, and its time.
  std::vector<std::pair<unsigned, double>> readWay(const llvm::DenseMap<unsigned, unsigned> &sharers) const {
    llvm::StringMap<unsigned> there;
    for (unsigned number = 0; number < launches.size(); ++number)
      if (partOf(launches[number].nodes) == StepPart::Forward)
        for (StringRef name : namesOf(launches[number]))
          there.try_emplace(name, number);
    std::vector<std::pair<unsigned, double>> rows;
    for (unsigned number = 0; number < launches.size(); ++number) {
      const Launch &launch = launches[number];
      if (partOf(launch.nodes) != StepPart::Backward || sharers.contains(number))
        continue;
      unsigned place = 0;
      for (StringRef name : namesOf(launch))
        if (name.consume_back(" dX") && there.contains(name))
          place = std::max(place, there.lookup(name));
      rows.push_back({place, launch.milliseconds});
    }
    return rows;
  }

  std::vector<Launch> launches;
  llvm::DenseMap<Value, SmallVector<unsigned>> writers, readers;
  SmallVector<plan::StorageOp> weights, others;
};

} // namespace

std::vector<WeightCost> describeWeightCosts(ModuleOp placed) {
  plan::EntryOp entry = findPredictedStep(placed);
  return entry ? WeightCosts(entry).run() : std::vector<WeightCost>();
}

} // namespace nacre
