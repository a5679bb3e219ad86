// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-run: runs, compares, benchmarks, profiles and trains a compiled model.
// Why:   the one program that tests, benchmarks and people use for this; of Nacre it knows nacre/runtime.h alone.
// How:   open, create, fill, run; then whatever the options ask for, in the order write, compare, benchmark, profile. Training is apart.

#include "tools/OutOfMemory.h"
#include "tools/ResponseFile.h"
#include "tools/run/Benchmark.h"
#include "tools/run/Info.h"
#include "tools/run/Profile.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Inputs.h"
#include "tools/run/session/Interruption.h"
#include "tools/run/session/ModelLibrary.h"
#include "tools/run/training/Trainer.h"

#include <cstdio>
#include <new>

using namespace nacre::run;

static Outcome execute(const Options &options) {
  ModelLibrary library;
  if (!options.library.empty() || !options.listDevices)
    if (Outcome failure = library.open(options.library))
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
  if (Outcome failure = fillInputs(session, options))
    return failure;
  const Interruption interruption(&session);
  const bool measures = options.benchmark || options.profile || !options.traceFile.empty();
  for (uint64_t run = 0; run == 0 || (run < options.runs && !measures); ++run)
    if (Outcome failure = session.run())
      return failure;
  if (Outcome failure = session.takeSizes())
    return failure;
  if (!options.saveFile.empty())
    if (Outcome failure = session.saveState(options.saveFile, NACRE_STATE_ALL))
      return failure;
  // Written before they are compared: a wrong answer is one to look at.
  if (!options.outputFolder.empty())
    if (Outcome failure = writeOutputs(session, options.outputFolder))
      return failure;
  if (Outcome failure = compareOutputs(session.outputs, options))
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
    if (Outcome failure = profile(session, options, library.buildId))
      return failure;
  return interruption.outcome();
}

int main(int count, char **arguments) {
  std::set_new_handler(nacre::tools::exitOutOfMemory);
  Options options;
  std::string problem;
  nacre::tools::Arguments words(count, arguments, problem);
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
  if (!failure)
    failure = execute(options);
  if (!failure)
    return static_cast<int>(ExitCode::Agrees);
  std::fprintf(stderr, "nacre-run: error: %s\n", failure->text.c_str());
  return static_cast<int>(failure->code);
}
