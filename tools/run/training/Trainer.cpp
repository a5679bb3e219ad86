// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a session for each entry, all with the same state. The state counts the steps, and the count determines a step's
// epoch, examples and learning rate.

#include "tools/run/training/Trainer.h"
#include "dialects/Count.h"
#include "dialects/OutputFile.h"
#include "tools/process/Interruption.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/Text.h"
#include "tools/run/training/Entries.h"
#include "tools/run/training/EpochLog.h"
#include "tools/run/training/Examples.h"
#include "tools/run/training/LearningRate.h"
#include "tools/run/training/Order.h"
#include "tools/run/training/Scores.h"
#include "tools/run/training/SharedParts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace nacre::run {
namespace {

class Trainer {
public:
  Trainer(const nacre_model *model, const Options &options)
      : model(model), options(options), training(options.training) {}

  Outcome run() {
    if (Outcome failure = checkSaveFile())
      return failure;
    if (Outcome failure = openSessions())
      return failure;
    if (Outcome failure = openExamples())
      return failure;
    if (Outcome failure = loadStateFiles(anySession(), options))
      return failure;
    const bool hasLoaded = !options.resumeFile.empty() || !options.weightsFile.empty();
    if (Outcome failure = stepper && hasLoaded ? stepper->checkTrainable() : std::nullopt)
      return failure;
    if (Outcome failure = log.open(training.logFile, !options.resumeFile.empty()))
      return failure;
    const Outcome failure = begin();
    return failure || !stepper ? failure : trainEpochs();
  }

private:
  /// Checks that the result can be saved. This happens before the training, because an epoch may take hours.
  Outcome checkSaveFile() const {
    const std::string problem = options.saveFile.empty() ? "" : findOutputProblem(options.saveFile);
    return problem.empty() ? Outcome() : usageFailure("cannot write '" + options.saveFile + "': " + problem);
  }

  //===--- Entries ------------------------------------------------------------------------------------------------===//

  Outcome openSession(std::optional<ModelSession> &session, const char *entry) {
    if (!hasEntry(model, entry))
      return refuseEntry(model, entry);
    Options own = options;
    own.entry = entry;
    if (Outcome failure = session.emplace().create(model, own, shared.parts))
      return failure;
    for (const std::string &text : options.sets) {
      std::string number;
      if (&session != &stepper && !splitNamed(text, session->inputs, number))
        continue; // only the entry `train` reads this input
      if (Outcome failure = setNumber(text, session->inputs))
        return failure;
    }
    return std::nullopt;
  }

  Outcome openSessions() {
    const bool tests = !training.testInputs.empty() || !training.testLabels.empty();
    if (training.epochs == 0 && !tests)
      return usageFailure("--train requires --epochs of at least 1, or test examples: --test-input=NAME=FILE");
    if (!hasEntry(model, "train") && !hasEntry(model, "evaluate"))
      return refuseEntry(model, "train");
    if (Outcome failure = shared.create(model, options))
      return failure;
    if (training.epochs > 0)
      if (Outcome failure = openSession(stepper, "train"))
        return failure;
    if (training.epochs > 0 && training.accumulate > 1)
      if (Outcome failure = openSession(adder, "accumulate"))
        return failure;
    return tests ? openSession(tester, "evaluate") : std::nullopt;
  }

  //===--- Examples -----------------------------------------------------------------------------------------------===//

  Outcome openExamples() {
    const ExampleFiles files{"--input", "--label", options.inputs, training.labels};
    const ExampleFiles testFiles{"--test-input", "--test-label", training.testInputs, training.testLabels};
    if (stepper) {
      if (Outcome failure = openAll(*stepper, examples, files, scores))
        return failure;
      if (Outcome failure = rate.open(*stepper, training.schedule, isSet("learning_rate")))
        return failure;
    }
    if (tester)
      if (Outcome failure = openAll(*tester, tests, testFiles, scoresOfTest))
        return failure;
    return stepper ? openOrder() : std::nullopt;
  }

  Outcome openAll(ModelSession &session, Examples &from, const ExampleFiles &files, Scores &into) {
    if (Outcome failure = from.open(session, files, training.batchAxes))
      return failure;
    const std::vector<std::string> labels = labelsOf(session);
    for (const Port &port : session.inputs) {
      const std::string name = printableText(port.name);
      if (from.has(port.name) || isSet(port.name) || port.name == "learning_rate")
        continue;
      const bool isLabel = std::find(labels.begin(), labels.end(), port.name) != labels.end();
      return usageFailure("'" + name + "' must be given for all examples: " +
                          (isLabel && labels.size() == 1 ? std::string(files.labelOption) + "=FILE"
                                                         : files.inputOption + ("=" + name) + "=FILE") +
                          " with " + describe(port.tensor.type, port.tensor.dims) + " in each batch");
    }
    into.watch(session);
    into.warnOfClasses(from);
    return std::nullopt;
  }

  bool isSet(const std::string &name) const {
    return std::any_of(options.sets.begin(), options.sets.end(),
                       [&name](const std::string &text) { return text.rfind(name + "=", 0) == 0; });
  }

  Outcome openOrder() {
    if (Outcome failure = order.open(examples.count(), options.seed, training.orderFile, training.epochs))
      return failure;
    const uint64_t perStep = uint64_t(examples.batch()) * training.accumulate;
    stepsPerEpoch = order.length() / perStep;
    if (stepsPerEpoch == 0)
      return usageFailure("there must be examples for a step, " + std::to_string(perStep) +
                          " at least, but there are " + std::to_string(order.length()) +
                          "; compile the model with a smaller --train-batch" +
                          (training.accumulate > 1 ? ", or give a smaller --accumulate" : ""));
    const uint64_t left = order.length() % perStep;
    std::printf("%s, %s of %llu an epoch", describeCount(order.length(), "example").c_str(),
                describeCount(stepsPerEpoch, "step").c_str(), static_cast<unsigned long long>(perStep));
    if (left)
      std::printf(", which leaves %llu out", static_cast<unsigned long long>(left));
    if (tester)
      std::printf("; %u to test on", tests.count());
    std::printf("\n");
    return std::nullopt;
  }

  //===--- First step ---------------------------------------------------------------------------------------------===//

  ModelSession &anySession() { return stepper ? *stepper : *tester; }

  Outcome begin() {
    StepCounts counts;
    if (Outcome failure = anySession().countSteps(counts))
      return failure;
    if (!options.resumeFile.empty() && !counts.made)
      return usageFailure("--resume requires a model that counts its steps; compile it with nacre-compile --train, or "
                          "pass --weights");
    skipped = counts.skipped.value_or(0);
    step = options.resumeFile.empty() ? 0 : *counts.made + skipped;
    if (!tester)
      return std::nullopt;
    if (Outcome failure = test())
      return failure;
    if (!stepper)
      if (Outcome failure = save())
        return failure;
    return log.test(stepper ? step / stepsPerEpoch : 0, tallyOfTest);
  }

  //===--- Runs ---------------------------------------------------------------------------------------------------===//

  Outcome test() {
    tallyOfTest = {};
    const uint32_t batch = tests.batch();
    std::vector<uint32_t> chosen(batch);
    for (uint32_t begin = 0; begin < tests.count(); begin += batch) {
      for (uint32_t i = 0; i < batch; ++i) // the last batch is filled up with the first examples
        chosen[i] = static_cast<uint32_t>((uint64_t(begin) + i) % tests.count());
      tests.fill(*tester, chosen.data());
      if (Outcome failure = tester->run())
        return failure;
      scoresOfTest.addTo(tallyOfTest, std::min(batch, tests.count() - begin), batch);
      if (tests.count() - begin <= batch)
        break;
    }
    return std::nullopt;
  }

  /// Runs the next step, in the order of its epoch.
  Outcome runStep(const std::vector<uint32_t> &ofEpoch) {
    const uint32_t batch = examples.batch();
    const uint32_t *chosen = ofEpoch.data() + step % stepsPerEpoch * batch * training.accumulate;
    rate.set(factorAt(training.schedule, step, stepsPerEpoch, training.epochs * stepsPerEpoch));
    for (uint64_t part = 0; part < training.accumulate; ++part, chosen += batch) {
      ModelSession &session = part + 1 < training.accumulate ? *adder : *stepper;
      examples.fill(session, chosen);
      if (Outcome failure = session.run())
        return failure;
      const bool isPart = &session != &*stepper;
      const Scores &seen = isPart ? scoresOfParts : scores;
      if (scores.maySkip() && (isPart ? !std::isfinite(seen.latestLoss()) : isSkipped()))
        continue;
      seen.addTo(tally, batch, batch);
      if (!std::isfinite(seen.latestLoss()))
        return Failure{ExitCode::Diverged, "the loss is infinite or NaN in step " + std::to_string(step + 1) +
                                               " (epoch " + std::to_string(step / stepsPerEpoch + 1) +
                                               "); lower the learning rate, or compile with --clip=norm:1" +
                                               describeSaved("; ")};
      if (!firstLoss)
        firstLoss = seen.latestLoss();
    }
    return std::nullopt;
  }

  /// True if the latest step was skipped because gradients overflowed. Also counts it.
  bool isSkipped() {
    if (scores.skippedSteps() == skipped)
      return false;
    skipped = scores.skippedSteps();
    ++tally.skipped;
    return true;
  }

  Outcome checkGrowth() const {
    if (!tally.runs && tally.skipped)
      return Failure{ExitCode::Diverged, "gradients are infinite or NaN in all steps of epoch " +
                                             std::to_string((step - 1) / stepsPerEpoch + 1) +
                                             "; lower the learning rate, or compile with --gpu-precision=fp32" +
                                             describeSaved("; ")};
    if (!hasExploded(*firstLoss, tally.loss()))
      return std::nullopt;
    char text[160];
    std::snprintf(text, sizeof text, "the loss grew from %.6g in the first step to a mean of %.6g in epoch ",
                  *firstLoss, tally.loss());
    return Failure{ExitCode::Diverged, text + std::to_string((step - 1) / stepsPerEpoch + 1) +
                                           "; lower the learning rate, or compile with --clip=norm:1" +
                                           describeSaved("; ")};
  }

  Outcome save() {
    if (options.saveFile.empty())
      return std::nullopt;
    Outcome failure = anySession().saveState(options.saveFile, NACRE_STATE_ALL);
    if (!failure)
      savedStep = step;
    else // a disk may be full
      failure->text += " (after step " + std::to_string(step) + ")" + describeSaved("; ");
    return failure;
  }

  /// Returns a text about the saved state of a training that ends now; "" if there is no file.
  std::string describeSaved(const char *before) const {
    if (options.saveFile.empty())
      return "";
    const std::string file = "'" + options.saveFile + "'";
    return before +
           (savedStep ? file + " was saved after step " + std::to_string(*savedStep) : "nothing was saved to " + file);
  }

  Outcome interrupt() const {
    return Failure{ExitCode::Interrupted, "interrupted after step " + std::to_string(step) + " (epoch " +
                                              std::to_string((std::max<uint64_t>(step, 1) - 1) / stepsPerEpoch + 1) +
                                              ")" + describeSaved("; ") +
                                              (savedStep ? ", and --resume goes on from there" : "")};
  }

  Outcome trainEpochs() {
    const uint64_t all = training.epochs * stepsPerEpoch;
    if (step >= all)
      std::printf("all steps of %s are done; more --epochs go on\n", describeCount(training.epochs, "epoch").c_str());
    const uint64_t end = all - std::min(step, all) > training.steps ? step + training.steps : all;
    if (adder)
      scoresOfParts.watch(*adder);
    const tools::Interruption interruption;
    std::vector<uint32_t> ofEpoch;
    for (bool begins = true; step < end; begins = step % stepsPerEpoch == 0) {
      if (begins) {
        ofEpoch = order.ofEpoch(step / stepsPerEpoch);
        tally = {};
        tally.maySkip = scores.maySkip();
        log.beginEpoch(step / stepsPerEpoch + 1, training.epochs, stepsPerEpoch);
      }
      if (Outcome failure = runStep(ofEpoch))
        return failure;
      log.showProgress(step++ % stepsPerEpoch + 1, tally);
      const bool isWhole = step % stepsPerEpoch == 0;
      if (isWhole || step == end)
        if (Outcome failure = checkGrowth())
          return failure;
      if (isWhole || step == end || (training.saveEvery && step % training.saveEvery == 0))
        if (Outcome failure = save())
          return failure;
      if (isWhole && tester)
        if (Outcome failure = test())
          return failure;
      if (isWhole || step == end)
        if (Outcome failure = log.endEpoch(step, tally, isWhole && tester ? &tallyOfTest : nullptr, rate.latest()))
          return failure;
      if (interruption.isAsked() && step < end)
        return interrupt();
    }
    return std::nullopt;
  }

  const nacre_model *model;
  const Options &options;
  const TrainingOptions &training;
  SharedParts shared; // must outlive the sessions, which use it
  std::optional<ModelSession> stepper, adder, tester;
  Examples examples, tests;
  Scores scores, scoresOfParts, scoresOfTest;
  Tally tally, tallyOfTest;
  Order order;
  LearningRate rate;
  uint64_t stepsPerEpoch = 0, step = 0, skipped = 0;
  std::optional<uint64_t> savedStep;
  std::optional<double> firstLoss; // first loss of this call
  EpochLog log;
};

} // namespace

Outcome train(const nacre_model *model, const Options &options) { return Trainer(model, options).run(); }

} // namespace nacre::run
