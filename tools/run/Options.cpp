// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Options.h.
// Why:   see there.
// How:   a table of options, each with a function that stores its value.

#include "tools/run/Options.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace nacre::run {

const char *const kHelp = R"(OVERVIEW: Runs, checks, times and looks into a model that nacre-compile made.

USAGE: nacre-run [options] <libmodel.so>

OPTIONS:

Inputs and answers:
Files are .npy or ONNX TensorProto (.pb), of the tensor's own type and shape; in .npy
floats of 8 bits are uint8 codes, and elements of 4 and 2 bits a list of their bytes.

  --input=<name=file>   - Read this input; inputs without a file are made from the seed; repeatable
  --set=<name=number>   - Let all elements of this input be that number; repeatable
  --seed=<N>            - Of inputs that nothing else says: floats in [-1, 1), integers 0 or 1, bytes of any value; with --train, of the order of the examples (default: 0)
  --state=<name=file>   - Let what the model remembers from run to run begin as this file; else as the model says; repeatable
  --resume=<file>       - Let all that it remembers begin as --save wrote it: a .safetensors file
  --weights=<file>      - Of such a file, or one from Python, weights and statistics alone: those that it has
  --save=<file>         - After the runs, save what the model remembers; whatever happens, the old file or the new one is whole
  --output=<folder>     - Write every output, and what the model remembers, to <folder>/<name>.npy; the folder must exist
  --expect=<name=file>  - Compare this output; an element a agrees with b when |a-b| <= rtol*|b| + atol*max|b|; repeatable
  --rtol=<X>            - Of the element itself (default: 1e-3)
  --atol=<X>            - Of the largest element (default: 1e-4)

Training:
Of a model that was compiled with --train. Files have all examples, along axis 0; an epoch takes each once, shuffled, in
batches of the size that the model was compiled for, and leaves out what is less than a batch.

  --train               - Train, and print loss and accuracy of each epoch; --input, --label and --set=learning_rate=<X> must be given
  --label=<file>        - What is right for each example: classes, counted from 0, or numbers; <name=file> where there are several
  --epochs=<N>          - How often to take all examples (default: 1); 0 only tests
  --test-input=<name=file> - Other examples, to test on before the first epoch and after each; with --test-label
  --test-label=<file>   - What is right for these
  --schedule=<kind>     - How the learning rate changes: constant (default), step:every=<epochs>,factor=<X> or cosine:least=<X>, each with warmup=<steps>
  --accumulate=<N>      - Take a step with the mean gradient of N batches; of a model compiled with --accumulate (default: 1)
  --order=<file>        - Take examples in this order: their numbers, i64, a row for each epoch, or one for all
  --batch-axis=<name:axis> - Of an input that has examples along another axis; repeatable
  --steps=<N>           - End after N steps, wherever that is; --resume goes on there
  --save-every=<N>      - Save not only after each epoch, but also after each N steps
  --log=<file>          - Write a line of JSON for each epoch; after --resume they are added to the file

Times:
After one run that is not counted, and some more to warm up.

  --benchmark           - Print a line of JSON: model, min_ms, median_ms, p90_ms, runs, threads, peak_rss_mb, arena_bytes, code_bytes, weight_bytes, device, submissions, pipelines
  --profile             - Print the time of each launch; --profile=<file> also writes it as JSON, for nacre-report
  --trace=<file>        - Write the latest run as a Chrome trace, for chrome://tracing or ui.perfetto.dev
  --runs=<N>            - At least N runs (default: as many as the seconds ask for); without these options N runs, for what it remembers
  --min-seconds=<S>     - At least S seconds (default: 1, or 0 with --runs)
  --evict=<N>           - Before each run, read N MiB of something else, so that the model is in memory and in no cache (default: 0)

GPUs:
Without these options a model uses a GPU for what was placed on it, if there is one that works.

  --gpu                 - Fail where there is none, or where the CPU had to take over; a CPU that plays a GPU will do
  --gpu-cut=<P>         - Give the GPU P percent of every launch that it has code for, and the CPU the rest; implies --gpu
  --gpu-device=<N>      - Use device N of --list-devices, counted from 0; implies --gpu
  --gpu-sequential      - Where both engines compute, the GPU first, then the CPU: to measure, or to find a race; implies --gpu
  --gpu-self-test       - First compare each kernel's GPU code with its CPU code, and do without what is wrong; implies --gpu
  --tune=<MS>           - First measure for MS milliseconds which cuts and code are fastest, and use them; implies --gpu
  --cache=<folder>      - Keep compiled GPU code there from one run to the next, and what was tested and tuned; the folder must exist
  --list-devices        - Describe the GPUs, and end

Others:

  --info                - Print what the model takes, gives and needs, and run nothing
  --entry=<name>        - Which entry to run (default: the first)
  --threads=<N>         - The calling thread counts (default: the machine's big cores)
  --max-iterations=<N>  - End a run that finishes more than N iterations of loops (default: 0, no limit)
  --help                - Print this
  --version             - Print the version of this program

EXAMPLES
  nacre-run libmodel.so --info
      what the model takes, gives and needs
  nacre-run libmodel.so
      run once on seeded inputs, summarise the outputs
  nacre-run libmodel.so --input=image=cat.npy --output=answers
      run on a file, write answers/<output>.npy
  nacre-run libmodel.so --input=image=cat.npy --expect=probs=cat.probs.npy
      compare with what others computed
  nacre-run libcell.so --input=x=step2.npy --state=h=after1/h.npy --output=after2
      one step of a model compiled with --state, from where another run ended
  nacre-run libcell.so --input=x=step3.npy --resume=cell.safetensors --save=cell.safetensors
      a step, and all that is remembered from one call to the next in a file
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=10 --set=learning_rate=0.05 --save=lenet.safetensors
      train a model compiled with --train; what it has learned is in the file after each epoch
  nacre-run liblenet.so --train --input=x=x.npy --label=y.npy --epochs=20 --set=learning_rate=0.05 --resume=lenet.safetensors
      go on where the file ends, in the middle of an epoch, too
  nacre-run liblenet.so --train --epochs=0 --test-input=x=x.npy --test-label=y.npy --weights=lenet.safetensors
      how good it is
  nacre-run libmodel.so --benchmark --threads=1
      how fast it is
  nacre-run libmodel.so --profile --trace=trace.json
      where the time goes, by the model's node names
  nacre-run libmodel.so --profile=profile.json && nacre-report report.json --profile=profile.json
      the same beside what the compiler says, as a page to look at
  nacre-run libmodel.so --list-devices
      the GPUs here, and what they lack
  nacre-run libmodel.so --gpu --cache=/tmp --benchmark
      on the GPU, for a model compiled with --place

EXIT STATUS
  0  done, and every expected output agrees
  1  an output differs
  2  the command line or a file is wrong
  3  the model cannot run here, or a run exceeds --max-iterations
  4  memory ran out
  5  training diverged: a loss or a weight is infinite or NaN; it was not saved
  130  Ctrl-C or SIGTERM: the run in progress was cancelled, or the step of training finished; a second one ends the program at once
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
    "constant, step:every=<epochs>,factor=<X> or cosine:least=<X>, with warmup=<steps> behind";

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
      return usageFailure("unknown option '--" + name + "'; --help lists them");
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
                          (options.train ? " is about single runs; leave it out, or --train"
                                         : " is about training; give --train, too, or leave it out"));
  if (options.runs != 0 && !sawSeconds)
    options.minSeconds = 0;
  if (options.library.empty() && !options.help && !options.version)
    return usageFailure("there must be a library made by nacre-compile; --help shows how");
  return std::nullopt;
}

} // namespace nacre::run
