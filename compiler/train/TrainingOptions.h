// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a user says about training, and what the words mean.
// Why:   tools and passes read the same words; a mistake is found before a model is read.
// How:   texts as on the command line, which functions here parse. Errors begin with the option.

#ifndef NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H
#define NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::train {

/// The names of entries.
inline constexpr llvm::StringLiteral mainEntry = "main", trainEntry = "train", evaluateEntry = "evaluate",
                                     gradientsEntry = "gradients", accumulateEntry = "accumulate";
/// A function that says what the whole batch's inputs and outputs are, where the other ones are of a part of it.
inline constexpr llvm::StringLiteral wholeEntry = "evaluate whole";

/// What clipping is called in profiles and reports.
inline constexpr llvm::StringLiteral clipName = "clip update";

struct TrainingOptions {
  std::vector<std::string> losses;                               ///< `--loss`, added up; none: as the model says itself
  std::string trainOp;                                           ///< `--train-op`: of a model that trains itself
  std::string optimizer = "sgd";                                 ///< `--optimizer`
  std::vector<std::string> trainable{"*"};                       ///< `--trainable`: patterns
  std::vector<std::string> frozen;                               ///< `--frozen`: patterns, which win
  std::string clip;                                              ///< `--clip`; empty: none
  bool accumulate = false;                                       ///< `--accumulate`
  int64_t batch = 0;                                             ///< `--train-batch`; 0: the model's
  int64_t microBatch = 0;                                        ///< `--micro-batch`; 0: the whole batch at once
  std::optional<int64_t> memoryCap;                              ///< `--memory-cap`, in bytes
  bool scalesLoss = false;                                       ///< Whether gradients may be computed in f16
  bool freezesStatistics = false;                                ///< `--batch-norm=frozen`
  std::vector<std::string> batchAxes;                            ///< `--batch-axis`
  std::vector<std::string> dropouts;                             ///< `--dropout`
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
  std::optional<int64_t> ignore; ///< a class that is not counted
  std::optional<int64_t> axis;   ///< of the classes
  double delta = 1;              ///< of Huber's
  double factor = 1;
};

/// `<kind>[:<constant>[=<value>],...]`; which constants there are depends on the kind.
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

/// `<input>:<axis>`, or `<input>:none` of an input that has no batch.
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

/// The axis of an input along which its batch is: 0, but for what `--batch-axis` says; none if it has no batch.
std::optional<int64_t> batchAxisOf(const TrainingOptions &options, llvm::StringRef input);
/// Whether a weight of that name is trained.
bool isTrained(const TrainingOptions &options, llvm::StringRef name);
/// Whether one of the patterns matches.
bool matchesAny(llvm::ArrayRef<std::string> patterns, llvm::StringRef name);

/// Whether a batch may be taken in parts: the mistake if not.
llvm::Error checkParts(const TrainingOptions &options);
/// The first mistake in any of them.
llvm::Error checkTraining(const TrainingOptions &options);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_TRAININGOPTIONS_H
