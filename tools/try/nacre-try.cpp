// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-try runs a compiled model on a phone from adb's shell, and shows its outputs, its time, and the engine that
// computed it. It can also measure the phone itself. So a model can be tried before there is an app, with the same
// library. The program is built without the C++ library and the NDK. It uses only nacre/runtime.h and the few functions
// of Android's C library that tools/measure/Libc.h declares.

#include "tools/measure/BenchmarkLine.h"
#include "tools/measure/DeviceFigures.h"
#include "tools/measure/Libc.h"
#include "tools/measure/Profile.h"
#include "tools/measure/Repeat.h"
#include "tools/try/NamedPaths.h"
#include "tools/try/TriedModel.h"

/// Constructs an object in existing memory, like operator new of <new>, because this program has no C++ library.
inline void *operator new(size_t, nacre::measure::LaunchProfile *place) noexcept { return place; }

namespace nacre::tries {
namespace {

using measure::Sink;

/// A file, or the standard output if there is no path.
class OutputText {
public:
  explicit OutputText(const char *path) : file(path ? fopen(path, "wb") : nullptr), isFile(path) {}
  OutputText(const OutputText &) = delete;
  OutputText &operator=(const OutputText &) = delete;

  Sink sink() {
    return {[](void *user, const char *text, size_t bytes) { static_cast<OutputText *>(user)->put(text, bytes); },
            this};
  }

  /// Closes the file. Returns false if not everything was written.
  bool close() {
    const bool isClosed = !file || fclose(file) == 0;
    return isClosed && isWritten && (file || !isFile);
  }

private:
  void put(const char *text, size_t bytes) {
    if (file)
      isWritten &= fwrite(text, 1, bytes, file) == bytes;
    else if (!isFile)
      printf("%.*s", int(bytes), text); // main checks the standard output
  }

  FILE *file;
  bool isFile, isWritten = true;
};

Status benchmark(TriedModel &tried, const Options &options, const measure::Eviction &evict) {
  measure::Samples samples;
  if (const Status status =
          sampleRuns([&tried] { return tried.run(); }, {options.runs, options.seconds}, evict, samples))
    return status;
  nacre_session_info engines;
  nacre_session_describe(tried.session, &engines);
  putBenchmark(OutputText(nullptr).sink(), {tried.info, tried.memory, engines, tried.facts.code_bytes, samples});
  return Done;
}

Status writeProfile(TriedModel &tried, const char *path, measure::Launches launches, measure::Samples &times) {
  nacre_session_info engines;
  nacre_session_describe(tried.session, &engines);
  OutputText file(path);
  putProfile(file.sink(), {tried.info, tried.entry, tried.facts.build_id, engines.device, tried.memory.threads, times,
                           measure::measurePeak(tried.memory.threads), launches});
  return file.close() ? Done : fail(WrongUsage, path, "cannot be written");
}

Status profile(TriedModel &tried, const Options &options, const measure::Eviction &evict) {
  const uint32_t count = tried.entry.launch_count;
  auto *rows = static_cast<measure::LaunchProfile *>(malloc((count + 1) * sizeof(measure::LaunchProfile)));
  if (!rows)
    return fail(OutOfMemory, "--profile", "out of memory");
  for (uint32_t i = 0; i < count; ++i) {
    new (&rows[i]) measure::LaunchProfile;
    if (nacre_launch_describe(tried.model, tried.entryNumber, i, &rows[i].info) != NACRE_OK)
      return fail(Refused, "--profile", "a launch has no description");
  }
  measure::Samples times;
  auto read = [&](uint64_t nanoseconds) {
    times.add(nanoseconds);
    for (uint32_t i = 0; i < count; ++i) {
      if (nacre_session_launch_time(tried.session, i, &rows[i].latest) != NACRE_OK)
        return fail(Refused, "--profile", nacre_session_reason(tried.session));
      rows[i].samples.add(rows[i].latest.total);
    }
    return Done;
  };
  if (const Status status = repeatRuns([&tried] { return tried.run(); }, {options.runs, options.seconds}, evict, read))
    return status;
  for (uint32_t i = 0; i < count; ++i)
    rows[i].median = rows[i].samples.quantile(0.5);
  nacre_session_info engines;
  nacre_session_describe(tried.session, &engines);
  OutputText text(nullptr);
  putTable(text.sink(), {rows, count});
  putEngines(text.sink(), engines);
  return options.profileFile ? writeProfile(tried, options.profileFile, {rows, count}, times) : Done;
}

/// Prints the engine, and the time of more runs.
Status printTimes(TriedModel &tried, const Options &options, const measure::Eviction &evict) {
  measure::Samples samples;
  uint64_t sum = 0;
  auto add = [&](uint64_t nanoseconds) {
    samples.add(nanoseconds);
    sum += nanoseconds;
    return Done;
  };
  if (const Status status = repeatRuns([&tried] { return tried.run(); }, {options.runs, options.seconds}, evict, add))
    return status;
  nacre_session_info info;
  nacre_session_describe(tried.session, &info);
  printf("%s, %u thread%s; %llu bytes; made in %.1f ms\n", info.device[0] ? info.device : "CPU", info.threads,
         info.threads == 1 ? "" : "s", static_cast<unsigned long long>(tried.memory.block_bytes), tried.createdMs);
  const uint64_t counted = samples.count();
  printf("least %.3f ms, mean %.3f ms of %llu run%s\n", double(samples.smallest()) * 1e-6,
         double(sum) / double(counted) * 1e-6, static_cast<unsigned long long>(counted), counted == 1 ? "" : "s");
  if (nacre_session_reason(tried.session)[0])
    printf("%s\n", nacre_session_reason(tried.session));
  return Done;
}

/// Measures the phone, without a model.
Status writeFigures(const Options &options) {
  static measure::DeviceFigures figures;
  static measure::Reason reason;
  const measure::Progress progress = [](const char *part) {
    printf("measuring %s\n", part);
    fflush(nullptr); // otherwise, output to a pipe would be buffered until the end
  };
  const bool isNamed = options.session.gpu_device != 0;
  if (options.kernels &&
      !measureGpu(options.kernels, int(options.session.gpu_device) - 1, figures.gpu, progress, reason) && isNamed)
    return fail(WrongUsage, "the GPU cannot be measured", reason.text);
  if (!measureCpu(figures.cpu, progress))
    return fail(Refused, "--figures", "the system does not list its cores");
  OutputText file(options.figuresFile);
  putFigures(file.sink(), figures, reason);
  return file.close() ? Done : fail(WrongUsage, options.figuresFile, "cannot be written");
}

Status tryModel(int count, char **words) {
  static Options options;
  if (count < 2)
    return printf("%s", kUsage), WrongUsage;
  if (const Status status = parseOptions(count, words, options))
    return status;
  if (options.hasHelp)
    return printf("%s", kUsage), Done;
  if (const Status status = checkPaths(options, count, words))
    return status;
  if (const Status status = checkFigures(count, words, options))
    return status;
  if (options.figuresFile)
    return writeFigures(options);
  static TriedModel tried;
  Status status = tried.open(options.library);
  status = status ? status : tried.create(options);
  status = status ? status : tried.fillInputs(count, words);
  status = status ? status : tried.run(); // the first run accesses memory for the first time
  if (status)
    return status;
  if (options.outputs)
    status = tried.writeOutputs(options.outputs);
  else if (!options.measures())
    tried.printOutputs();
  const measure::Eviction evict(options.evictMebibytes);
  if (!evict.isReady())
    return fail(OutOfMemory, "--evict", "out of memory");
  if (!status && !options.measures())
    status = printTimes(tried, options, evict);
  if (!status && options.hasBenchmark)
    status = benchmark(tried, options, evict);
  if (!status && options.hasProfile)
    status = profile(tried, options, evict);
  nacre_session_destroy(tried.session);
  nacre_weights_close(tried.model, &tried.weights);
  return status;
}

} // namespace
} // namespace nacre::tries

int main(int count, char **words) {
  const int status = nacre::tries::tryModel(count, words);
  if (fflush(nullptr) == 0)
    return status;
  nacre::tries::fail(nacre::tries::WrongUsage, "the standard output", "cannot be written");
  return status ? status : nacre::tries::WrongUsage;
}
