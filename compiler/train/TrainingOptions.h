// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and checks the options for training.
// Why: tools and passes read the same option texts, and a mistake is reported before a model is read.
// How: the options are texts as on the command line. Error messages begin with the option.

#ifndef NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H
#define NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::train {

/// Names of entries.
inline constexpr llvm::StringLiteral mainEntry = "main", trainEntry = "train", evaluateEntry = "evaluate",
                                     gradientsEntry = "gradients", accumulateEntry = "accumulate";
/// Name of a function with the inputs and outputs of the whole batch. The inputs and outputs of the others have only a
/// part of the batch.
inline constexpr llvm::StringLiteral wholeEntry = "evaluate whole";

/// Name of the operators of gradient clipping in profiles and reports.
inline constexpr llvm::StringLiteral clipName = "clip update";

struct TrainingOptions {
  std::vector<std::string> losses;         ///< `--loss`: losses to add up; if empty, the model has its own loss
  std::string trainOp;                     ///< `--train-op` for a model that trains itself
  std::string optimizer = "sgd";           ///< `--optimizer`
  std::vector<std::string> trainable{"*"}; ///< `--trainable`: patterns of names
  std::vector<std::string> frozen;         ///< `--frozen`: patterns of names, which override `trainable`
  std::string clip;                        ///< `--clip`; empty for no clipping
  bool accumulate = false;                 ///< `--accumulate`
  int64_t batch = 0;                       ///< `--train-batch`; 0 for the model's batch
  int64_t microBatch = 0;                  ///< `--micro-batch`; 0 to compute the whole batch together
  std::optional<int64_t> memoryCap;        ///< `--memory-cap`, in bytes
  bool scalesLoss = false;                 ///< True if gradients may be computed in f16
  bool freezesStatistics = false;          ///< `--batch-norm=frozen`
  std::vector<std::string> batchAxes;      ///< `--batch-axis`
  std::vector<std::string> dropouts;       ///< `--dropout`
  std::vector<std::string> entries{"main", "train", "evaluate"}; ///< `--entries`
};

/// `<kind>:<tensor>[,label=<name>][,label-type=<type>][,ignore=<N>][,axis=<A>][,delta=<D>][*<factor>]`
struct Loss {
  enum class Kind { SoftmaxCrossEntropy, BinaryCrossEntropy, MeanSquaredError, MeanAbsoluteError, Huber, Model };
  enum class LabelType { I64, I32, F32 };
  Kind kind = Kind::Model;
  std::string tensor;
  std::string label = "label";
  LabelType labelType = LabelType::F32;
  std::optional<int64_t> ignore; ///< Class whose examples are ignored.
  std::optional<int64_t> axis;   ///< Axis of the classes.
  double delta = 1;              ///< Threshold of Huber's loss.
  double factor = 1;
};

/// `<kind>[:<constant>[=<value>],...]`. The kind decides which constants exist.
struct Optimizer {
  enum class Kind { None, Sgd, Adam, AdamW, RmsProp, Adagrad };
  Kind kind = Kind::Sgd;
  double momentum = 0, weightDecay = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0.99;
  bool nesterov = false;
};

/// `norm:<X>` or `value:<X>`
struct Clip {
  enum class Kind { None, Norm, Value };
  Kind kind = Kind::None;
  double limit = 0;
};

/// `<input>:<axis>`, or `<input>:none` for an input without a batch.
struct BatchAxis {
  std::string input;
  std::optional<int64_t> axis;
};

/// `<tensor>:<ratio>`
struct Dropout {
  std::string tensor;
  double ratio = 0;
};

llvm::Expected<Loss> parseLoss(llvm::StringRef text);
llvm::Expected<Optimizer> parseOptimizer(llvm::StringRef text);
llvm::Expected<Clip> parseClip(llvm::StringRef text);
llvm::Expected<BatchAxis> parseBatchAxis(llvm::StringRef text);
llvm::Expected<Dropout> parseDropout(llvm::StringRef text);

/// Returns the batch axis of an input: 0, or the axis from `--batch-axis`. Returns `nullopt` if the input has no batch.
std::optional<int64_t> batchAxisOf(const TrainingOptions &options, llvm::StringRef input);
/// True if a weight with the name `name` is trained.
bool isTrained(const TrainingOptions &options, llvm::StringRef name);
/// True if one of the patterns matches `name`.
bool matchesAny(llvm::ArrayRef<std::string> patterns, llvm::StringRef name);

/// Returns an error if a batch cannot be divided into parts with these options.
llvm::Error checkParts(const TrainingOptions &options);
/// Returns the first mistake in any of the options as an error.
llvm::Error checkTraining(const TrainingOptions &options);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H
