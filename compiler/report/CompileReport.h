// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation came to: the numbers of the driver's summary and of --report=.

#ifndef NACRE_COMPILER_REPORT_COMPILEREPORT_H
#define NACRE_COMPILER_REPORT_COMPILEREPORT_H

#include "codegen/MachineModel.h"
#include "compiler/options/CompilerOptions.h"
#include "compiler/report/StepParts.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre {

/// Whole, on each engine alone.
struct PredictedLaunch {
  double cpu = 0;
  std::optional<double> gpu; ///< None where the GPU has no code for it.
};

/// Of a run, by the model of the place phase.
struct PredictedRun {
  double placed = 0; ///< As the launches say.
  double cpu = 0;    ///< With the CPU alone.
  unsigned meetings = 0;
};

struct LaunchReport {
  std::string entry;                 ///< Whose launch it is,
  unsigned step = 0;                 ///< and which of its steps (EntryReport).
  std::string nodes;                 ///< The model's nodes it computes,
  std::vector<std::string> nodeList; ///< and each by itself.
  std::string kernel;                ///< Its code's name; equal for launches that share code.
  std::string kind;
  std::string contractionType;    ///< Of a contraction's operands, as `int8`; empty for other kernels.
  std::string inFloatsBecause;    ///< Why a quantized model's contraction is computed in floats.
  double flops = 0;               ///< Multiplications and additions of one launch.
  double executedFlops = 0;       ///< The same as its engines do them: fewer where the CPU goes by Winograd's method.
  uint64_t weightBytes = 0;       ///< Of one launch, as they are stored,
  uint64_t readBytes = 0;         ///< of what else it reads,
  uint64_t writtenBytes = 0;      ///< and of what it writes.
  double iterations = 1;          ///< How often a run is expected to launch it.
  int64_t columns = 0, lanes = 1; ///< Of a product by a weight in panels, in a group; and of the first CPU's vectors.
  uint64_t singleWeightBytes = 0; ///< Of its weights, those in f32.
  bool inDoubles = false;         ///< It computes in f64.
  bool hasParallelIterations = false; ///< A serial kernel in which there are iterations that run in parallel.
  bool fallback = false;              ///< No emitter took it,
  std::string fallbackReason;         ///< for this reason.
  double gpuShare = 0;                ///< Of the cut axis: 0 is the CPU alone, 1 the GPU alone.
  std::string gpuDeclined;            ///< Why the GPU computes nothing of it, or which variants lack.
  std::optional<PredictedLaunch> predictedMilliseconds; ///< One iteration; none without a device.
  double placedMilliseconds = 0;                        ///< All iterations, as it is placed; 0 without a device.
  double estimatedMilliseconds = 0;            ///< All iterations on one core of the first CPU: for proportions only.
  std::vector<unsigned> reads, writes;         ///< Of its entry's storages,
  std::vector<unsigned> portReads, portWrites; ///< and of its ports.

  llvm::StringRef engine() const; ///< `cpu`, `gpu` or `cut`.
};

/// What would make the model faster (compiler/report/Advice.h).
struct Advice {
  std::string kind;               ///< One word; docs/compiling.md lists them.
  std::vector<std::string> nodes; ///< The model's, those that cost most first; the first is where it is said.
  std::vector<unsigned> launches; ///< Their launches, of CompileReport::launches.
  double share = 0;               ///< Of a run's time: what it costs, or what would be saved, as `text` says.
  std::string problem, remedy;    ///< What is wrong at the first node, and what to do.
  std::string text;               ///< Both, with the share.
};

/// A node of the model, as a viewer of models shows it (compiler/report/DescribeNodes.h).
struct NodeReport {
  using Shape = std::vector<int64_t>;
  std::string name;
  std::string op;                              ///< The model format's name of its operator.
  std::vector<Shape> inputs, weights, outputs; ///< `weights` are the operands that the compiler knows.
  std::vector<int64_t> window, strides;        ///< Of convolutions and poolings; empty for other operators.
  int64_t groups = 1;
};

/// A temporary of an entry.
struct ArenaStorage {
  std::string nodes; ///< Of the launch that writes it first.
  int64_t offset = 0, bytes = 0;
  unsigned firstStep = 0, lastStep = 0; ///< It has its bytes in both, and in all between.
};

/// An input, an output, a state or a count of an entry: memory beside the arena.
struct PortReport {
  std::string name, role;
  uint64_t bytes = 0;
  std::vector<int64_t> shape; ///< In the model.
};

/// What a run of an entry does, and what memory it has for that.
struct EntryReport {
  std::string name;
  uint64_t arenaBytes = 0;
  std::vector<std::string> steps; ///< Their nodes, in order: launches, and what loops and branches do between them.
  std::vector<ArenaStorage> storages;
  std::vector<PortReport> ports;
  std::optional<PredictedRun> predicted; ///< Milliseconds; none without a device.

  /// How many bytes of the arena each step finds in use.
  std::vector<int64_t> bytesInUse() const;
};

/// What it costs to train a weight, by the model of the place phase.
struct WeightCost {
  std::string name;
  double milliseconds = 0;    ///< Its gradient and its update; what several share is divided.
  double wayMilliseconds = 0; ///< The way back to it, which it shares with those behind it.
};

/// Predicted milliseconds of the parts of a step of training.
struct StepTimes {
  double forward = 0, backward = 0, update = 0;
};

/// What an engine can do at most.
struct Roof {
  double flopsPerSecond = 0;                      ///< Multiplications and additions, of all its threads.
  double bytesPerSecond = 0;                      ///< From memory,
  double cacheBytesPerSecond = 0, cacheBytes = 0; ///< and from its last cache.
};

struct DeviceRoofs {
  std::string description;
  unsigned threads = 0;
  Roof cpu, gpu;
};

/// A weight that is stored at half the bytes.
struct NarrowWeight {
  std::string nodes; ///< The model's nodes that read it.
  std::string name;  ///< In the plan.
  int64_t savedBytes = 0;
  double largestRelativeError = 0, relativeError = 0; ///< plan::WeightRounding
};

/// A contraction of a quantized model that is computed in floats.
struct FloatContraction {
  std::vector<std::string> nodes;
  std::string reason; ///< The end of a sentence about the node.
};

/// The contractions of a quantized model; none of other models.
struct QuantizedContractions {
  unsigned total = 0;
  std::vector<FloatContraction> inFloats;
};

struct CompileReport {
  std::string model, output, target, cpu, device;
  codegen::MachineModel machine; ///< Of the first CPU.
  AppliedPreset preset;
  GpuPrecision gpuPrecision = GpuPrecision::F32; ///< What values and weights are stored as.
  bool precisionTakenBack = false;               ///< Another was asked for, with which the GPU got nothing.
  WeightType weightType = WeightType::F32;       ///< What weights are stored as where that pays.
  std::vector<NarrowWeight> narrowWeights;
  unsigned operators = 0; ///< After the graph phase.
  unsigned kernels = 0;   ///< Different ones.
  std::vector<LaunchReport> launches;
  std::vector<EntryReport> entries;
  std::vector<NodeReport> nodes;        ///< As they are imported, in order.
  unsigned vectorBytes = 0;             ///< Of a register of the first CPU.
  bool usesGpu = false;                 ///< It has been asked for, for some or all launches.
  std::vector<std::string> looseScales; ///< Nodes that multiply channels by constants after the graph phase.
  QuantizedContractions contractions;   ///< Of a quantized model.
  std::vector<Advice> advice;
  std::optional<StepTimes> stepTimes;    ///< Of the entry that trains; none without one, or without a device.
  std::vector<WeightCost> weightCosts;   ///< Of those that are trained; none without a device.
  std::optional<PredictedRun> predicted; ///< Of the first entry, milliseconds; none without a device.
  std::optional<DeviceRoofs> roofs;      ///< None without a device.
  uint64_t weightBytes = 0;              ///< Packed, every encoding.
  uint64_t arenaBytes = 0;               ///< Of the largest entry.
  uint64_t stateBytes = 0;               ///< Of all states.
  int64_t microBatch = 0;                ///< Examples that a training step takes at once; 0: its batch.
  uint64_t codeBytes = 0;
  uint64_t gpuCodeBytes = 0;   ///< SPIR-V, all variants.
  uint64_t gpuPackedBytes = 0; ///< The same as it lies in the file.
  uint64_t tableBytes = 0;     ///< What the runtime walks,
  uint64_t runtimeBytes = 0;   ///< and its code.
  uint64_t fileBytes = 0;
  std::string weightsFile; ///< With all weights; empty: the library has them.
  std::vector<std::pair<Phase, double>> phaseMilliseconds;
  std::string buildId; ///< Of the library, in hexadecimal; empty for an object.

  /// A phase may run twice.
  void addTime(Phase phase, double milliseconds);
  double totalMilliseconds() const;
  llvm::json::Value toJson() const;
  /// The summary that the driver prints: a few lines for people.
  std::string summary() const;

private:
  llvm::json::Array launchRows() const;
  llvm::json::Array entryRows() const;
  /// Of a step of training: its times and its arena.
  std::string describeStep() const;
  /// What came of another type than f32 for weights.
  std::string narrowing() const;
};

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_COMPILEREPORT_H
