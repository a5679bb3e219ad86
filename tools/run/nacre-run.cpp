// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-run runs, compares, benchmarks, profiles and trains a compiled model, for tests, benchmarks and users. It uses
// only nacre/runtime.h of Nacre. It opens the library, creates a session, fills the inputs and runs. Then it writes,
// compares, benchmarks and profiles, in this order, if the options request it. Training is separate. Before it writes
// any file, it checks that no output is a file that it reads, or another output.

#include "tools/OutOfMemory.h"
#include "tools/ResponseFile.h"
#include "tools/StandardStreams.h"
#include "tools/process/Interruption.h"
#include "tools/process/TemporaryFolder.h"
#include "tools/run/Benchmark.h"
#include "tools/run/Info.h"
#include "tools/run/Profile.h"
#include "tools/run/phone/PhoneRun.h"
#include "tools/run/programs/Report.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Files.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/MediaInputs.h"
#include "tools/run/session/ModelLibrary.h"
#include "tools/run/training/Trainer.h"

#include <cstdio>
#include <new>

using namespace nacre::run;

/// Writes the results before they are compared, because users want to look at a wrong answer.
static Outcome writeResults(ModelSession &session, const std::string &folder) {
  if (Outcome failure = session.readStates())
    return failure;
  return writeOutputs(session.outputs, session.states, folder);
}

/// Measures launches, and shows them in the form that the options request.
static Outcome profileAndReport(ModelSession &session, const Options &options, const std::string &buildId) {
  if (options.reportFile.empty() || !options.profileFile.empty()) {
    Outcome failure = profile(session, options, buildId);
    return failure || options.reportFile.empty() ? failure : makeReport(options, options.profileFile);
  }
  nacre::tools::TemporaryFolder folder;
  if (Outcome failure = folder.create("nacre-run"))
    return failure;
  Options withFile = options;
  withFile.profileFile = folder.path("profile.json");
  Outcome failure = profile(session, withFile, buildId);
  return failure ? failure : makeReport(options, withFile.profileFile);
}

static Outcome execute(const Options &options, nacre::NamedFiles &files) {
  if (options.onPhone)
    return runOnPhone(options, files);
  ModelLibrary library;
  if (!options.library.empty() || !options.listDevices) {
    if (Outcome failure = library.open(options.library))
      return failure;
    files.addInput("the weights file", weightsPathOf(library.model, options));
  }
  if (Outcome failure = checkFiles(files))
    return failure;
  if (options.listDevices)
    return printDevices();
  if (options.train)
    return train(library.model, options);
  ModelSession session;
  if (Outcome failure = session.create(library.model, options))
    return failure;
  if (options.info)
    return printInfo(session, library.symbol, library.codeBytes, options.infoFile);
  if (!options.outputFolder.empty())
    addOutputs(files, session.outputs, session.states, options.outputFolder);
  if (!options.inputsFolder.empty())
    addSavedInputs(files, session.inputs, options.inputsFolder);
  if (Outcome failure = checkFiles(files))
    return failure;
  if (Outcome failure = fillInputs(session, options, fillFromMedia))
    return failure;
  if (!options.inputsFolder.empty())
    if (Outcome failure = writeOutputs(session.inputs, {}, options.inputsFolder))
      return failure;
  std::vector<Expected> expected;
  if (Outcome failure = openExpected(session.outputs, options, expected))
    return failure;
  const nacre::tools::Interruption interruption(
      [](void *running) { return static_cast<ModelSession *>(running)->cancel(); }, &session);
  const bool measures = options.benchmark || options.profile || !options.traceFile.empty();
  for (uint64_t run = 0; run == 0 || (run < options.runs && !measures); ++run)
    if (Outcome failure = session.run())
      return failure;
  if (Outcome failure = session.takeSizes())
    return failure;
  if (!options.saveFile.empty())
    if (Outcome failure = session.saveState(options.saveFile, NACRE_STATE_ALL))
      return failure;
  if (!options.outputFolder.empty())
    if (Outcome failure = writeResults(session, options.outputFolder))
      return failure;
  if (Outcome failure = compareOutputs(expected, options.tolerance))
    return failure;
  if (!measures && options.expects.empty())
    summariseOutputs(session.outputs);
  if (!measures && options.gpu)
    if (Outcome failure = printEngines(session))
      return failure;
  if (options.benchmark)
    if (Outcome failure = benchmark(session, options, library.codeBytes))
      return failure;
  if (options.profile || !options.traceFile.empty())
    if (Outcome failure = profileAndReport(session, options, library.buildId))
      return failure;
  return interruption.outcome();
}

int main(int count, char **arguments) {
  static nacre::tools::OutputCheck outputCheck{static_cast<int>(ExitCode::Usage), nacre::tools::flushStandardOutput};
  nacre::tools::watchStandardStreams(outputCheck);
  std::set_new_handler(nacre::tools::exitOutOfMemory);
  Options options;
  std::string problem;
  nacre::tools::Arguments words(count, arguments, problem);
  nacre::NamedFiles files;
  words.addFilesTo(files);
  Outcome failure = problem.empty() ? parseOptions(words.count(), words.values(), options) : usageFailure(problem);
  if (!failure && options.help) {
    std::fputs(kHelp, stdout);
    std::fputs(nacre::tools::kResponseFileHelp, stdout);
    return 0;
  }
  if (!failure && options.version) {
    std::puts("nacre-run " NACRE_VERSION);
    return 0;
  }
  if (!failure) {
    addFiles(files, options);
    failure = checkFiles(files);
  }
  if (!failure)
    failure = execute(options, files);
  if (!failure)
    return static_cast<int>(ExitCode::Agrees);
  std::fprintf(stderr, "nacre-run: error: %s\n", failure->text.c_str());
  return static_cast<int>(failure->code);
}
