/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What:  runs a compiled model on a phone, from adb's shell: what comes out, how long it takes, who computed it.
 * Why:   a model should be tried on a phone before there is an app, by the same library that the app will have.
 * How:   C without the NDK: nacre/runtime.h, and the few functions of Android's C library that are declared here.
 */
#include "runtime/include/nacre/runtime.h"
#include "runtime/inspect/library_check.h"

extern int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern int strncmp(const char *a, const char *b, size_t count);
extern const char *strrchr(const char *text, int letter);
extern unsigned long strlen(const char *text);
extern unsigned long strtoul(const char *text, char **end, int base);
extern void *memcpy(void *to, const void *from, size_t bytes);
extern void *fopen(const char *path, const char *mode);
extern size_t fread(void *to, size_t size, size_t count, void *file);
extern int fclose(void *file);
extern int fflush(void *file);
extern long write(int file, const void *from, size_t bytes);
extern void *dlopen(const char *path, int flags);
extern void *dlsym(void *library, const char *name);
extern const char *dlerror(void);
struct timespec {
  long seconds, nanoseconds;
};
extern int clock_gettime(int clock, struct timespec *time);

static const char usage[] = "USAGE: nacre-try lib<model>.so [options]\n"
                            "\n"
                            "Runs a compiled model once, prints its outputs, and measures more runs.\n"
                            "\n"
                            "Inputs:\n"
                            "\n"
                            "  --input=<name=file>   Read this input from an .npy file with its type and\n"
                            "                        shape; repeatable (default: floats generated in\n"
                            "                        [-1, 1), everything else 0)\n"
                            "  --weights-file=<file> Weights of a model compiled with --weights-in=file\n"
                            "                        (default: lib<model>.weights, next to the library)\n"
                            "\n"
                            "Measurement:\n"
                            "\n"
                            "  --runs=<N>            Number of measured runs (default: at least 3, for half\n"
                            "                        a second)\n"
                            "  --threads=<N>         Number of threads, including the calling one (default:\n"
                            "                        the big cores)\n"
                            "\n"
                            "GPUs:\n"
                            "\n"
                            "  --cpu                 Never use the GPU (default: use it if the model has\n"
                            "                        code for it and it works)\n"
                            "  --gpu                 Fail if the GPU cannot be used\n"
                            "  --gpu-cut=<percent>   Give the GPU this share of every launch it supports\n"
                            "  --tune=<ms>           Spend this long to find the fastest shares and code\n"
                            "  --cache=<folder>      Keep compiled GPU code and tuning results in this\n"
                            "                        folder\n"
                            "\n"
                            "General:\n"
                            "\n"
                            "  --help                Print this text\n";

static int fail(const char *what, const char *why) {
  printf("nacre-try: %s: %s\n", what, why);
  return 1;
}

static void print_choice(void *user, nacre_log_level level, const char *message) {
  (void)user;
  if (level == NACRE_LOG_INFO)
    printf("%s\n", message);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(1 /* monotonic */, &now);
  return (double)now.seconds * 1e3 + (double)now.nanoseconds / 1e6;
}

/** The rest of the word behind a prefix, or NULL. */
static const char *behind(const char *word, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static int read_number(const char *text, unsigned long *number) {
  char *end;
  *number = strtoul(text, &end, 10);
  return end != text && *end == 0 && *number > 0 && *number < 1000000;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/** libmy-model.so exports nacre_model_my_model: what is neither letter nor digit is `_`, and a digit has one before it. */
static const nacre_model *open_model(const char *path) {
  static char symbol[256] = "nacre_model_", file[4096] = "./";
  const char *slash = strrchr(path, '/'), *name = behind(slash ? slash + 1 : path, "lib");
  const size_t length = name ? strlen(name) : 0;
  if (length <= 3 || length > 200 || strncmp(name + length - 3, ".so", 4) != 0 || strlen(path) > 4000) {
    fail(path, "must be lib<model>.so, as nacre-compile has named it");
    return NULL;
  }
  char *to = symbol + strlen(symbol);
  if (is_digit(name[0]))
    *to++ = '_';
  for (size_t i = 0; i < length - 3; ++i)
    *to++ = is_letter(name[i]) || is_digit(name[i]) ? name[i] : '_';
  memcpy(file + 2, path, strlen(path) + 1);
  static nacre_library_facts facts;
  if (nacre_library_check(path, &facts) != NACRE_LIBRARY_GOOD) {
    fail(path, facts.reason);
    return NULL;
  }
  void *library = dlopen(slash ? path : file, 2 /* now */);
  const void *model = library ? dlsym(library, symbol) : NULL;
  if (!model)
    fail(path, dlerror());
  return (const nacre_model *)model;
}

static int read_array(const char *path, void *to, uint64_t bytes) {
  unsigned char head[10], rest;
  void *file = fopen(path, "rb");
  int is_read = file && fread(head, 1, 10, file) == 10 && strncmp((const char *)head + 1, "NUMPY", 5) == 0;
  for (unsigned left = is_read ? head[8] + 256u * head[9] : 0; is_read && left > 0; --left)
    is_read = fread(&rest, 1, 1, file) == 1;
  is_read = is_read && fread(to, 1, bytes, file) == bytes && fread(&rest, 1, 1, file) == 0;
  if (file)
    fclose(file);
  return is_read;
}

static void make_up(float *to, uint64_t count) {
  uint32_t state = 1;
  for (uint64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    to[i] = (float)(int32_t)state / 2147483648.0f;
  }
}

static int fill_inputs(nacre_session *session, const nacre_model *model, const nacre_entry_info *entry) {
  for (uint32_t i = 0; i < entry->input_count; ++i) {
    nacre_tensor_info info;
    void *data;
    if (nacre_input_describe(model, 0, i, &info) != NACRE_OK || nacre_session_input(session, i, &data) != NACRE_OK)
      return fail("input", nacre_session_reason(session));
    if (info.type == NACRE_F32)
      make_up((float *)data, info.bytes / sizeof(float));
    else
      for (uint64_t byte = 0; byte < info.bytes; ++byte)
        ((char *)data)[byte] = 0;
  }
  return 0;
}

/** `name=file.npy` */
static int read_input(nacre_session *session, const nacre_model *model, const nacre_entry_info *entry,
                      const char *text) {
  for (uint32_t i = 0; i < entry->input_count; ++i) {
    nacre_tensor_info info;
    void *data;
    const char *path;
    if (nacre_input_describe(model, 0, i, &info) != NACRE_OK || nacre_session_input(session, i, &data) != NACRE_OK)
      return fail("input", nacre_session_reason(session));
    if ((path = behind(text, info.name)) && *path == '=')
      return read_array(path + 1, data, info.bytes)
                 ? 0
                 : fail(path + 1, "must be an .npy file with the bytes of the input");
  }
  return fail(text, "must be <name>=<file.npy> with the name of an input");
}

static void print_output(nacre_session *session, const nacre_model *model, uint32_t index) {
  nacre_tensor_info info;
  int64_t dims[64];
  void *data;
  nacre_output_describe(model, 0, index, &info);
  nacre_session_output(session, index, &data);
  nacre_session_output_dims(session, index, dims);
  printf("%s [", info.name);
  int64_t count = 1;
  for (uint32_t d = 0; d < info.rank; ++d) {
    printf(d ? ",%lld" : "%lld", (long long)dims[d]);
    count *= dims[d];
  }
  printf("]");
  /* Where data decide a size, elements are apart as if all were there. */
  if (info.type == NACRE_F32 && !info.open_axes && count > 0) {
    const float *values = (const float *)data;
    int64_t least = -1, most = -1, nans = 0; /* -1: no number so far */
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] != values[i]) {
        ++nans;
        continue;
      }
      least = least < 0 || values[i] < values[least] ? i : least;
      most = most < 0 || values[i] > values[most] ? i : most;
    }
    if (nans)
      printf(": %lld of %lld NaN", (long long)nans, (long long)count);
    if (most >= 0)
      printf("%s smallest %g, largest %g at %lld", nans ? "; of the others:" : ":", (double)values[least],
             (double)values[most], (long long)most);
  }
  printf("\n");
}

static int run(int count, char **words) {
  nacre_session_options options = nacre_session_options_default();
  char reason[300] = "";
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  unsigned long runs = 3, value = 0;
  double enough = 500; /* milliseconds */
  for (int w = 1; w < count; ++w)
    if (strncmp(words[w], "--help", 7) == 0)
      return printf("%s", usage), 0;
  if (count < 2 || words[1][0] == '-')
    return printf("%s", usage), 2;
  const char *number, *weights = NULL;
  for (int w = 2; w < count; ++w) {
    int is_right = 1;
    if ((number = behind(words[w], "--threads=")))
      is_right = read_number(number, &value), options.threads = (uint32_t)value;
    else if ((number = behind(words[w], "--runs=")))
      is_right = read_number(number, &runs), enough = 0;
    else if ((number = behind(words[w], "--gpu-cut=")))
      is_right = read_number(number, &value) && value <= 100, options.gpu_cut = NACRE_GPU_CUT((uint32_t)value);
    else if ((number = behind(words[w], "--tune=")))
      is_right = read_number(number, &value), options.tune_budget_ms = (uint32_t)value, options.log = print_choice;
    else if ((number = behind(words[w], "--cache=")))
      is_right = *number != 0, options.cache_folder = number;
    else if ((number = behind(words[w], "--weights-file=")))
      is_right = *number != 0, weights = number;
    else if (strncmp(words[w], "--cpu", 6) == 0)
      options.gpu = NACRE_GPU_NEVER;
    else if (strncmp(words[w], "--gpu", 6) == 0)
      options.gpu = NACRE_GPU_REQUIRED;
    else
      is_right = behind(words[w], "--input=") != NULL;
    if (!is_right)
      return fail(words[w], "unknown option"), printf("%s", usage), 2;
  }

  const nacre_model *model = open_model(words[1]);
  if (!model)
    return 1;
  static char beside[4096];
  nacre_weights file = {NULL, 0, 0};
  if (nacre_weights_are_apart(model)) {
    const size_t length = strlen(words[1]) - 3; /* without .so */
    memcpy(beside, words[1], length);
    memcpy(beside + length, ".weights", 9);
    if (!weights)
      weights = beside;
    if (nacre_weights_open(model, weights, &file, reason, sizeof reason) != NACRE_OK)
      return fail(weights, reason);
    options.weights = file.data;
    options.weights_bytes = file.bytes;
  }
  nacre_session *session;
  const double before = milliseconds();
  const nacre_status status = nacre_session_create(model, &options, &session);
  if (status != NACRE_OK)
    return fail(nacre_status_text(status), reason);
  const double created = milliseconds() - before;
  nacre_entry_info entry;
  nacre_entry_describe(model, 0, &entry);
  if (fill_inputs(session, model, &entry))
    return 1;
  for (int w = 2; w < count; ++w)
    if ((number = behind(words[w], "--input=")) && read_input(session, model, &entry, number))
      return 1;

  double least = 0, sum = 0;
  unsigned long counted = 0;
  for (int is_first = 1; is_first || counted < runs || sum < enough; is_first = 0) {
    const double start = milliseconds();
    if (nacre_session_run(session) != NACRE_OK)
      return fail("run", nacre_session_reason(session));
    const double took = milliseconds() - start;
    if (is_first)
      continue; /* which touches memory for the first time */
    least = counted && least < took ? least : took;
    sum += took;
    ++counted;
  }
  for (uint32_t i = 0; i < entry.output_count; ++i)
    print_output(session, model, i);

  nacre_session_info info;
  nacre_memory_info memory;
  nacre_session_describe(session, &info);
  nacre_session_memory(model, &options, &memory);
  printf("%s, %u thread%s; %llu bytes; made in %.1f ms\n", info.device[0] ? info.device : "CPU", info.threads,
         info.threads == 1 ? "" : "s", (unsigned long long)memory.block_bytes, created);
  if (counted)
    printf("least %.3f ms, mean %.3f ms of %lu run%s\n", least, sum / (double)counted, counted,
           counted == 1 ? "" : "s");
  if (nacre_session_reason(session)[0])
    printf("%s\n", nacre_session_reason(session));
  nacre_session_destroy(session);
  nacre_weights_close(model, &file);
  return 0;
}

int main(int count, char **words) {
  static const char lost[] = "nacre-try: the standard output cannot be written\n";
  const int status = run(count, words);
  if (fflush(NULL) == 0)
    return status;
  return write(2 /* standard error */, lost, sizeof lost - 1) < 0 || status == 0 ? 1 : status;
}
