// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import phase: converts the file of a trained network to functions of `nn` operators with static shapes.
//
// Shapes are computed while the model is read: Shape, Gather and Concat nodes of exporters become constants,
// and an operand that decides a shape must be one. Weights stay in the mapped file.

#ifndef NACRE_COMPILER_IMPORT_IMPORT_H
#define NACRE_COMPILER_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nacre::importer {

/// The maximum number of dimensions of a tensor.
constexpr int64_t maxRank = 32;

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

struct ImportOptions {
  /// Shapes of inputs by name (`--shape`). They replace symbolic dimensions and must agree with the others.
  std::map<std::string, llvm::SmallVector<int64_t>> shapes;
  /// Values of inputs by name (`--set`): numbers separated by commas, or the path of a .npy or .pb file. Such an input
  /// is no longer an input of the function.
  std::map<std::string, std::string> values;
  /// Tensors that become inputs, and tensors that become outputs (`--input`, `--output`);
  /// empty: those of the model.
  std::vector<std::string> inputs, outputs;
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
  /// Whether a model with its own training (ONNX's training_info) gets the entry `train` in addition to `main`.
  bool trainsItself = false;
  /// The seed of random values for missing weights (`--random-weights`).
  std::optional<uint32_t> randomWeights;
};

/// A problem of a model: an unsupported node, or an invalid input or output.
struct Problem {
  enum class Kind { Node, Value };
  Kind kind;
  std::string name; ///< of the node or the value; empty: the model itself
  std::string what; ///< the node's operator and its version; "input" or "output"
  std::string reason;
};

class ModelView;
struct KeptTensors;

/// A model's file, mapped and parsed once, of which functions are made for several purposes.
class Model {
public:
  ~Model();

  /// Reads the model at `path`, whose format is told by its content. `options` say which of its graphs are wanted and where its
  /// weights are. Returns null after emitting diagnostics.
  static std::unique_ptr<Model> read(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context);

  /// Imports what `options` ask for, as importModel does.
  mlir::OwningOpRef<mlir::ModuleOp> import(const ImportOptions &options, const KeptTensors &kept);

private:
  Model(std::unique_ptr<ModelView> view, mlir::MLIRContext *context);

  std::unique_ptr<ModelView> view;
  mlir::MLIRContext *context;
};

/// Imports the model at `path`; its content decides the format. Arguments and results of the function carry their
/// names as `nn.name`; every op's location is its node's name. Returns null after emitting diagnostics, which name the
/// model's nodes.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// The same for a model in memory; `bytes` must live as long as the context. It cannot have external data.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::MemoryBufferRef bytes, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Lists in `problems` everything that would make importModel refuse the model at `path`, in the model's order. For nodes
/// after a problem, it only checks whether the operator is supported. Fails, after emitting diagnostics, if the model
/// cannot be read.
mlir::LogicalResult checkModel(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context,
                               std::vector<Problem> &problems);

/// Prints a Markdown page with the operators of every format, their versions, operands and limits.
void printOperators(llvm::raw_ostream &os);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_IMPORT_H
