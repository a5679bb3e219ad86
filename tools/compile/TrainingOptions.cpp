// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingOptions.h.

#include "tools/compile/TrainingOptions.h"

using namespace llvm;

namespace nacre::tools {

static Error bad(const Twine &message) { return createStringError(message); }

Error readTraining(Declarations &options, CompilerOptions &compiler) {
  const std::reference_wrapper<cl::Option> all[] = {
      options.losses,     options.optimizer, options.trainable,  options.frozen,  options.clip,
      options.trainBatch, options.batchNorm, options.accumulate, options.entries, options.microBatch,
      options.memoryCap,  options.batchAxes, options.dropouts};
  for (const cl::Option &option : all)
    if (!options.train && !options.listWeights && &option != &options.memoryCap && option.getNumOccurrences() > 0)
      return bad("--" + option.ArgStr + " requires --train");
  if (!options.train && !options.trainOp.empty())
    return bad("--train-op requires --train");
  std::optional<int64_t> memoryCap;
  if (options.memoryCap.getNumOccurrences() > 0) {
    if (options.memoryCap < 1 || options.memoryCap > (int64_t(1) << 40))
      return bad("--memory-cap must be between 1 and 2^40 MiB, but is " + Twine(options.memoryCap));
    memoryCap = options.memoryCap << 20;
  }
  if (!options.train && !options.listWeights) {
    compiler.memoryCap = memoryCap;
    return Error::success();
  }
  for (const cl::Option &option : all)
    if (options.losses.empty() && !options.listWeights && option.getNumOccurrences() > 0)
      return bad("--" + option.ArgStr + " requires --loss: without one, a model is trained as it says itself");
  if (!options.trainOp.empty() && !options.losses.empty())
    return bad("--train-op cannot be combined with --loss: the node computes the gradients of its own loss");
  train::TrainingOptions &training = compiler.training.emplace();
  training.trainOp = options.trainOp;
  training.losses = options.losses;
  training.optimizer = options.optimizer;
  if (!options.trainable.empty())
    training.trainable = options.trainable;
  training.frozen = options.frozen;
  training.clip = options.clip;
  training.accumulate = options.accumulate;
  training.batch = options.trainBatch;
  if (options.trainBatch.getNumOccurrences() > 0 && options.trainBatch < 1)
    return bad("--train-batch must be at least 1, but is " + Twine(options.trainBatch));
  if (options.microBatch != "auto" &&
      (StringRef(options.microBatch).getAsInteger(10, training.microBatch) || training.microBatch < 1))
    return bad("--micro-batch must be auto or at least 1, but is '" + options.microBatch + "'");
  training.memoryCap = memoryCap;
  training.freezesStatistics = options.batchNorm == "frozen";
  if (options.batchNorm != "train" && options.batchNorm != "frozen")
    return bad("--batch-norm must be train or frozen, but is '" + options.batchNorm + "'");
  training.batchAxes = options.batchAxes;
  training.dropouts = options.dropouts;
  if (!options.entries.empty())
    training.entries = options.entries;
  if (options.modelInputs.signatureCount() > 1)
    return bad("--train requires exactly one --signature");
  if (compiler.shapedEntries.size() > 1)
    return bad("--train requires one shape of each input, but --shape gives several");
  return checkTraining(training);
}

} // namespace nacre::tools
