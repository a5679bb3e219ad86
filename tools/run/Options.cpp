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
  --seed=<N>            - Of those: floats in [-1, 1), integers 0 or 1, bytes of any value (default: 0)
  --state=<name=file>   - Let what the model remembers from run to run begin as this file; else as the model says; repeatable
  --resume=<file>       - Let all that it remembers begin as --save wrote it: a .safetensors file
  --weights=<file>      - Of such a file, or one from Python, weights and statistics alone: those that it has
  --save=<file>         - After the runs, save what the model remembers; whatever happens, the old file or the new one is whole
  --output=<folder>     - Write every output, and what the model remembers, to <folder>/<name>.npy; the folder must exist
  --expect=<name=file>  - Compare this output; an element a agrees with b when |a-b| <= rtol*|b| + atol*max|b|; repeatable
  --rtol=<X>            - Of the element itself (default: 1e-3)
  --atol=<X>            - Of the largest element (default: 1e-4)

Times:
After one run that is not counted, and some more to warm up.

  --benchmark           - Print a line of JSON: model, min_ms, median_ms, p90_ms, runs, threads, peak_rss_mb, arena_bytes, code_bytes, weight_bytes, device, submissions, pipelines
  --profile             - Print the time of each launch
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
  --cache=<folder>      - Keep compiled GPU code there from one run to the next, and what was tested and tuned
  --list-devices        - Describe the GPUs, and end

Others:

  --info                - Print what the model takes, gives and needs, and run nothing
  --entry=<name>        - Which entry to run (default: the first)
  --threads=<N>         - The calling thread counts (default: the machine's big cores)
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
  nacre-run libmodel.so --benchmark --threads=1
      how fast it is
  nacre-run libmodel.so --profile --trace=trace.json
      where the time goes, by the model's node names
  nacre-run libmodel.so --list-devices
      the GPUs here, and what they lack
  nacre-run libmodel.so --gpu --cache=/tmp --benchmark
      on the GPU, for a model compiled with --place

EXIT STATUS
  0  done, and every expected output agrees
  1  an output differs
  2  the command line or a file is wrong
  3  the model cannot run here
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

struct Row {
  const char *name;
  const char *value; // what it must be; nullptr for a flag
  bool (*store)(Options &, const std::string &);
};

constexpr Row kRows[] = {
    {"input", "NAME=FILE", [](Options &o, const std::string &v) { return o.inputs.push_back(v), true; }},
    {"state", "NAME=FILE", [](Options &o, const std::string &v) { return o.states.push_back(v), true; }},
    {"resume", "a file", [](Options &o, const std::string &v) { return o.resumeFile = v, !v.empty(); }},
    {"weights", "a file", [](Options &o, const std::string &v) { return o.weightsFile = v, !v.empty(); }},
    {"save", "a file", [](Options &o, const std::string &v) { return o.saveFile = v, !v.empty(); }},
    {"expect", "NAME=FILE", [](Options &o, const std::string &v) { return o.expects.push_back(v), true; }},
    {"output", "a folder", [](Options &o, const std::string &v) { return o.outputFolder = v, !v.empty(); }},
    {"rtol", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.relative); }},
    {"atol", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.tolerance.absolute); }},
    {"seed", "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.seed); }},
    {"threads", "a whole number", [](Options &o, const std::string &v) { return parseNumber(v, o.threads); }},
    {"runs", "a whole number, at least 1",
     [](Options &o, const std::string &v) { return parseNumber(v, o.runs) && o.runs; }},
    {"min-seconds", "a number, at least 0",
     [](Options &o, const std::string &v) { return parsePositive(v, o.minSeconds); }},
    {"evict", "a whole number of MiB, at most 65536",
     [](Options &o, const std::string &v) { return parseNumber(v, o.evictMebibytes) && o.evictMebibytes <= 65536; }},
    {"entry", "a name", [](Options &o, const std::string &v) { return o.entry = v, !v.empty(); }},
    {"trace", "a file", [](Options &o, const std::string &v) { return o.traceFile = v, !v.empty(); }},
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
    {"list-devices", nullptr, [](Options &o, const std::string &) { return o.listDevices = true; }},
    {"info", nullptr, [](Options &o, const std::string &) { return o.info = true; }},
    {"benchmark", nullptr, [](Options &o, const std::string &) { return o.benchmark = true; }},
    {"profile", nullptr, [](Options &o, const std::string &) { return o.profile = true; }},
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
    else if (row->value && i + 1 < count)
      value = arguments[++i];
    if (!row->value && equals != argument.npos)
      return usageFailure("--" + name + " takes no value");
    if (!row->store(options, value))
      return usageFailure("--" + name + " must be " + row->value + ", but is '" + value + "'");
    sawSeconds |= name == "min-seconds";
  }
  if (options.runs != 0 && !sawSeconds)
    options.minSeconds = 0;
  if (options.library.empty() && !options.help && !options.version)
    return usageFailure("there must be a library made by nacre-compile; --help shows how");
  return std::nullopt;
}

} // namespace nacre::run
