// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that the user sets for a model that is imported.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H

#include "compiler/import/options/Pixels.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nacre::importer {

/// Entry of a trained model.
struct TrainedEntry {
  /// Nodes behave as in training: they normalize by the batch and drop elements.
  bool isTraining = false;
  /// Returns whether the normalization whose scale is the weight of that name uses batch statistics.
  std::function<bool(llvm::StringRef)> normalizesByBatch;
  /// Tensors that become results in addition to the outputs, marked `nn.watched` if they are not outputs.
  std::vector<std::string> watched;
  /// Seed of dropout.
  uint64_t seed = 0;
  /// Size of axis 0 of all inputs, or of their axis in `batchAxes`; 0: as in the model or `shapes`.
  int64_t batch = 0;
  /// Batch axis of inputs by name; `nullopt` if the input has no batch.
  std::map<std::string, std::optional<int64_t>> batchAxes;
  /// Dropout ratio of tensors by name, in training.
  std::map<std::string, double> dropouts;
};

/// Training that a model describes itself.
struct OwnTraining {
  std::string op;   ///< node that runs a step (`--train-op`); if empty, the graph must have exactly one
  std::string loss; ///< tensor of the loss; if empty, exactly one tensor must qualify
};

struct ImportOptions {
  /// Shapes of inputs by name (`--shape`). They replace symbolic dimensions and the batch, and must match all other
  /// sizes.
  std::map<std::string, llvm::SmallVector<int64_t>> shapes;
  /// Values of inputs by name (`--set`): numbers separated by commas, or the path of a .npy or .pb file. Such an input
  /// is no longer an input of the function.
  std::map<std::string, std::string> values;
  /// Tensors that become inputs, and tensors that become outputs (`--input`, `--output`). If empty, the model's own are
  /// used.
  std::vector<std::string> inputs, outputs;
  /// Inputs that take pixels (`--preprocess`).
  std::vector<PixelInput> pixelInputs;
  /// Functions to import from a model with several, each as a separate entry, and the graph that contains them
  /// (`--signature`, `--tag`). If empty, the default ones are used.
  std::vector<std::string> signatures;
  std::string tag;
  /// Path of the values of a graph's variables (`--checkpoint`), in the format's form; empty: next to the model.
  std::string checkpoint;
  /// `input:output` for each input that is kept between runs and set to that output at the end of a run (`--state`).
  std::vector<std::string> states;
  /// Size limit, in bytes, of a constant that the import computes, and of all folded constants together. Splats do not
  /// count.
  int64_t maxConstantBytes = int64_t(1024) << 20;
  /// Limit of the number of operators, after functions are inlined and loops unrolled. It is much larger than any
  /// network, and prevents a small file from exhausting memory.
  int64_t maxOperators = 2000000;
  /// Seed of random nodes without one (`--seed`).
  uint32_t seed = 0;
  /// Name of the function.
  std::string entry = "main";
  /// File of the weights, for formats with separate weights (`--weights`); empty: the one next to the model.
  std::string weights;
  /// Training of the model, if it is trained. Weights (f32, not scalar) then become variables of the role `weight`.
  /// Only those that a node must know at compile time stay constants.
  std::optional<TrainedEntry> training;
  /// Training that the model has itself (ONNX's training_info, a TensorFlow graph with an optimizer). If set, the model
  /// gets the entry `train` in addition to `main`.
  std::optional<OwnTraining> trainsItself;
  /// Seed of random values for missing weights (`--random-weights`).
  std::optional<uint32_t> randomWeights;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H
