// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nacre-run as a struct. Only main parses it. Options are --name=value or --name value.

#ifndef NACRE_TOOLS_RUN_SESSION_OPTIONS_H
#define NACRE_TOOLS_RUN_SESSION_OPTIONS_H

#include "tools/run/media/MediaOptions.h"
#include "tools/run/session/Schedule.h"
#include "tools/run/tensors/Compare.h"

namespace nacre::run {

/// Options of --train.
struct TrainingOptions {
  std::vector<std::string> labels;                 // file, or name=file
  std::vector<std::string> testInputs, testLabels; // the same for test examples
  std::vector<std::string> batchAxes;              // name:axis
  uint64_t epochs = 1;
  uint64_t steps = UINT64_MAX; // of this call
  uint64_t accumulate = 1;     // batches per step
  uint64_t saveEvery = 0;      // steps; 0: only after epochs
  Schedule schedule;
  std::string orderFile, logFile;
};

struct Options {
  std::string library;
  std::string entry;                             // empty: the first
  std::vector<std::string> inputs;               // name=file; split once the model's names are known
  std::vector<std::string> sets;                 // name=number
  std::vector<std::string> states;               // name=file
  std::vector<std::string> expects;              // name=file
  std::string resumeFile, weightsFile, saveFile; // files of a state
  std::string apartFile; // for a model compiled with --weights-in=file; empty: next to the library
  std::string outputFolder;
  std::string inputsFolder; // of --save-inputs
  MediaOptions media;       // for pictures and sounds among the inputs
  Tolerance tolerance;
  uint64_t seed = 0;
  uint32_t threads = 0;       // 0: the runtime's choice
  uint64_t maxIterations = 0; // limit for loops in a run; 0: no limit
  uint64_t runs = 0;          // 0: one, or, to measure, as many as min-seconds requires
  double minSeconds = 1;
  uint32_t evictMebibytes = 0; // read before each run
  bool train = false;
  TrainingOptions training;
  bool info = false;
  std::string infoFile; // empty: only text
  bool benchmark = false;
  bool profile = false;
  std::string profileFile; // empty: only a table
  std::string traceFile;
  std::string reportFile; // of nacre-compile; its page shows the profile
  bool onPhone = false;
  std::string phoneSerial;             // empty: the only one
  std::vector<std::string> phoneWords; // options for nacre-try on the phone
  bool gpu = false;                    // required
  uint32_t gpuCut = 0;                 // as nacre_session_options.gpu_cut
  uint32_t gpuDevice = 0;              // as nacre_session_options.gpu_device
  bool gpuSequential = false;
  bool gpuSelfTest = false;
  uint32_t tuneMilliseconds = 0; // 0: no tuning
  std::string cacheFolder;
  bool listDevices = false;
  bool help = false;
  bool version = false;
};

/// Name of the weights file in the phone's folder.
inline constexpr const char *kSentName = "model.weights";

/// Text of --help (HelpText.cpp).
extern const char *const kHelp;

Outcome parseOptions(int count, char **arguments, Options &options);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_OPTIONS_H
