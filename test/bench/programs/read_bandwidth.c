// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures how fast threads read each level of the memory, and prints one JSON line. usage: read_bandwidth [threads]
//
// Why: what a layer's bytes take is the other limit of its time, besides the FMA peak.
// How: every thread reads a buffer of its own over and over, in vectors that nothing depends on: of half of the second
//      level, of an eighth of the last, and of eight times the last, which no cache holds; from one end to the other,
//      and eight parts side by side, which keeps more prefetchers at work. The best of several tries is kept, since
//      others only ever take time away.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t vector __attribute__((vector_size(64)));

enum { TRIES = 5, MOST_THREADS = 256 };

struct reader {
  const vector *data;
  size_t vectors;
  int streams; // parts that are read side by side
  long iterations;
  vector sum;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *read_all(void *argument) {
  struct reader *reader = argument;
  vector a = {0}, b = {0}, c = {0}, d = {0};
  const size_t part = reader->vectors / (size_t)reader->streams;
  for (long iteration = 0; iteration < reader->iterations; iteration++) {
    for (size_t i = 0; i + 4 <= part; i += 4)
      for (int stream = 0; stream < reader->streams; stream++) {
        const vector *from = reader->data + (size_t)stream * part + i;
        a ^= from[0];
        b ^= from[1];
        c ^= from[2];
        d ^= from[3];
      }
    __asm__ volatile("" ::: "memory");
  }
  reader->sum = a ^ b ^ c ^ d;
  return NULL;
}

/// Bytes a second, of all threads, each with a buffer of `bytes`.
static double measure_streams(int threads, size_t bytes, int streams) {
  static struct reader readers[MOST_THREADS];
  pthread_t handles[MOST_THREADS];
  for (int i = 0; i < threads; i++) {
    void *data;
    if (posix_memalign(&data, 4096, bytes))
      return 0;
    memset(data, i + 1, bytes);
    readers[i] = (struct reader){data, bytes / sizeof(vector), streams, (long)(((size_t)1 << 29) / bytes + 1), {0}};
  }
  double best = 0;
  for (int i = 0; i < TRIES; i++) {
    double start = now();
    for (int t = 1; t < threads; t++)
      pthread_create(&handles[t], NULL, read_all, &readers[t]);
    read_all(&readers[0]);
    for (int t = 1; t < threads; t++)
      pthread_join(handles[t], NULL);
    double rate = (double)threads * (double)readers[0].iterations * (double)bytes / (now() - start);
    if (rate > best)
      best = rate;
  }
  for (int i = 0; i < threads; i++)
    free((void *)readers[i].data);
  return best;
}

static double measure(int threads, size_t bytes) {
  const double one = measure_streams(threads, bytes, 1), several = measure_streams(threads, bytes, 8);
  return one > several ? one : several;
}

/// Returns the size of a cache that the kernel states, or the C library: on some machines it takes those of all sockets
/// together for one.
static size_t cache_bytes(int level, int name, size_t otherwise) {
  for (int index = 0; index < 8; index++) {
    char path[96], text[2][32] = {"", ""};
    static const char *const files[2] = {"level", "size"};
    for (int i = 0; i < 2; i++) {
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, files[i]);
      FILE *file = fopen(path, "r");
      if (file && !fgets(text[i], sizeof text[i], file))
        text[i][0] = 0;
      if (file)
        fclose(file);
    }
    if (atoi(text[0]) == level && atol(text[1]) > 0) // kibibytes
      return (size_t)atol(text[1]) * 1024;
  }
  const long bytes = sysconf(name);
  return bytes > 0 ? (size_t)bytes : otherwise;
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  if (threads < 1 || threads > MOST_THREADS) {
    fprintf(stderr, "read_bandwidth: the number of threads must be 1 to %d\n", MOST_THREADS);
    return 1;
  }
  const size_t second = cache_bytes(2, _SC_LEVEL2_CACHE_SIZE, (size_t)512 << 10);
  const size_t last = cache_bytes(3, _SC_LEVEL3_CACHE_SIZE, second);
  const size_t eighth = last / 8 / (size_t)threads;
  const double inner = measure(threads, second / 2),
               outer = measure(threads, eighth > 2 * second ? eighth : 2 * second), memory = measure(threads, 8 * last);
  printf(
      "{\"l2_bytes\":%zu,\"l2_gbps\":%.1f,\"last_bytes\":%zu,\"last_gbps\":%.1f,\"memory_gbps\":%.1f,\"threads\":%d}\n",
      second, inner / 1e9, last, outer / 1e9, memory / 1e9, threads);
  return 0;
}
