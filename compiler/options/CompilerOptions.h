// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a user can choose about a compilation, as one struct that is passed by value. tools/compile parses
// it.

#ifndef NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H
#define NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H

#include "compiler/import/options/Pixels.h"
#include "compiler/import/options/ShapedEntry.h"
#include "compiler/train/TrainingOptions.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/FloatStorage.h"
#include "dialects/plan/GpuPrecision.h"
#include "dialects/plan/Placement.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nacre {

/// Phases, in order. See Phases.def.
enum class Phase {
#define PHASE(enumerator, word, what) enumerator,
#include "compiler/options/Phases.def"
};

/// Returns the word of a phase, as in `--compile-to=`.
llvm::StringRef phaseWord(Phase phase);

/// Returns a sentence fragment that says what the phase writes.
llvm::StringRef phaseDescription(Phase phase);

/// Returns the phase of a word; `nullopt` for an unknown word.
std::optional<Phase> parsePhase(llvm::StringRef word);

/// Kind of the output file.
enum class Output { SharedLibrary, Object, Assembly, LlvmIr };

/// Options that `--for` stands for.
struct AppliedPreset {
  std::string word; ///< Word of the preset; empty without `--for`.
  /// Options in the form of the command line, without those that the user gave explicitly.
  std::vector<std::string> options;
};

/// Settings of one entry.
struct EntryRequest {
  bool isOnCpu = false; ///< True if the CPU computes the entry, whatever `--place` says of the others.
  double weight = 1;    ///< Factor of the entry's predicted time in comparisons of plans.
};

struct CompilerOptions {
  std::string modelPath;
  std::string outputPath; ///< Path of the output; `-` or empty to print text to standard output.
  std::string modelName;  ///< Name in the exported symbol; empty for the stem of outputPath without `lib`.
  AppliedPreset preset;   ///< Preset, for the report only: its options are already among these.
  std::string target = "host";
  std::string cpus; ///< Comma-separated; empty for the target's default.
  /// `--shape`: one entry without `sizes`, or an entry for each of several shapes. The first one is the default.
  std::vector<importer::ShapedEntry> shapedEntries = {{}};
  std::map<std::string, std::string> inputValues; ///< `--set`: a value, or the path of a .npy or .pb file
  std::map<std::string, int64_t> bounds;          ///< `--bound`: largest values of sizes, by tensor
  std::vector<importer::PixelInput> pixelInputs;  ///< `--preprocess`
  std::vector<std::string> inputs, outputs;       ///< `--input`, `--output`: tensors to cut the model at
  std::vector<std::string> signatures;            ///< `--signature`: each is an entry
  std::string tag;                                ///< `--tag` of the graph that has the signatures
  std::string checkpoint;                         ///< `--checkpoint`: values of variables
  std::vector<std::string> states;                ///< `--state`: `input:output`, kept from run to run
  bool keepsAll = false;                          ///< `--keep=all`: makes the results of all nodes outputs
  std::vector<std::string> kept;                  ///< `--keep=name,...`
  int64_t maxConstantBytes = int64_t(1024) << 20; ///< Largest constant that folding makes.
  uint64_t seed = 0;                  ///< `--seed` for nodes that draw random numbers without a seed of their own
  unsigned jobs = 0;                  ///< Threads of the compiler; 0 for all cores.
  std::string kernelCache;            ///< `--kernel-cache`: folder of compiled kernels; empty for none
  bool requiresKernelCache = false;   ///< True if a folder that cannot be used is an error.
  std::optional<Phase> compileTo;     ///< Phase after which to stop and print its IR.
  Accuracy accuracy = Accuracy::Fast; ///< Accuracy that the compiler may trade for speed.
  Output output = Output::SharedLibrary;
  bool weightsApart = false; ///< `--weights-in=file`
  bool advises = true;       ///< `--advice`: suggest changes that would make the model faster.
  Placement placement;
  std::map<std::string, EntryRequest> entries; ///< Settings of entries that differ from those of the model, by name.
  std::string device; ///< Name or file of the profile for predictions; empty to predict nothing.
  GpuPrecision gpuPrecision = GpuPrecision::F32; ///< Storage type of values and weights, if the GPU has a part.
  /// Storage type of values in entries that only the CPU computes. The CPU may add up products of f16 values in fp16,
  /// but those of bf16 values in fp32.
  FloatStorage cpuPrecision = FloatStorage::F32;
  FloatStorage weightType = FloatStorage::F32; ///< Storage type of weights in memory-bound launches.
  std::string weights; ///< `--weights`: file of a model's external weights; empty for the model's own folder
  std::optional<train::TrainingOptions> training; ///< `--train` and its options
  /// `--memory-cap` without training: limit of the bytes of weights and a session; `nullopt` for the model's own limit
  std::optional<int64_t> memoryCap;
  std::optional<uint32_t> randomWeights; ///< `--random-weights`: seed for weights without values
};

/// Returns how many threads compile.
unsigned jobsOf(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H
