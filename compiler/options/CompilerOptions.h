// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a user may say about a compilation, as one struct passed by value; tools/compile parses it.

#ifndef NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H
#define NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H

#include "compiler/import/options/Pixels.h"
#include "compiler/train/TrainingOptions.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/GpuPrecision.h"
#include "dialects/plan/Placement.h"
#include "dialects/plan/WeightType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nacre {

/// The phases, in order. See Phases.def.
enum class Phase {
#define PHASE(enumerator, word, what) enumerator,
#include "compiler/options/Phases.def"
};

/// The word of a phase, as in `--compile-to=`.
llvm::StringRef phaseWord(Phase phase);

/// One sentence fragment: what the phase writes.
llvm::StringRef phaseDescription(Phase phase);

/// The phase of a word; nothing for a word that is none.
std::optional<Phase> parsePhase(llvm::StringRef word);

/// What is written at the end.
enum class Output { SharedLibrary, Object, Assembly, LlvmIr };

/// What `--for` stood for.
struct AppliedPreset {
  std::string word;                 ///< Empty without one.
  std::vector<std::string> options; ///< As they would be typed; without those that were given otherwise.
};

struct CompilerOptions {
  std::string modelPath;
  std::string outputPath; ///< `-` or empty: standard output, for text.
  std::string modelName;  ///< Of the exported symbol; empty: the stem of outputPath without `lib`.
  AppliedPreset preset;   ///< Only told in the report: the options are among these.
  std::string target = "host";
  std::string cpus;                                              ///< Comma-separated; empty: the target's default.
  std::map<std::string, llvm::SmallVector<int64_t>> inputShapes; ///< `--shape`
  std::map<std::string, std::string> inputValues; ///< `--set`: a value, or the path of a .npy or .pb file
  std::vector<importer::PixelInput> pixelInputs;  ///< `--preprocess`
  std::vector<std::string> inputs, outputs;       ///< `--input`, `--output`: tensors to cut the model at
  std::vector<std::string> signatures;            ///< `--signature`: each is an entry
  std::string tag;                                ///< `--tag`, of the graph that has them
  std::string checkpoint;                         ///< `--checkpoint`: the values of variables
  std::vector<std::string> states;                ///< `--state`: `input:output`, kept from run to run
  bool keepsAll = false;                          ///< `--keep=all`: what nodes compute becomes outputs
  std::vector<std::string> kept;                  ///< `--keep=name,...`
  int64_t maxConstantBytes = int64_t(1024) << 20; ///< Folding never makes a larger constant.
  uint64_t seed = 0;                              ///< `--seed`, of nodes that draw random numbers and have none
  unsigned jobs = 0;                              ///< Threads of the compiler; 0: all cores.
  std::optional<Phase> compileTo;                 ///< Stop after this phase and print its IR.
  Accuracy accuracy = Accuracy::Fast;             ///< What may be given for speed.
  Output output = Output::SharedLibrary;
  bool weightsApart = false; ///< `--weights-in=file`
  bool advises = true;       ///< `--advice`: say what would make the model faster.
  Placement placement;
  std::string device; ///< Whose times are predicted: a profile's name or file; empty: nobody's.
  GpuPrecision gpuPrecision = GpuPrecision::F32; ///< What values and weights are stored as, unless all is the CPU's.
  WeightType weightType = WeightType::F32;       ///< What weights are stored as that a launch waits for.
  std::string weights; ///< `--weights`: their file, of a model that keeps them apart; empty: the one beside it.
  std::optional<train::TrainingOptions> training; ///< `--train`, and what goes with it
  /// `--memory-cap` of a model that is not trained: the bytes of its weights and a session; none: as the model states.
  std::optional<int64_t> memoryCap;
  std::optional<uint32_t> randomWeights; ///< `--random-weights`: a seed for those that are nowhere.
};

/// Returns how many threads compile.
unsigned jobsOf(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_OPTIONS_COMPILEROPTIONS_H
