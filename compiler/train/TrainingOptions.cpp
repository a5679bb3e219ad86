// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingOptions.h.

#include "compiler/train/TrainingOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>

using namespace llvm;

namespace nacre::train {

static Error bad(const Twine &message) { return createStringError(message); }

/// Limits of positive values. Steps are computed in f32, in which smaller values become 0 and larger ones infinite.
constexpr double least = 1e-37, most = 1e37;
constexpr StringLiteral aboveZero = "from 1e-37 to 1e+37";

static std::optional<double> parseNumber(StringRef text) {
  double number;
  if (text.getAsDouble(number) || !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// Parses a number that is also above 0 in f32. Returns `nullopt` for other texts.
static std::optional<double> parseAboveZero(StringRef text) {
  std::optional<double> number = parseNumber(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// True if `number` is also below 1 in f32.
static bool isBelowOne(double number) { return static_cast<float>(number) < 1; }

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static constexpr std::pair<StringLiteral, Loss::Kind> lossWords[] = {
    {"softmax-cross-entropy", Loss::Kind::SoftmaxCrossEntropy},
    {"binary-cross-entropy", Loss::Kind::BinaryCrossEntropy},
    {"mean-squared-error", Loss::Kind::MeanSquaredError},
    {"mean-absolute-error", Loss::Kind::MeanAbsoluteError},
    {"huber", Loss::Kind::Huber},
    {"model", Loss::Kind::Model}};

static constexpr std::pair<StringLiteral, Loss::LabelType> labelTypeWords[] = {
    {"i64", Loss::LabelType::I64}, {"i32", Loss::LabelType::I32}, {"f32", Loss::LabelType::F32}};

template <typename Table, typename Value> static bool readWord(const Table &words, StringRef word, Value &value) {
  for (const auto &[name, meaning] : words)
    if (name == word) {
      value = meaning;
      return true;
    }
  return false;
}

template <typename Table> static std::string listWords(const Table &words) {
  std::string text;
  for (size_t index = 0; index < std::size(words); ++index)
    text += (index == 0 ? "" : index + 1 == std::size(words) ? " or " : ", ") + words[index].first.str();
  return text;
}

/// Reads one key of a loss. Returns true if `key` is known, or an error about its value.
static Expected<bool> readLossKey(Loss &loss, StringRef key, StringRef value) {
  if (key == "label") {
    if (value.empty())
      return bad("--loss must have a name after 'label='");
    loss.label = value.str();
    return true;
  }
  if (key == "label-type") {
    if (!readWord(labelTypeWords, value, loss.labelType))
      return bad("--loss must have " + listWords(labelTypeWords) + " after 'label-type=', but has '" + value + "'");
    return true;
  }
  if (key == "ignore") {
    int64_t number;
    if (value.getAsInteger(10, number) || loss.kind != Loss::Kind::SoftmaxCrossEntropy)
      return bad("--loss must have a class after 'ignore=', which only softmax-cross-entropy accepts");
    loss.ignore = number;
    return true;
  }
  if (key == "axis") {
    int64_t number;
    if (value.getAsInteger(10, number) || number < 0 || loss.kind != Loss::Kind::SoftmaxCrossEntropy)
      return bad("--loss must have a non-negative axis after 'axis=', which only softmax-cross-entropy accepts");
    loss.axis = number;
    return true;
  }
  if (key == "delta") {
    std::optional<double> number = parseAboveZero(value);
    if (!number || loss.kind != Loss::Kind::Huber)
      return bad("--loss must have a number " + aboveZero + " after 'delta=', which only huber accepts");
    loss.delta = *number;
    return true;
  }
  return false;
}

Expected<Loss> parseLoss(StringRef text) {
  Loss loss;
  auto [kind, rest] = text.split(':');
  if (!readWord(lossWords, kind, loss.kind))
    return bad("--loss must be <kind>:<tensor> with a kind of " + listWords(lossWords) + ", but is '" + text + "'");
  loss.labelType = loss.kind == Loss::Kind::SoftmaxCrossEntropy ? Loss::LabelType::I64 : Loss::LabelType::F32;
  if (auto [front, back] = rest.rsplit('*'); !back.empty())
    if (std::optional<double> factor = parseNumber(back)) {
      if (!parseAboveZero(back.ltrim('-')))
        return bad("--loss must have a factor " + aboveZero + ", or a negative one, after '*', but has '" + back + "'");
      loss.factor = *factor;
      rest = front;
    }
  // The tensor's name may contain commas, so known keys are taken from the end.
  while (true) {
    auto [front, last] = rest.rsplit(',');
    auto [key, value] = last.split('=');
    if (last.empty() || !last.contains('='))
      break;
    Expected<bool> isKey = readLossKey(loss, key, value);
    if (!isKey)
      return isKey.takeError();
    if (!*isKey)
      break;
    rest = front;
  }
  if (loss.kind != Loss::Kind::SoftmaxCrossEntropy && loss.labelType != Loss::LabelType::F32)
    return bad("--loss=" + kind + " requires f32 labels; omit 'label-type='");
  if (rest.empty())
    return bad("--loss must name a tensor, as in --loss=" + kind + ":logits, but is '" + text + "'");
  loss.tensor = rest.str();
  return loss;
}

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

namespace {

/// Allowed values of a constant: a test, and words for error messages.
struct Range {
  StringLiteral words;
  bool (*holds)(double number);
};

/// Values for the share of the old value in a moving average. With 1, the average would never change, and the
/// corrections of the first steps would divide by 0.
constexpr Range share{"from 0 to below 1", [](double number) { return number >= 0 && isBelowOne(number); }};
constexpr Range factor{"from 0 to 1e+37", [](double number) { return number >= 0 && number <= most; }};
/// Values to add to a divisor, because the divisor is 0 if a gradient is 0.
constexpr Range addend{aboveZero, [](double number) { return number >= least && number <= most; }};

struct Constant {
  StringLiteral word;
  double Optimizer::*number;
  Range range;
};

constexpr Constant momentum{"momentum", &Optimizer::momentum, share},
    weightDecay{"weight-decay", &Optimizer::weightDecay, factor}, beta1{"beta1", &Optimizer::beta1, share},
    beta2{"beta2", &Optimizer::beta2, share}, epsilon{"epsilon", &Optimizer::epsilon, addend},
    decay{"decay", &Optimizer::decay, share};

struct OptimizerWord {
  StringLiteral first;
  Optimizer::Kind second;
  ArrayRef<Constant> constants;
};

constexpr Constant ofSgd[] = {momentum, weightDecay}, ofAdam[] = {beta1, beta2, epsilon, weightDecay},
                   ofRmsProp[] = {decay, epsilon, momentum, weightDecay}, ofAdagrad[] = {epsilon, weightDecay};

const OptimizerWord optimizerWords[] = {{"sgd", Optimizer::Kind::Sgd, ofSgd},
                                        {"adam", Optimizer::Kind::Adam, ofAdam},
                                        {"adamw", Optimizer::Kind::AdamW, ofAdam},
                                        {"rmsprop", Optimizer::Kind::RmsProp, ofRmsProp},
                                        {"adagrad", Optimizer::Kind::Adagrad, ofAdagrad},
                                        {"none", Optimizer::Kind::None, {}}};

} // namespace

static Error readConstant(Optimizer &optimizer, const OptimizerWord &kind, StringRef text) {
  auto [key, value] = text.split('=');
  if (kind.second == Optimizer::Kind::Sgd && key == "nesterov" && (value.empty() || value == "1")) {
    optimizer.nesterov = true;
    return Error::success();
  }
  for (const Constant &constant : kind.constants) {
    if (constant.word != key)
      continue;
    std::optional<double> number = parseNumber(value);
    if (!number || !constant.range.holds(*number))
      return bad("--optimizer=" + kind.first + " must have a number " + constant.range.words + " after '" + key +
                 "=', but has '" + text + "'");
    optimizer.*constant.number = *number;
    return Error::success();
  }
  std::string known = join(map_range(kind.constants, [](const Constant &c) { return c.word.str() + "=<X>"; }), ", ");
  if (kind.second == Optimizer::Kind::Sgd)
    known += ", nesterov";
  return bad("--optimizer=" + kind.first + " must have " + (known.empty() ? "no constants" : "constants of " + known) +
             ", but has '" + text + "'");
}

Expected<Optimizer> parseOptimizer(StringRef text) {
  const StringRef word = text.split(':').first, rest = text.split(':').second;
  const OptimizerWord *found = find_if(optimizerWords, [&](const OptimizerWord &row) { return row.first == word; });
  if (found == std::end(optimizerWords))
    return bad("--optimizer must be " + listWords(optimizerWords) + ", but is '" + text + "'");
  Optimizer optimizer;
  optimizer.kind = found->second;
  if (optimizer.kind == Optimizer::Kind::AdamW)
    optimizer.weightDecay = 0.01;
  if (optimizer.kind == Optimizer::Kind::Adagrad)
    optimizer.epsilon = 1e-10;
  SmallVector<StringRef> constants;
  rest.split(constants, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef constant : constants)
    if (Error error = readConstant(optimizer, *found, constant))
      return error;
  if (optimizer.nesterov && optimizer.momentum == 0)
    return bad("--optimizer=sgd: nesterov requires a momentum");
  return optimizer;
}

Expected<Clip> parseClip(StringRef text) {
  Clip clip;
  if (text.empty())
    return clip;
  auto [word, value] = text.split(':');
  std::optional<double> limit = parseAboveZero(value);
  if ((word != "norm" && word != "value") || !limit)
    return bad("--clip must be norm:<X> or value:<X> with a number " + aboveZero + ", but is '" + text + "'");
  clip.kind = word == "norm" ? Clip::Kind::Norm : Clip::Kind::Value;
  clip.limit = *limit;
  return clip;
}

//===----------------------------------------------------------------------===//
// Batches and dropouts
//===----------------------------------------------------------------------===//

Expected<BatchAxis> parseBatchAxis(StringRef text) {
  auto [input, value] = text.rsplit(':'); // The name of the input may contain colons.
  int64_t axis = 0;
  if (input.empty() || (value != "none" && (value.getAsInteger(10, axis) || axis < 0)))
    return bad("--batch-axis must be <input>:<axis> with a non-negative axis, or 'none' for an input without a batch, "
               "but is '" +
               text + "'");
  return BatchAxis{input.str(), value == "none" ? std::nullopt : std::optional(axis)};
}

Expected<Dropout> parseDropout(StringRef text) {
  auto [tensor, value] = text.rsplit(':');
  std::optional<double> ratio = parseAboveZero(value);
  if (tensor.empty() || !ratio || !isBelowOne(*ratio))
    return bad("--dropout must be <tensor>:<ratio> with a ratio between 0 and 1, but is '" + text + "'");
  return Dropout{tensor.str(), *ratio};
}

std::optional<int64_t> batchAxisOf(const TrainingOptions &options, StringRef input) {
  for (const std::string &text : options.batchAxes)
    if (Expected<BatchAxis> parsed = parseBatchAxis(text); !parsed)
      consumeError(parsed.takeError()); // checkTraining() reports mistakes.
    else if (parsed->input == input)
      return parsed->axis;
  return 0;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

bool matchesAny(ArrayRef<std::string> patterns, StringRef name) {
  return any_of(patterns, [&](const std::string &pattern) {
    Expected<GlobPattern> glob = GlobPattern::create(pattern);
    if (glob)
      return glob->match(name);
    consumeError(glob.takeError());
    return false;
  });
}

bool isTrained(const TrainingOptions &options, StringRef name) {
  return matchesAny(options.trainable, name) && !matchesAny(options.frozen, name);
}

static Error checkPatterns(StringRef option, ArrayRef<std::string> patterns) {
  for (const std::string &pattern : patterns)
    if (Expected<GlobPattern> parsed = GlobPattern::create(pattern); !parsed)
      return bad(option + " must be name patterns with * and ?, but has '" + pattern +
                 "': " + toString(parsed.takeError()));
  return Error::success();
}

Error checkParts(const TrainingOptions &options) {
  for (const std::string &text : options.losses)
    if (Expected<Loss> loss = parseLoss(text); !loss)
      return loss.takeError();
    else if (loss->ignore || loss->kind == Loss::Kind::Model)
      return bad("--micro-batch and --memory-cap require losses that are means over all examples of a batch, but "
                 "--loss has '" +
                 text + "'");
  return Error::success();
}

Error checkTraining(const TrainingOptions &options) {
  for (const std::string &loss : options.losses)
    if (Expected<Loss> parsed = parseLoss(loss); !parsed)
      return parsed.takeError();
  Expected<Optimizer> optimizer = parseOptimizer(options.optimizer);
  if (!optimizer)
    return optimizer.takeError();
  if (Expected<Clip> clip = parseClip(options.clip); !clip)
    return clip.takeError();
  if (Error error = checkPatterns("--trainable", options.trainable))
    return error;
  if (Error error = checkPatterns("--frozen", options.frozen))
    return error;
  for (const std::string &text : options.batchAxes)
    if (Expected<BatchAxis> axis = parseBatchAxis(text); !axis)
      return axis.takeError();
  if (!options.batchAxes.empty() && options.batch == 0 && options.microBatch == 0 && !options.memoryCap)
    return bad("--batch-axis requires --train-batch, --micro-batch or --memory-cap");
  for (const std::string &text : options.dropouts)
    if (Expected<Dropout> dropout = parseDropout(text); !dropout)
      return dropout.takeError();
  if (options.microBatch > 0)
    if (Error error = checkParts(options))
      return error;
  const StringRef known[] = {mainEntry, trainEntry, evaluateEntry, gradientsEntry, accumulateEntry};
  for (const std::string &entry : options.entries)
    if (!is_contained(known, entry))
      return bad("--entries must be main, train, evaluate, gradients or accumulate, but has '" + entry + "'");
  if (optimizer->kind == Optimizer::Kind::None &&
      (is_contained(options.entries, trainEntry) || !is_contained(options.entries, gradientsEntry)))
    return bad("--optimizer=none requires --entries with gradients and without train");
  return Error::success();
}

} // namespace nacre::train
