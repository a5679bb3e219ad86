// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import phase: a trained network's file to one function of `nn` operators with static shapes.
//
// Shapes are computed while the model is read: what exporters spell as Shape, Gather and Concat is a constant here, and
// an operand that decides a shape must be one. Weights stay in the mapped file.

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

/// The most dimensions a tensor may have.
constexpr int64_t maxRank = 32;

/// One entry of a model that is trained.
struct TrainedEntry {
  /// Whether nodes do what they do in training: normalize by the batch, drop elements.
  bool isTraining = false;
  /// Whether a normalization is by the batch whose scale is the weight of that name.
  std::function<bool(llvm::StringRef)> normalizesByBatch;
  /// Tensors that become results beside the outputs, marked `nn.watched` where they are none of these.
  std::vector<std::string> watched;
  /// Of Dropout.
  uint64_t seed = 0;
  /// The size of axis 0 of all inputs, or of the axis that `batchAxes` says; 0: as the model, or `shapes`, say.
  int64_t batch = 0;
  /// Of inputs by name, along which axis their batch is; none: they have no batch.
  std::map<std::string, std::optional<int64_t>> batchAxes;
  /// Of tensors by name, the share of their elements that is dropped in training.
  std::map<std::string, double> dropouts;
};

struct ImportOptions {
  /// Shapes of inputs by name (`--shape`). They replace symbolic dimensions, and must agree with the others.
  std::map<std::string, llvm::SmallVector<int64_t>> shapes;
  /// Values of inputs by name (`--set`): numbers separated by commas, or the path of a .npy or .pb file. Such an input
  /// is no longer an input of the function.
  std::map<std::string, std::string> values;
  /// Tensors that come from outside in place of what computes them, and those that are computed (`--input`, `--output`);
  /// empty: as the model says.
  std::vector<std::string> inputs, outputs;
  /// Of a model that offers several functions, those that are wanted, each an entry of its own, and the graph that has them
  /// (`--signature`, `--tag`); empty: the one that the model is for.
  std::vector<std::string> signatures;
  std::string tag;
  /// Where the values of a graph's variables are (`--checkpoint`): a path, as the format says; empty: beside the model.
  std::string checkpoint;
  /// `input:output` for each input that is kept from run to run and becomes that output at a run's end (`--state`).
  std::vector<std::string> states;
  /// The largest constant that the import may make, and the most that folding may make in all, in bytes. Splats are not
  /// counted.
  int64_t maxConstantBytes = int64_t(1024) << 20;
  /// To how many operators the model may come, its own and those that they are made of, where functions are expanded and loops
  /// written out: far more than any network has, so that a small file cannot ask for all memory there is.
  int64_t maxOperators = 2000000;
  /// Of nodes that draw random numbers and have no seed (`--seed`).
  uint32_t seed = 0;
  /// The name of the function.
  std::string entry = "main";
  /// Of a format whose models keep their weights apart, the file that has them (`--weights`); empty: the one beside the model.
  std::string weights;
  /// Of a model that is trained: its weights, those of f32 that are no scalars, are variables of the role `weight` and not
  /// constants, but for those that a node must know when the model is compiled.
  std::optional<TrainedEntry> training;
  /// Whether a model that says itself how it is trained (ONNX's training_info) has that as the entry `train`, beside `main`.
  bool trainsItself = false;
  /// A seed to draw those weights from that are nowhere (`--random-weights`).
  std::optional<uint32_t> randomWeights;
};

/// What stops a model: a node that is not supported, or an input or output that is not as it must be.
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

/// Imports the model at `path`, whose format is told by its content. Arguments and results of the function carry their
/// names as `nn.name`; every op's location is its node's name. Returns null after emitting diagnostics, which name the
/// model's nodes.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// The same for a model in memory, which `bytes` must keep as long as the context lives. It cannot have external data.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::MemoryBufferRef bytes, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Lists in `problems` all that would make importModel refuse the model at `path`, in the model's order, as far as it
/// can be known: of what follows from a problem, only whether its operator is supported. Fails, after emitting
/// diagnostics, when the model cannot be read.
mlir::LogicalResult checkModel(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context,
                               std::vector<Problem> &problems);

/// Prints a page in Markdown: the operators of every format with their versions, operands and limits.
void printOperators(llvm::raw_ostream &os);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_IMPORT_H
