// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Options.h.
// Why:   see there.
// How:   a table of options, each with a function that stores its value.

#include "tools/run/session/Options.h"
#include "tools/NearestName.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace nacre::run {

const char *const kHelp = R"(OVERVIEW: Runs, compares, benchmarks, profiles and trains a compiled model.

USAGE: nacre-run [options] <libmodel.so>

OPTIONS:

Inputs and outputs:
Files are .npy or ONNX TensorProto (.pb), with the type and shape of the tensor. In .npy files, 8-bit floats are
uint8 codes, and 4-bit and 2-bit elements are a list of their bytes. Inputs without a file are generated from the
seed: floats in [-1, 1), integers 0 or 1, bytes of any value. An element a agrees with the expected element b if
|a-b| <= rtol*|b| + atol*max|b|.

  --input=<name=file>   - Read this input from a file; repeatable (default: generated)
  --set=<name=number>   - Set all elements of this input to a number; repeatable
  --seed=<N>            - Seed of generated inputs; with --train, of the example order (default: 0)
  --state=<name=file>   - Read the initial value of this state; repeatable (default: the model's)
  --resume=<file>       - Load the whole state from a .safetensors file of --save
  --weights=<file>      - Load only weights and statistics from a .safetensors file; some may be missing
  --save=<file>         - Save the state after the runs; replaces the file atomically
  --weights-file=<file> - Weights of a model compiled with --weights-in=file (default: lib<model>.weights next to the library)
  --output=<folder>     - Write outputs and state to <folder>/<name>.npy; the folder must exist
  --expect=<name=file>  - Compare this output with a file; repeatable
  --rtol=<X>            - Tolerance relative to the element (default: 1e-3)
  --atol=<X>            - Tolerance relative to the tensor's largest element (default: 1e-4)

Training:
Training requires a model compiled with --train. Files hold all examples along axis 0. An epoch takes each example once, in random
order, in batches of the compiled size; it drops an incomplete last batch.

  --train               - Train and print each epoch's loss and accuracy; requires --input, --label, --set=learning_rate=<X>
  --label=<file>        - Labels: class indices from 0, or numbers; <name=file> if there are several
  --epochs=<N>          - Number of epochs; 0 only tests (default: 1)
  --test-input=<name=file> - Test examples, evaluated before the first and after each epoch; requires --test-label
  --test-label=<file>   - Labels of the test examples; <name=file> if there are several
  --schedule=<kind>     - Learning rate: constant, step:every=<epochs>,factor=<X> or cosine:least=<X>, each with warmup=<steps> (default: constant)
  --accumulate=<N>      - Average the gradients of N batches; requires nacre-compile --accumulate (default: 1)
  --order=<file>        - Example order: i64 indices, one row per epoch or for all
  --batch-axis=<name:axis> - Example axis of an input, if it is not 0; repeatable
  --steps=<N>           - Stop after N steps, even within an epoch; --resume continues there
  --save-every=<N>      - Also save after every N steps (default: only after each epoch)
  --log=<file>          - Write a line of JSON for each epoch; with --resume, append them

Measurements:
The first run and a few warm-up runs are not counted. --benchmark prints the fields model, min_ms, median_ms, p90_ms, runs, threads,
peak_rss_mb, arena_bytes, code_bytes, weight_bytes, device, submissions and pipelines.

  --benchmark           - Print times and memory as a line of JSON
  --profile             - Print the median time of each launch; --profile=<file> also writes JSON for nacre-report
  --trace=<file>        - Write the last run as a Chrome trace, for chrome://tracing or ui.perfetto.dev
  --runs=<N>            - Minimum number of runs; the exact number without measurements (default: as --min-seconds requires)
  --min-seconds=<S>     - Minimum duration in seconds (default: 1, or 0 with --runs)
  --evict=<N>           - Read N MiB before each run, so that caches are cold (default: 0, at most 65536)

GPUs:
By default, a model compiled with --place uses a GPU if one works; otherwise it runs on the CPU.

  --gpu                 - Fail if no GPU works or the CPU takes over; emulated GPUs count
  --gpu-cut=<P>         - Give the GPU P % of every launch it supports; implies --gpu (0 to 100)
  --gpu-device=<N>      - Use device N of --list-devices, counted from 0 (in C from 1); implies --gpu
  --gpu-sequential      - Run GPU parts, then CPU parts, to measure or debug; implies --gpu
  --gpu-self-test       - Compare GPU with CPU code first; disable kernels that differ; implies --gpu
  --tune=<MS>           - Spend MS milliseconds to find the fastest splits and code; implies --gpu
  --cache=<folder>      - Keep compiled GPU code, test and tuning results; the folder must exist
  --list-devices        - Describe the GPUs and exit

General:

  --info                - Print inputs, outputs and memory of the model; run nothing
  --entry=<name>        - Entry to run (default: the first)
  --threads=<N>         - Number of threads, including the calling one (default: the machine's big cores)
  --max-iterations=<N>  - Stop a run after more than N loop iterations (default: 0, no limit)
  --help                - Print this text
  --version             - Print the version

EXAMPLES
  nacre-run libmodel.so --info
      print inputs, outputs and memory
  nacre-run libmodel.so
      run once on generated inputs and summarize the outputs
  nacre-run libmodel.so --input=image=cat.npy --output=answers
      run on a file and write answers/<output>.npy
  nacre-run libmodel.so --input=image=cat.npy --expect=probs=cat.probs.npy
      compare with the results of another program
  nacre-run libcell.so --input=x=step2.npy --state=h=after1/h.npy --output=after2
      run one step of a model compiled with --state, from the state of an earlier run
  nacre-run libcell.so --input=x=step3.npy --resume=cell.safetensors --save=cell.safetensors
      run a step and keep the whole state in a file
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=10 --set=learning_rate=0.05 --save=lenet.safetensors
      train a model compiled with --train and save its weights after each epoch
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=20 --set=learning_rate=0.05 --resume=lenet.safetensors
      continue from a saved state, even within an epoch
  nacre-run liblenet.so --train --epochs=0 --test-input=x=x.npy --test-label=y.npy --weights=lenet.safetensors
      measure loss and accuracy on test examples
  nacre-run libmodel.so --benchmark --threads=1
      measure the time of a run
  nacre-run libmodel.so --profile --trace=trace.json
      measure the time of each launch, by the model's node names
  nacre-run libmodel.so --profile=profile.json && nacre-report report.json --profile=profile.json
      show measured times next to the compiler's report in a browser
  nacre-run libmodel.so --list-devices
      list the GPUs and the features that they lack
  nacre-run libmodel.so --gpu --cache=/tmp --benchmark
      benchmark on the GPU a model compiled with --place

EXIT STATUS
  0  done, and every expected output agrees
  1  an output differs
  2  the command line or a file is wrong
  3  the model cannot run here, or a run exceeds --max-iterations
  4  memory ran out
  5  training diverged: a loss or a weight is infinite or NaN, or the loss grew a thousandfold; the state was not saved
  130  Ctrl-C or SIGTERM: the run was cancelled, or the training step finished; a second signal exits at once
)";

namespace {

template <typename T> bool parseNumber(std::string_view text, T &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parsePositive(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == 0 && std::isfinite(value) && value >= 0;
}

/// What an option is about; only those of one kind go together.
enum class About { Both, Runs, Training };

struct Row {
  const char *name;
  const char *value; // what it must be; nullptr for a flag
  bool (*store)(Options &, const std::string &);
  About about = About::Both;
  bool mayBeFlag = false; // the value may be left out, and is never the next argument
};

constexpr const char *kScheduleForm =
    "constant, step:every=<epochs>,factor=<X> or cosine:least=<X>, each with an optional warmup=<steps>";

bool storeSchedule(Options &options, const std::string &value) {
  const std::optional<Schedule> schedule = parseSchedule(value);
  options.training.schedule = schedule.value_or(Schedule());
  return schedule.has_value();
}

constexpr Row kRows[] = {
    {"input", "NAME=FILE", [](Options &o, const std::string &v) { return o.inputs.push_back(v), true; }},
    {"set", "NAME=NUMBER", [](Options &o, const std::string &v) { return o.sets.push_back(v), true; }},
    {"state", "NAME=FILE", [](Options &o, const std::string &v) { return o.states.push_back(v), true; }, About::Runs},
    {"resume", "a file", [](Options &o, const std::string &v) { return o.resumeFile = v, !v.empty(); }},
    {"weights", "a file", [](Options &o, const std::string &v) { return o.weightsFile = v, !v.empty(); }},
    {"weights-file", "a file", [](Options &o, const std::string &v) { return o.apartFile = v, !v.empty(); }},
    {"save", "a file", [](Options &o, const std::string &v) { return o.saveFile = v, !v.empty(); }},
    {"expect", "NAME=FILE", [](Options &o, const std::string &v) { return o.expects.push_back(v), true; }, About::Runs},
    {"output", "a folder", [](Options &o, const std::string &v) { return o.outputFolder = v, !v.empty(); },
     About::Runs},
    {"rtol", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.relative); }, About::Runs},
    {"atol", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.absolute); }, About::Runs},
    {"seed", "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.seed); }},
    {"threads", "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.threads); }},
    {"max-iterations", "a whole number",
     [](Options &o, const std::string &v) { return parseNumber(v, o.maxIterations); }},
    {"runs", "a whole number, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.runs) && o.runs; }, About::Runs},
    {"min-seconds", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.minSeconds); }, About::Runs},
    {"evict", "a whole number of MiB, at most 65536",
     [](Options &o, const std::string &v) { return parseNumber(v, o.evictMebibytes) && o.evictMebibytes <= 65536; },
     About::Runs},
    {"entry", "a name", [](Options &o, const std::string &v) { return o.entry = v, !v.empty(); }, About::Runs},
    {"trace", "a file", [](Options &o, const std::string &v) { return o.traceFile = v, !v.empty(); }, About::Runs},
    {"gpu", nullptr, [](Options &o, const std::string &) { return o.gpu = true; }},
    {"gpu-cut", "a whole number of percent, 0 to 100",
     [](Options &o, const std::string &v) {
       o.gpu = parseNumber(v, o.gpuCut) && o.gpuCut <= 100;
       o.gpuCut = NACRE_GPU_CUT(o.gpuCut);
       return o.gpu;
     }},
    {"gpu-device", "a whole number",
     [](Options &o, const std::string &v) {
       o.gpu = parseNumber(v, o.gpuDevice) && o.gpuDevice < UINT32_MAX;
       ++o.gpuDevice;
       return o.gpu;
     }},
    {"gpu-sequential", nullptr, [](Options &o, const std::string &) { return o.gpu = o.gpuSequential = true; }},
    {"gpu-self-test", nullptr, [](Options &o, const std::string &) { return o.gpu = o.gpuSelfTest = true; }},
    {"tune", "a whole number of milliseconds, at least 1",
     [](Options &o, const std::string &v) {
       return o.gpu = parseNumber(v, o.tuneMilliseconds) && o.tuneMilliseconds > 0;
     }},
    {"cache", "a folder", [](Options &o, const std::string &v) { return o.cacheFolder = v, !v.empty(); }},
    {"list-devices", nullptr, [](Options &o, const std::string &) { return o.listDevices = true; }, About::Runs},
    {"info", nullptr, [](Options &o, const std::string &) { return o.info = true; }, About::Runs},
    {"benchmark", nullptr, [](Options &o, const std::string &) { return o.benchmark = true; }, About::Runs},
    {"profile", "a file", [](Options &o, const std::string &v) { return o.profileFile = v, o.profile = true; },
     About::Runs, true},
    {"train", nullptr, [](Options &o, const std::string &) { return o.train = true; }},
    {"label", "a file", [](Options &o, const std::string &v) { return o.training.labels.push_back(v), !v.empty(); },
     About::Training},
    {"epochs", "a whole number, at most 2^30",
     [](Options &o, const std::string &v) {
       return parseNumber(v, o.training.epochs) && o.training.epochs <= 1u << 30;
     },
     About::Training},
    {"test-input", "NAME=FILE",
     [](Options &o, const std::string &v) { return o.training.testInputs.push_back(v), true; }, About::Training},
    {"test-label", "a file",
     [](Options &o, const std::string &v) { return o.training.testLabels.push_back(v), !v.empty(); }, About::Training},
    {"schedule", kScheduleForm, storeSchedule, About::Training},
    {"accumulate", "a whole number, 1 to 2^30",
     [](Options &o, const std::string &v) {
       return parseNumber(v, o.training.accumulate) && o.training.accumulate && o.training.accumulate <= 1u << 30;
     },
     About::Training},
    {"order", "a file", [](Options &o, const std::string &v) { return o.training.orderFile = v, !v.empty(); },
     About::Training},
    {"batch-axis", "NAME:AXIS",
     [](Options &o, const std::string &v) { return o.training.batchAxes.push_back(v), true; }, About::Training},
    {"steps", "a whole number, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.training.steps) && o.training.steps; },
     About::Training},
    {"save-every", "a whole number of steps, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.training.saveEvery) && o.training.saveEvery; },
     About::Training},
    {"log", "a file", [](Options &o, const std::string &v) { return o.training.logFile = v, !v.empty(); },
     About::Training},
    {"help", nullptr, [](Options &o, const std::string &) { return o.help = true; }},
    {"version", nullptr, [](Options &o, const std::string &) { return o.version = true; }},
};

const Row *findRow(std::string_view name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::vector<std::string> optionNames() {
  std::vector<std::string> names;
  for (const Row &row : kRows)
    names.emplace_back(row.name);
  return names;
}

} // namespace

Outcome parseOptions(int count, char **arguments, Options &options) {
  bool sawSeconds = false;
  std::vector<const Row *> seen;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.substr(0, 2) != "--") {
      if (!options.library.empty())
        return usageFailure("there must be one library, but there is also '" + std::string(argument) + "'");
      options.library = argument;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name(argument.substr(2, equals == argument.npos ? equals : equals - 2));
    const Row *row = findRow(name);
    if (!row)
      return usageFailure(nacre::tools::unknownOption(name, optionNames()));
    std::string value;
    if (equals != argument.npos)
      value = argument.substr(equals + 1);
    else if (row->value && !row->mayBeFlag && i + 1 < count)
      value = arguments[++i];
    if (!row->value && equals != argument.npos)
      return usageFailure("--" + name + " takes no value");
    const bool isEmpty = row->mayBeFlag && equals != argument.npos && value.empty();
    if (isEmpty || !row->store(options, value))
      return usageFailure("--" + name + " must be " + row->value + ", but is '" + value + "'");
    sawSeconds |= name == "min-seconds";
    seen.push_back(row);
  }
  for (const Row *row : seen)
    if (row->about == (options.train ? About::Runs : About::Training))
      return usageFailure("--" + std::string(row->name) +
                          (options.train ? " cannot be combined with --train" : " requires --train"));
  if (options.runs != 0 && !sawSeconds)
    options.minSeconds = 0;
  if (options.library.empty() && !options.help && !options.version)
    return usageFailure("a library compiled by nacre-compile is required; see --help");
  return std::nullopt;
}

} // namespace nacre::run
