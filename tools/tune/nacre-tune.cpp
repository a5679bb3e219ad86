// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-tune measures the cores and the GPU of this machine or of a phone, and writes a device profile for
// nacre-compile --device. It reads the command line, measures here or on the phone, and replaces the figures of a base
// profile by the measured ones. tools/measure/DeviceFigures.h explains the measurements.

#include "dialects/NamedFiles.h"
#include "dialects/OutputFile.h"
#include "tools/OutOfMemory.h"
#include "tools/ResponseFile.h"
#include "tools/StandardStreams.h"
#include "tools/process/Process.h"
#include "tools/tune/PhoneFigures.h"
#include "tools/tune/Profile.h"
#include "tools/tune/Splice.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <unistd.h>

using namespace nacre::tune;
using nacre::measure::DeviceFigures;
using nacre::tools::Outcome;
using nacre::tools::usageFailure;

namespace {

/// Adds the folder and the libraries with the kernels.
void addKernels(nacre::NamedFiles &files, const std::string &folder) {
  files.addInput("--kernels", folder);
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".so")
      files.addInput("--kernels", entry.path().string());
}

Outcome checkFiles(nacre::NamedFiles &files, const Options &options, const std::string &kernels) {
  files.addInput("--base", options.basePath);
  addKernels(files, kernels);
  if (options.outputPath != "-")
    files.addOutput("-o", options.outputPath);
  const std::string problem = files.findProblem();
  return problem.empty() ? Outcome() : usageFailure(problem);
}

Outcome readBase(const std::string &path, std::string &profile) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf()))
    return usageFailure("cannot read '" + path + "'");
  profile = text.str();
  return replaceMember(profile, "cpu", "{}")
             ? std::nullopt
             : Outcome(usageFailure(path + ": must be a profile, an object with a member \"cpu\""));
}

/// Measures this machine. If its GPU cannot be measured and no certain GPU was requested, sets `reasonOfGpu` and
/// succeeds.
Outcome measureHere(const Options &options, const std::string &kernels, DeviceFigures &figures,
                    std::string &reasonOfGpu) {
  const nacre::measure::Progress progress =
      isatty(STDERR_FILENO) ? [](const char *part) { std::fprintf(stderr, "nacre-tune: measuring %s\n", part); }
                            : nacre::measure::Progress(nullptr);
  nacre::measure::Reason reason;
  if (options.gpu && !measureGpu(kernels.c_str(), *options.gpu, figures.gpu, progress, reason) && *options.gpu >= 0)
    return usageFailure(std::string("the GPU cannot be measured: ") + reason.text);
  reasonOfGpu = reason.text;
  return measureCpu(figures.cpu, progress)
             ? Outcome()
             : usageFailure("the cores cannot be measured: the system lists none, or has no thread or memory left");
}

Outcome writeProfile(const std::string &path, const std::string &profile) {
  if (path == "-") {
    std::fputs(profile.c_str(), stdout);
    return std::nullopt;
  }
  const std::string problem = nacre::writeFile(path, profile);
  return problem.empty() ? Outcome() : usageFailure("cannot write '" + path + "': " + problem);
}

Outcome execute(const Options &options, nacre::NamedFiles &files) {
  const std::string here = nacre::tools::programFolder() + "/../lib/nacre/tune";
  const std::string kernels = options.kernels.empty() ? here : options.kernels;
  if (Outcome failure = checkFiles(files, options, kernels))
    return failure;
  std::string profile, reasonOfGpu;
  if (Outcome failure = readBase(options.basePath, profile))
    return failure;
  static DeviceFigures figures;
  if (Outcome failure = options.onPhone ? measurePhone(options, figures, reasonOfGpu)
                                        : measureHere(options, kernels, figures, reasonOfGpu))
    return failure;
  if (figures.gpu.device[0]) {
    if (const std::string problem = setGpu(profile, figures.gpu); !problem.empty())
      return usageFailure(problem);
  } else if (options.gpu) {
    std::fprintf(stderr, "nacre-tune: note: the GPU is not measured, and its figures are the base's: %s\n",
                 reasonOfGpu.c_str());
  }
  setCpu(profile, figures.cpu); // readBase found the member
  return writeProfile(options.outputPath, profile);
}

} // namespace

int main(int argc, char **argv) {
  static nacre::tools::OutputCheck outputCheck{2, nacre::tools::flushStandardOutput};
  nacre::tools::watchStandardStreams(outputCheck);
  std::set_new_handler(nacre::tools::exitOutOfMemory);
  std::string problem;
  nacre::tools::Arguments words(argc, argv, problem);
  nacre::NamedFiles files;
  words.addFilesTo(files);
  Options options;
  Outcome failure =
      problem.empty() ? parseOptions(words.count(), words.values(), options) : Outcome(usageFailure(problem));
  if (!failure && options.help) {
    std::fputs(kHelp, stdout);
    std::fputs(nacre::tools::kResponseFileHelp, stdout);
    return 0;
  }
  if (!failure && options.version) {
    std::puts("nacre-tune " NACRE_VERSION);
    return 0;
  }
  if (!failure)
    failure = execute(options, files);
  if (!failure)
    return 0;
  std::fprintf(stderr, "nacre-tune: %s\n", failure->text.c_str());
  return static_cast<int>(failure->code);
}
