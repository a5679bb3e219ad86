// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the programs of these tests have in common: to find a model, to stop where a call fails, to count what is
//        asked of the C library's allocator.
// Why:   each of them runs compiled models as an app does, and no more.
// How:   a program is one source, and includes this once. Calls are counted while `watching`, if
//        NACRE_COUNT_ALLOCATIONS says so: a sanitizer interposes these functions itself.

#ifndef NACRE_TEST_E2E_PROGRAM_H
#define NACRE_TEST_E2E_PROGRAM_H

#include "nacre/runtime.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>
#include <string>

inline std::atomic<bool> watching{false};
inline std::atomic<long> allocations{0};

#ifdef NACRE_COUNT_ALLOCATIONS
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  allocations += watching;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  allocations += watching;
  return __libc_calloc(count, bytes);
}
void *realloc(void *block, size_t bytes) {
  allocations += watching;
  return __libc_realloc(block, bytes);
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  allocations += watching;
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
}
#endif

[[noreturn]] inline void fail(const std::string &text) {
  fprintf(stderr, "%s\n", text.c_str());
  exit(1);
}

inline void check(nacre_status status, const std::string &what) {
  if (status != NACRE_OK)
    fail(what + ": " + nacre_status_text(status));
}

/// Reads the numbers of `text`, which colons separate. Numbers that are not given stay as they are.
inline void readNumbers(const char *text, std::initializer_list<long *> numbers) {
  for (long *number : numbers) {
    char *end;
    *number = strtol(text, &end, 10);
    if (end == text || (*end != ':' && *end != '\0'))
      fail(std::string("a number was expected at '") + text + "'");
    if (*end == '\0')
      return;
    text = end + 1;
  }
}

/// The model of that name in a library, which stays loaded.
inline const nacre_model *findModel(const std::string &path, const std::string &name) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  const void *model = dlsym(library, ("nacre_model_" + name).c_str());
  if (!model)
    fail(path + " has no model " + name);
  return static_cast<const nacre_model *>(model);
}

#endif // NACRE_TEST_E2E_PROGRAM_H
