// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-run's command line.
// Why:   only main parses; everything else gets a struct.
// How:   --name=value or --name value; --help is written to teach.

#ifndef NACRE_TOOLS_RUN_SESSION_OPTIONS_H
#define NACRE_TOOLS_RUN_SESSION_OPTIONS_H

#include "tools/run/media/MediaOptions.h"
#include "tools/run/session/Schedule.h"
#include "tools/run/tensors/Compare.h"

namespace nacre::run {

/// Of --train.
struct TrainingOptions {
  std::vector<std::string> labels;                 // file, or name=file
  std::vector<std::string> testInputs, testLabels; // the same of examples to test on
  std::vector<std::string> batchAxes;              // name:axis
  uint64_t epochs = 1;
  uint64_t steps = UINT64_MAX; // of this call
  uint64_t accumulate = 1;     // batches to a step
  uint64_t saveEvery = 0;      // steps; 0: epochs alone
  Schedule schedule;
  std::string orderFile, logFile;
};

struct Options {
  std::string library;
  std::string entry;                             // empty: the first
  std::vector<std::string> inputs;               // name=file; split where the model's names are known
  std::vector<std::string> sets;                 // name=number
  std::vector<std::string> states;               // name=file
  std::vector<std::string> expects;              // name=file
  std::string resumeFile, weightsFile, saveFile; // of a state
  std::string apartFile; // of a model compiled with --weights-in=file; empty: beside the library
  std::string outputFolder;
  std::string inputsFolder; // of --save-inputs
  MediaOptions media;       // of pictures and sounds among the inputs
  Tolerance tolerance;
  uint64_t seed = 0;
  uint32_t threads = 0;       // 0: the runtime's choice
  uint64_t maxIterations = 0; // of loops, in a run; 0: no limit
  uint64_t runs = 0;          // 0: one, or, to measure, as many as min-seconds asks for
  double minSeconds = 1;
  uint32_t evictMebibytes = 0; // read before each run
  bool train = false;
  TrainingOptions training;
  bool info = false;
  std::string infoFile; // empty: text alone
  bool benchmark = false;
  bool profile = false;
  std::string profileFile; // empty: a table alone
  std::string traceFile;
  std::string reportFile; // of nacre-compile; its page is to show the profile
  bool onPhone = false;
  std::string phoneSerial;             // empty: the only one
  std::vector<std::string> phoneWords; // options that nacre-try gets on the phone
  bool gpu = false;                    // required
  uint32_t gpuCut = 0;                 // as nacre_session_options.gpu_cut
  uint32_t gpuDevice = 0;              // as nacre_session_options.gpu_device
  bool gpuSequential = false;
  bool gpuSelfTest = false;
  uint32_t tuneMilliseconds = 0; // 0: none
  std::string cacheFolder;
  bool listDevices = false;
  bool help = false;
  bool version = false;
};

/// The name that the weights file has in the phone's folder.
inline constexpr const char *kSentName = "model.weights";

/// What --help prints (HelpText.cpp).
extern const char *const kHelp;

Outcome parseOptions(int count, char **arguments, Options &options);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_OPTIONS_H
