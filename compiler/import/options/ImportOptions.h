// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that the user sets for a model that is imported.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H

#include "compiler/import/options/Pixels.h"
#include "compiler/import/options/ShapedEntry.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nacre::importer {

/// Training options of a model's entry.
struct TrainedEntry {
  /// True if nodes behave as in training: they normalize by the batch and drop elements.
  bool isTraining = false;
  /// Returns whether a normalization uses the statistics of the batch. The argument is the name of the weight that is
  /// its scale.
  std::function<bool(llvm::StringRef)> normalizesByBatch;
  /// Names of tensors that become results in addition to the outputs. They are marked `nn.watched` if they are not
  /// outputs.
  std::vector<std::string> watched;
  /// Seed of dropout.
  uint64_t seed = 0;
  /// Size of axis 0 of all inputs, or of their axis in `batchAxes`. 0 keeps the size that the model or `shapes` state.
  int64_t batch = 0;
  /// Batch axis of inputs by name; `nullopt` if an input has no batch.
  std::map<std::string, std::optional<int64_t>> batchAxes;
  /// Dropout ratio of tensors by name, for training.
  std::map<std::string, double> dropouts;
};

/// Training that the model itself describes.
struct OwnTraining {
  std::string op;   ///< node that runs a step (`--train-op`); if empty, the graph must have exactly one
  std::string loss; ///< tensor of the loss; if empty, exactly one tensor must qualify
};

struct ImportOptions {
  /// Shapes of inputs (`--shape`).
  InputShapes shapes;
  /// Values of inputs by name (`--set`): numbers separated by commas, or the path of a .npy or .pb file. Such an input
  /// is no longer an input of the function.
  std::map<std::string, std::string> values;
  /// Largest values of sizes that only a run decides, by the name of the tensor that holds them (`--bound`).
  std::map<std::string, int64_t> bounds;
  /// Names of tensors that become inputs or outputs (`--input`, `--output`). If empty, the inputs and outputs of the
  /// model are used.
  std::vector<std::string> inputs, outputs;
  /// Inputs that take pixels (`--preprocess`).
  std::vector<PixelInput> pixelInputs;
  /// Functions to import from a model with several functions, and the graph that contains them (`--signature`,
  /// `--tag`). Each becomes a separate entry. If empty, the default ones are used.
  std::vector<std::string> signatures;
  std::string tag;
  /// Path of the values of a graph's variables (`--checkpoint`), in the form that the format expects. If empty, they
  /// are next to the model.
  std::string checkpoint;
  /// Pairs `input:output` (`--state`). The input is kept between runs, and set to the output at the end of each run.
  std::vector<std::string> states;
  /// Limit of the size of a constant that the import computes, and of all folded constants together, in bytes. Splats
  /// do not count.
  int64_t maxConstantBytes = int64_t(1024) << 20;
  /// Limit of the number of operators after functions are inlined and loops unrolled. It is much larger than any
  /// network needs, and prevents small files from exhausting memory.
  int64_t maxOperators = 2000000;
  /// Seed of random nodes that have no seed (`--seed`).
  uint32_t seed = 0;
  /// Name of the function.
  std::string entry = "main";
  /// End of the names of all functions, if the model is imported for several shapes, such as `@16`.
  std::string entrySuffix;
  /// File of the weights, for formats with separate weights (`--weights`). If empty, it is the file next to the model.
  std::string weights;
  /// Options of training, if the model is trained. Weights (f32, not scalar) then become variables with the role
  /// `weight`. Weights that a node must know at compile time remain constants.
  std::optional<TrainedEntry> training;
  /// Training that the model itself contains (ONNX's training_info, or a TensorFlow graph with an optimizer). If set,
  /// the model gets the entry `train` in addition to `main`.
  std::optional<OwnTraining> trainsItself;
  /// Seed of random values that replace missing weights (`--random-weights`).
  std::optional<uint32_t> randomWeights;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H
