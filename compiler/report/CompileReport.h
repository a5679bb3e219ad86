// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the result of a compilation: the values of the driver's summary and of --report=.

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

/// Predicted times of one launch if one engine computes it completely.
struct PredictedLaunch {
  double cpu = 0;
  std::optional<double> gpu; ///< `nullopt` if there is no GPU code for it.
};

/// Predicted milliseconds of a run, according to the cost model of the place phase.
struct PredictedRun {
  double placed = 0; ///< Time with the chosen placement.
  double cpu = 0;    ///< Time with all launches on the CPU.
  unsigned meetings = 0;
};

struct LaunchReport {
  std::string entry;                 ///< Entry that contains the launch.
  unsigned step = 0;                 ///< Index of its step in that entry (EntryReport).
  std::string nodes;                 ///< Names of the model's nodes that the launch computes, joined by commas.
  std::vector<std::string> nodeList; ///< The names of the nodes as a list.
  std::string kernel;                ///< Name of its kernel; equal for launches that share code.
  std::string kind;
  std::string contractionType;    ///< Type of a contraction's operands, such as `int8`; empty for other kernels.
  std::string inFloatsBecause;    ///< Reason why a quantized model's contraction is computed in floats.
  bool multipliesBfloats = false; ///< True if a CPU may multiply words of bf16.
  int64_t halfSums = 0;           ///< Steps of a product that a CPU may add up in fp16; 0 if all its sums are wider.
  double flops = 0;               ///< Multiplications and additions of one launch.
  double executedFlops = 0;       ///< Number of operations that its engines execute; smaller if the CPU uses Winograd.
  uint64_t weightBytes = 0;       ///< Size in bytes of the stored weights that one launch reads.
  uint64_t readBytes = 0;         ///< Size in bytes of its other operands.
  uint64_t writtenBytes = 0;      ///< Size in bytes of its results.
  double iterations = 1;          ///< Expected number of executions in a run.
  /// `columns`: columns of a weight in panels, per group; `lanes`: lanes of the first CPU's vectors.
  int64_t columns = 0, lanes = 1;
  uint64_t singleWeightBytes = 0;     ///< Size in bytes of its weights in f32.
  bool inDoubles = false;             ///< True if it computes in f64.
  bool hasParallelIterations = false; ///< True for a serial kernel with iterations that run in parallel.
  bool fallback = false;              ///< True if no other emitter accepted it.
  std::string fallbackReason;         ///< Reason for the fallback.
  double gpuShare = 0;                ///< GPU's share of the cut axis: 0 is the CPU only, 1 the GPU only.
  std::string gpuDeclined;            ///< Reason why the GPU computes no part of it, or the GPU variants without code.
  std::optional<PredictedLaunch> predictedMilliseconds; ///< Times of one iteration; `nullopt` without a device.
  double placedMilliseconds = 0;       ///< Time of all iterations with its placement; 0 without a device.
  double estimatedMilliseconds = 0;    ///< Time of all iterations on one core of the first CPU; for comparisons only.
  std::vector<unsigned> reads, writes; ///< Indices of storages in its entry's report.
  std::vector<unsigned> portReads, portWrites; ///< Indices of ports in its entry's report.

  llvm::StringRef engine() const; ///< `cpu`, `gpu` or `cut`.
};

/// Change that would make the model faster (compiler/report/Advice.h).
struct Advice {
  std::string kind;               ///< Kind in one word (docs/compiling.md lists all kinds).
  std::vector<std::string> nodes; ///< Nodes of the model, most expensive first. The remark is at the first one.
  std::vector<unsigned> launches; ///< Indices in CompileReport::launches of the launches of these nodes.
  double share = 0;            ///< Share of a run's time that the problem costs or that the change saves (see `text`).
  std::string problem, remedy; ///< Problem at the first node, and the change that solves it.
  std::string text;            ///< Text with problem, remedy and share.
};

/// Node of the model, as viewers of models show it (compiler/report/DescribeNodes.h).
struct NodeReport {
  using Shape = std::vector<int64_t>;
  std::string name;
  std::string op;                              ///< Name of its operator in the model's format.
  std::vector<Shape> inputs, weights, outputs; ///< Shapes; `weights` are the constant operands.
  std::vector<int64_t> window, strides;        ///< Sizes for convolutions and poolings; empty for other operators.
  int64_t groups = 1;
};

/// Temporary of an entry.
struct ArenaStorage {
  std::string nodes; ///< Nodes of the launch that writes it first.
  int64_t offset = 0, bytes = 0;
  unsigned firstStep = 0, lastStep = 0; ///< First and last step at which its bytes are in use.
};

/// Input, output, state or count of an entry. Its memory is outside of the arena.
struct PortReport {
  std::string name, role;
  uint64_t bytes = 0;
  std::vector<int64_t> shape; ///< Shape in the model.
  /// Predicted signal-to-noise ratio in decibels of an output; `nullopt` if it has no noise, or none is predicted.
  std::optional<double> predictedSnr;
};

/// Steps and memory of a run of an entry.
struct EntryReport {
  std::string name;
  uint64_t arenaBytes = 0;
  std::vector<std::string> steps; ///< Nodes of each step, in order: launches, loops and branches.
  std::vector<ArenaStorage> storages;
  std::vector<PortReport> ports;
  std::optional<PredictedRun> predicted; ///< Milliseconds; `nullopt` without a device.

  /// Returns the number of bytes of the arena that are in use at each step.
  std::vector<int64_t> bytesInUse() const;
};

/// Costs of training a weight, according to the cost model of the place phase.
struct WeightCost {
  std::string name;
  double milliseconds = 0;    ///< Time of its gradient and update. If weights share a launch, its time is divided.
  double wayMilliseconds = 0; ///< Time of the backward pass down to the weight, which earlier weights share.
};

/// Predicted milliseconds of the parts of a training step.
struct StepTimes {
  double forward = 0, backward = 0, update = 0;
};

/// Peak rates of an engine.
struct Roof {
  double flopsPerSecond = 0;                      ///< Multiplications and additions of all its threads.
  double bytesPerSecond = 0;                      ///< Bytes per second from memory.
  double cacheBytesPerSecond = 0, cacheBytes = 0; ///< Rate and size of its last-level cache.
};

struct DeviceRoofs {
  std::string description;
  unsigned threads = 0;
  Roof cpu, gpu;
};

/// Weight that is stored in half the bytes.
struct NarrowWeight {
  std::string nodes; ///< The model's nodes that read it.
  std::string name;  ///< Name in the plan.
  int64_t savedBytes = 0;
  double largestRelativeError = 0, relativeError = 0; ///< plan::WeightRounding
};

/// Contraction that is computed in a wider type than others: in floats in a quantized model, or in f32 if values are
/// stored as f16.
struct FloatContraction {
  std::vector<std::string> nodes;
  std::string reason; ///< Reason, as the end of a sentence about the node.
};

/// Contractions of a quantized model; empty for other models.
struct QuantizedContractions {
  unsigned total = 0;
  std::vector<FloatContraction> inFloats;
};

struct CompileReport {
  std::string model, output, target, cpu, device;
  codegen::MachineModel machine; ///< Machine model of the first CPU.
  AppliedPreset preset;
  GpuPrecision gpuPrecision = GpuPrecision::F32; ///< Storage type of values and weights for GPU code.
  bool precisionTakenBack = false; ///< True if another precision was requested, but no launch of the GPU supports it.
  FloatStorage cpuPrecision = FloatStorage::F32; ///< Storage type of values on the CPU.
  bool cpuMultiplies = false; ///< True if a CPU of the library multiplies and adds values of this type.
  /// Storage type that was requested for the CPU, if a GPU that stores another has a part of all entries.
  FloatStorage takenBackOnCpu = FloatStorage::F32;
  std::vector<FloatContraction> wideProducts;  ///< Products that stay f32 although values are stored as f16.
  FloatStorage weightType = FloatStorage::F32; ///< Storage type of weights in memory-bound launches.
  std::vector<NarrowWeight> narrowWeights;
  unsigned operators = 0; ///< Number of operators after the graph phase.
  unsigned kernels = 0;   ///< Number of different kernels.
  std::vector<LaunchReport> launches;
  std::vector<EntryReport> entries;
  std::vector<NodeReport> nodes;        ///< Nodes in the order in which they are imported.
  unsigned vectorBytes = 0;             ///< Size in bytes of a vector register of the first CPU.
  bool usesGpu = false;                 ///< True if the options request the GPU for some or all launches.
  std::vector<std::string> looseScales; ///< Nodes that still multiply channels by constants after the graph phase.
  QuantizedContractions contractions;   ///< Contractions of a quantized model.
  std::vector<Advice> advice;
  /// Times of the entry that trains; `nullopt` without such an entry or without a device.
  std::optional<StepTimes> stepTimes;
  std::vector<WeightCost> weightCosts;   ///< Costs of the trained weights; empty without a device.
  std::optional<PredictedRun> predicted; ///< Milliseconds of the first entry; `nullopt` without a device.
  std::optional<DeviceRoofs> roofs;      ///< Peaks of the device's engines; `nullopt` without a device.
  uint64_t weightBytes = 0;              ///< Size in bytes of the packed weights, in all encodings.
  uint64_t arenaBytes = 0;               ///< Size in bytes of the arena of the largest entry.
  uint64_t stateBytes = 0;               ///< Size in bytes of all states.
  int64_t microBatch = 0;                ///< Examples that a training step computes together; 0 for the whole batch.
  uint64_t codeBytes = 0;
  uint64_t gpuCodeBytes = 0;   ///< Size in bytes of the uncompressed SPIR-V of all variants.
  uint64_t gpuPackedBytes = 0; ///< Size in bytes of the compressed SPIR-V in the file.
  uint64_t tableBytes = 0;     ///< Size in bytes of the tables that the runtime walks.
  uint64_t runtimeBytes = 0;   ///< Size in bytes of the runtime's code.
  uint64_t fileBytes = 0;
  std::string weightsFile; ///< File with all weights; empty if they are in the library.
  std::vector<std::pair<Phase, double>> phaseMilliseconds;
  std::string buildId; ///< Build id of the library, in hexadecimal; empty for an object file.

  /// Adds time to a phase. A phase may run several times.
  void addTime(Phase phase, double milliseconds);
  double totalMilliseconds() const;
  llvm::json::Value toJson() const;
  /// Returns the summary that the driver prints for people, in a few lines.
  std::string summary() const;

private:
  llvm::json::Array launchRows() const;
  llvm::json::Array entryRows() const;
  /// Describes the times and the arena of a training step in words.
  std::string describeStep() const;
  /// Describes how many products the CPU may add up in fp16.
  std::string describeHalves() const;
  /// Describes the noise that fp16 is predicted to cause. Returns an empty text without a prediction.
  std::string describeNoise() const;
  /// Describes the effects of storing weights in a type other than f32 in words.
  std::string narrowing() const;
};

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_COMPILEREPORT_H
