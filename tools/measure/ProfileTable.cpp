// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the parts of a profile for people.

#include "tools/measure/Libc.h"
#include "tools/measure/Profile.h"

namespace nacre::measure {
namespace {

int compareLaunches(const void *a, const void *b) {
  const LaunchProfile *one = *static_cast<LaunchProfile *const *>(a), *other = *static_cast<LaunchProfile *const *>(b);
  if (one->median != other->median)
    return one->median > other->median ? -1 : 1;
  return one < other ? -1 : one > other; // launches with equal times stay in execution order
}

void putRow(const Sink &sink, const LaunchProfile &launch, uint64_t sum) {
  struct Word {
    char text[32];
    size_t length;
  } engine = {};
  const Sink toWord = {[](void *user, const char *text, size_t bytes) {
                         Word &word = *static_cast<Word *>(user);
                         for (size_t i = 0; i < bytes && word.length + 1 < sizeof word.text; ++i)
                           word.text[word.length++] = text[i];
                       },
                       &engine};
  putEngine(toWord, launch.latest);
  putFormat(sink, "%12.3f %6.2f%% %7llu  %-12s %-12s ", double(launch.median) * 1e-3,
            sum ? 100.0 * double(launch.median) / double(sum) : 0,
            static_cast<unsigned long long>(launch.latest.executions), engine.text, launch.info.kind);
  putText(sink, launch.info.kernel);
  for (size_t column = strlen(launch.info.kernel); column < 24; ++column)
    putText(sink, " ");
  putText(sink, " ");
  putText(sink, launch.info.name);
  putText(sink, "\n");
}

bool endsWith(const char *text, size_t bytes, const char *end) {
  const size_t length = strlen(end);
  return bytes >= length && strncmp(text + bytes - length, end, length) == 0;
}

/// Writes the times of the three parts of a training step. nacre-compile derives the names of its nodes from the
/// model's node: `conv1 dX`, `conv1 dW`, `conv1 update`. A launch without a node is a copy to a state.
void putParts(const Sink &sink, Launches launches) {
  uint64_t forward = 0, backward = 0, update = 0;
  for (uint32_t i = 0; i < launches.count; ++i) {
    bool isBackward = false, isUpdate = true;
    for (const char *names = launches.rows[i].info.name; *names;) {
      const char *comma = strstr(names, ", ");
      const size_t bytes = comma ? size_t(comma - names) : strlen(names);
      isBackward |= endsWith(names, bytes, " dX") || endsWith(names, bytes, " dW");
      isUpdate &= endsWith(names, bytes, " update");
      names += comma ? bytes + 2 : bytes;
    }
    (isBackward ? backward : isUpdate ? update : forward) += launches.rows[i].median;
  }
  const uint64_t sum = forward + backward + update;
  const double percent = 100.0 / double(sum ? sum : 1);
  if (backward)
    putFormat(sink,
              "forward %.3f ms (%.1f %%), backward with updates in the same launches %.3f ms (%.1f %%), update %.3f ms "
              "(%.1f %%)\n",
              double(forward) * 1e-6, double(forward) * percent, double(backward) * 1e-6, double(backward) * percent,
              double(update) * 1e-6, double(update) * percent);
}

void putCount(const Sink &sink, uint64_t count, const char *noun, const char *plural) {
  putFormat(sink, "%llu %s%s", static_cast<unsigned long long>(count), noun, count == 1 ? "" : plural);
}

} // namespace

void putEngine(const Sink &sink, const nacre_launch_time &time) {
  if (time.gpu_share == 0 || time.cpu_share == 0)
    putText(sink, time.gpu_share ? "gpu" : "cpu");
  else
    putFormat(sink, "gpu %llu/%llu", static_cast<unsigned long long>(time.gpu_share),
              static_cast<unsigned long long>(time.cut_extent));
}

void putTable(const Sink &sink, Launches launches) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < launches.count; ++i)
    sum += launches.rows[i].median;
  putFormat(sink, "%12s %7s %7s  %-12s %-12s %-24s %s\n", "us", "share", "times", "engine", "kind", "kernel", "nodes");
  auto **order = static_cast<LaunchProfile **>(malloc((launches.count + 1) * sizeof(LaunchProfile *)));
  for (uint32_t i = 0; order && i < launches.count; ++i)
    order[i] = &launches.rows[i];
  if (order)
    qsort(order, launches.count, sizeof *order, compareLaunches);
  for (uint32_t i = 0; i < launches.count; ++i)
    putRow(sink, order ? *order[i] : launches.rows[i], sum);
  free(order);
  putFormat(sink, "%12.3f %6.2f%%\n", double(sum) * 1e-3, 100.0);
  putParts(sink, launches);
}

void putEngines(const Sink &sink, const nacre_session_info &engines) {
  if (!engines.device[0])
    return;
  putText(sink, engines.device);
  putText(sink, ": ");
  putCount(sink, engines.gpu_launches, "launch", "es");
  putFormat(sink, ", %u on the CPU, ", engines.cpu_launches);
  putCount(sink, engines.submissions, "submission", "s");
  putText(sink, ", ");
  putCount(sink, engines.barriers, "barrier", "s");
  putText(sink, ", ");
  putCount(sink, engines.pipelines, "pipeline", "s");
  putText(sink, ", ");
  putCount(sink, engines.gpu_bytes, "byte", "s");
  const uint64_t all = engines.gpu_open_time + engines.gpu_pipelines_time + engines.gpu_weights_time +
                       engines.gpu_recording_time + engines.gpu_measuring_time;
  putFormat(sink,
            "\ncreated in %.1f ms: device %.1f, pipelines %.1f, weights %.1f, recording %.1f, tests and tuning %.1f\n",
            double(all) * 1e-6, double(engines.gpu_open_time) * 1e-6, double(engines.gpu_pipelines_time) * 1e-6,
            double(engines.gpu_weights_time) * 1e-6, double(engines.gpu_recording_time) * 1e-6,
            double(engines.gpu_measuring_time) * 1e-6);
}

} // namespace nacre::measure
