// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/try/Options.h"
#include "tools/measure/Libc.h"

namespace nacre::tries {

const char *const kUsage = "USAGE: nacre-try lib<model>.so [options]\n"
                           "       nacre-try --figures=<file> [options]\n"
                           "\n"
                           "Runs a compiled model once, prints its outputs, and measures more runs.\n"
                           "\n"
                           "Inputs and outputs:\n"
                           "\n"
                           "  --input=<name=file>   Read this input from an .npy file with its type and\n"
                           "                        shape; repeatable (default: floats generated in\n"
                           "                        [-1, 1), everything else 0)\n"
                           "  --output=<folder>     Write outputs to <folder>/<N>.npy, counted from 0; the\n"
                           "                        folder must exist\n"
                           "  --weights-file=<file> Weights of a model compiled with --weights-in=file\n"
                           "                        (default: lib<model>.weights, next to the library)\n"
                           "  --entry=<name>        Entry to run (default: the first)\n"
                           "  --max-iterations=<N>  Stop a run after more than N loop iterations (default:\n"
                           "                        0, no limit)\n"
                           "\n"
                           "Measurement:\n"
                           "\n"
                           "  --benchmark           Print times and memory as a line of JSON, as nacre-run\n"
                           "                        does\n"
                           "  --profile             Print the median time of each launch; --profile=<file>\n"
                           "                        also writes JSON for nacre-report\n"
                           "  --runs=<N>            Minimum number of measured runs (default: 1 with\n"
                           "                        --benchmark and --profile, else 3)\n"
                           "  --min-seconds=<S>     Minimum duration in seconds (default: 0 with --runs, 1\n"
                           "                        with --benchmark and --profile, else 0.5)\n"
                           "  --evict=<N>           Read N MiB before each run, so that caches are cold\n"
                           "                        (default: 0, at most 65536)\n"
                           "  --threads=<N>         Number of threads, including the calling one (default:\n"
                           "                        the big cores)\n"
                           "\n"
                           "GPUs:\n"
                           "\n"
                           "  --cpu                 Never use the GPU (default: use it if the model has\n"
                           "                        code for it and it works)\n"
                           "  --gpu                 Fail if the GPU cannot be used\n"
                           "  --gpu-device=<N>      Use this GPU, counted from 0; implies --gpu\n"
                           "  --gpu-cut=<percent>   Give the GPU this share of every launch it supports\n"
                           "  --gpu-sequential      Run GPU parts, then CPU parts, to measure or debug;\n"
                           "                        implies --gpu\n"
                           "  --gpu-self-test       Compare GPU with CPU code first; disable kernels that\n"
                           "                        differ; implies --gpu\n"
                           "  --tune=<ms>           Spend this long to find the fastest shares and code\n"
                           "  --cache=<folder>      Keep compiled GPU code and tuning results in this\n"
                           "                        folder\n"
                           "\n"
                           "The phone itself, for nacre-tune --device=adb:\n"
                           "\n"
                           "  --figures=<file>      Measure the cores and write their speed to <file>; run\n"
                           "                        no model\n"
                           "  --kernels=<folder>    Also measure the GPU, with the kernels in this folder;\n"
                           "                        --gpu-device makes a failure an error\n"
                           "\n"
                           "General:\n"
                           "\n"
                           "  --help                Print this text\n";

namespace {

void printChoice(void *user, nacre_log_level level, const char *message) {
  (void)user;
  if (level == NACRE_LOG_INFO)
    printf("%s\n", message);
}

bool readNumber(const char *text, uint64_t least, uint64_t most, uint64_t &number) {
  char *end;
  number = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0 && number >= least && number <= most;
}

bool readNumber(const char *text, uint64_t least, uint64_t most, uint32_t &number) {
  uint64_t wide;
  const bool isRead = readNumber(text, least, most, wide);
  number = static_cast<uint32_t>(wide);
  return isRead;
}

bool readSeconds(const char *text, double &seconds) {
  char *end;
  seconds = strtod(text, &end);
  return end != text && *end == 0 && seconds >= 0 && seconds < 1e6;
}

struct Row {
  const char *name; // name of the option, with '=' if it has a value
  bool (*store)(Options &options, const char *value);
};

constexpr uint64_t kMost = 999999; // largest number of runs, threads and milliseconds

constexpr Row kRows[] = {
    {"--help", [](Options &o, const char *) { return o.hasHelp = true; }},
    {"--input=", [](Options &, const char *) { return true; }}, // inputs are read when the model is known
    {"--output=", [](Options &o, const char *v) { return *(o.outputs = v) != 0; }},
    {"--weights-file=", [](Options &o, const char *v) { return *(o.weights = v) != 0; }},
    {"--entry=", [](Options &o, const char *v) { return *(o.session.entry = v) != 0; }},
    {"--max-iterations=",
     [](Options &o, const char *v) { return readNumber(v, 0, UINT64_MAX, o.session.max_iterations); }},
    {"--benchmark", [](Options &o, const char *) { return o.hasBenchmark = true; }},
    {"--profile=", [](Options &o, const char *v) { return o.hasProfile = *(o.profileFile = v) != 0; }},
    {"--profile", [](Options &o, const char *) { return o.hasProfile = true; }},
    {"--runs=", [](Options &o, const char *v) { return readNumber(v, 1, kMost, o.runs); }},
    {"--min-seconds=", [](Options &o, const char *v) { return o.hasSeconds = readSeconds(v, o.seconds); }},
    {"--evict=", [](Options &o, const char *v) { return readNumber(v, 0, 65536, o.evictMebibytes); }},
    {"--threads=", [](Options &o, const char *v) { return readNumber(v, 0, kMost, o.session.threads); }},
    {"--cpu", [](Options &o, const char *) { return (o.session.gpu = NACRE_GPU_NEVER) == NACRE_GPU_NEVER; }},
    {"--gpu", [](Options &o, const char *) { return (o.session.gpu = NACRE_GPU_REQUIRED) == NACRE_GPU_REQUIRED; }},
    {"--gpu-device=",
     [](Options &o, const char *v) {
       o.session.gpu = NACRE_GPU_REQUIRED;
       const bool isRead = readNumber(v, 0, kMost, o.session.gpu_device);
       ++o.session.gpu_device; // 0 is the best one
       return isRead;
     }},
    {"--gpu-cut=",
     [](Options &o, const char *v) {
       const bool isRead = readNumber(v, 0, 100, o.session.gpu_cut);
       o.session.gpu_cut = NACRE_GPU_CUT(o.session.gpu_cut);
       return isRead;
     }},
    {"--gpu-sequential",
     [](Options &o, const char *) {
       o.session.gpu = NACRE_GPU_REQUIRED;
       return (o.session.gpu_sequential = 1) == 1;
     }},
    {"--gpu-self-test",
     [](Options &o, const char *) {
       o.session.gpu = NACRE_GPU_REQUIRED;
       o.session.log = printChoice;
       return (o.session.gpu_self_test = 1) == 1;
     }},
    {"--tune=",
     [](Options &o, const char *v) {
       o.session.log = printChoice;
       return readNumber(v, 1, kMost, o.session.tune_budget_ms);
     }},
    {"--figures=", [](Options &o, const char *v) { return *(o.figuresFile = v) != 0; }},
    {"--kernels=", [](Options &o, const char *v) { return *(o.kernels = v) != 0; }},
    {"--cache=", [](Options &o, const char *v) { return *(o.session.cache_folder = v) != 0; }},
};

/// Stores an option. Returns false if the option is unknown or its value is invalid.
bool storeOption(const char *word, Options &options) {
  for (const Row &row : kRows) {
    const bool hasValue = row.name[strlen(row.name) - 1] == '=';
    if (hasValue ? after(word, row.name) != nullptr : strcmp(word, row.name) == 0)
      return row.store(options, hasValue ? after(word, row.name) : "");
  }
  return false;
}

} // namespace

Status fail(Status status, const char *what, const char *why) {
  char text[1024];
  const int length = snprintf(text, sizeof text, "nacre-try: %s: %s\n", what, why);
  fflush(nullptr); // writes earlier output first
  const size_t bytes = size_t(length) < sizeof text ? length : sizeof text - 1;
  const long written = write(2 /* standard error */, text, bytes);
  (void)written; // ignored, because there is no other place for the message
  return status;
}

const char *after(const char *word, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(word, prefix, length) == 0 ? word + length : nullptr;
}

Status parseOptions(int count, char **words, Options &options) {
  for (int w = 1; w < count; ++w) {
    if (words[w][0] != '-' && !options.library)
      options.library = words[w];
    else if (!storeOption(words[w], options))
      return fail(WrongUsage, words[w], "unknown option, or a value that it cannot have; --help lists them");
  }
  if (!options.library && !options.hasHelp && !options.figuresFile)
    return fail(WrongUsage, "a library compiled by nacre-compile is required", "see --help");
  if (options.runs == 0) {
    options.runs = options.measures() ? 1 : 3;
    if (!options.hasSeconds)
      options.seconds = options.measures() ? 1 : 0.5;
  }
  options.session.profile = options.hasProfile;
  return Done;
}

Status checkFigures(int count, char **words, const Options &options) {
  if (!options.figuresFile)
    return options.kernels ? fail(WrongUsage, "--kernels", "requires --figures") : Done;
  constexpr const char *kMeaning[] = {"--figures=", "--kernels=", "--gpu-device=", "--help"};
  for (int w = 1; w < count; ++w) {
    bool hasMeaning = false;
    for (const char *option : kMeaning)
      hasMeaning |= after(words[w], option) != nullptr;
    if (!hasMeaning)
      return fail(WrongUsage, words[w], "cannot be combined with --figures");
  }
  return options.session.gpu_device && !options.kernels
             ? fail(WrongUsage, "--gpu-device", "requires --kernels, if there is --figures")
             : Done;
}

} // namespace nacre::tries
