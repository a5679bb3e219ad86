// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user says about a model that is imported.

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

/// An entry of a trained model.
struct TrainedEntry {
  /// Whether nodes behave as in training: normalize by the batch, drop elements.
  bool isTraining = false;
  /// Returns whether the normalization whose scale is the weight of that name uses batch statistics.
  std::function<bool(llvm::StringRef)> normalizesByBatch;
  /// Tensors that become results in addition to the outputs, marked `nn.watched` if they are not outputs.
  std::vector<std::string> watched;
  /// Of Dropout.
  uint64_t seed = 0;
  /// The size of axis 0 of all inputs, or of their axis in `batchAxes`; 0: as in the model or `shapes`.
  int64_t batch = 0;
  /// The batch axis of inputs by name; none: no batch.
  std::map<std::string, std::optional<int64_t>> batchAxes;
  /// The dropout ratio of tensors by name, in training.
  std::map<std::string, double> dropouts;
};

/// The training that a model describes itself.
struct OwnTraining {
  std::string op;   ///< node that runs a step (`--train-op`); if empty, the graph must have exactly one
  std::string loss; ///< tensor of the loss; if empty, exactly one tensor must qualify
};

struct ImportOptions {
  /// Shapes of inputs by name (`--shape`). They replace symbolic dimensions and the batch, and must agree with the others.
  std::map<std::string, llvm::SmallVector<int64_t>> shapes;
  /// Values of inputs by name (`--set`): numbers separated by commas, or the path of a .npy or .pb file. Such an input
  /// is no longer an input of the function.
  std::map<std::string, std::string> values;
  /// Tensors that become inputs, and tensors that become outputs (`--input`, `--output`);
  /// empty: those of the model.
  std::vector<std::string> inputs, outputs;
  /// Inputs that take pixels (`--preprocess`).
  std::vector<PixelInput> pixelInputs;
  /// The functions to import from a model with several, each a separate entry, and the graph that has them (`--signature`,
  /// `--tag`); empty: the default one.
  std::vector<std::string> signatures;
  std::string tag;
  /// The path of the values of a graph's variables (`--checkpoint`), in the format's form; empty: next to the model.
  std::string checkpoint;
  /// `input:output` for each input that is kept between runs and set to that output at the end of a run (`--state`).
  std::vector<std::string> states;
  /// The size limit of a constant that the import computes, and of all folded constants together, in bytes. Splats do not
  /// count.
  int64_t maxConstantBytes = int64_t(1024) << 20;
  /// The limit of operators, including those after functions are inlined and loops unrolled. It is much larger than any
  /// network, and prevents a small file from exhausting memory.
  int64_t maxOperators = 2000000;
  /// The seed of random nodes without one (`--seed`).
  uint32_t seed = 0;
  /// The name of the function.
  std::string entry = "main";
  /// For formats with separate weights, the file of the weights (`--weights`); empty: the one next to the model.
  std::string weights;
  /// For a trained model: weights (f32 and not scalar) become variables of the role `weight`, not constants, except those
  /// that a node must know at compile time.
  std::optional<TrainedEntry> training;
  /// Set if a model with its own training (ONNX's training_info, a TensorFlow graph with an optimizer) gets the entry `train`
  /// in addition to `main`.
  std::optional<OwnTraining> trainsItself;
  /// The seed of random values for missing weights (`--random-weights`).
  std::optional<uint32_t> randomWeights;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_IMPORTOPTIONS_H
