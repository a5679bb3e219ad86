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
  std::vector<std::string> labels;                 // FILE, or NAME=FILE
  std::vector<std::string> testInputs, testLabels; // like inputs and labels, but for test examples
  std::vector<std::string> batchAxes;              // NAME:AXIS
  uint64_t epochs = 1;
  uint64_t steps = UINT64_MAX; // largest number of steps of this call
  uint64_t accumulate = 1;     // number of batches in a step
  uint64_t saveEvery = 0;      // number of steps between two saves; 0: only after epochs
  Schedule schedule;
  std::string orderFile, logFile;
};

struct Options {
  std::string library;
  std::string entry;                             // name of the entry; empty: the first entry
  std::vector<std::string> inputs;               // NAME=FILE, which is split when the model's names are known
  std::vector<std::string> sets;                 // name=number
  std::vector<std::string> states;               // name=file
  std::vector<std::string> expects;              // name=file
  std::string resumeFile, weightsFile, saveFile; // files of a state
  std::string apartFile; // weights file of a model that was compiled with --weights-in=file; empty: the file next to
                         // the library
  std::string outputFolder;
  std::string inputsFolder; // folder of --save-inputs
  MediaOptions media;       // options for inputs that are pictures or sounds
  Tolerance tolerance;
  uint64_t seed = 0;
  uint32_t threads = 0;       // number of threads; 0: the runtime chooses
  uint64_t maxIterations = 0; // largest number of iterations of loops in a run; 0: no limit
  uint64_t runs = 0;          // number of runs; 0: one run, or as many as a measurement of min-seconds needs
  double minSeconds = 1;
  uint32_t evictMebibytes = 0; // size of the buffer that is read before each run to evict caches
  bool train = false;
  TrainingOptions training;
  bool info = false;
  std::string infoFile; // file of --info; empty: the description is only printed
  bool benchmark = false;
  bool profile = false;
  std::string profileFile; // file of --profile; empty: the table is only printed
  std::string traceFile;
  std::string reportFile; // report of nacre-compile, whose page shows the profile
  bool onPhone = false;
  std::string phoneSerial;             // serial number of the phone; empty: the only phone
  std::vector<std::string> phoneWords; // options for nacre-try on the phone
  bool gpu = false;                    // true if a GPU is required
  uint32_t gpuCut = 0;                 // as nacre_session_options.gpu_cut
  uint32_t gpuDevice = 0;              // as nacre_session_options.gpu_device
  bool gpuSequential = false;
  bool gpuSelfTest = false;
  uint32_t tuneMilliseconds = 0; // time for tuning; 0: no tuning
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
