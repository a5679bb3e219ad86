// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds damage in a model's library before it is opened.
// Why: the system's loader trusts a library's headers and tables. With a truncated download or a flipped bit, a signal
//      ends the whole process. So every program and language binding calls this check first.
// How: 1. headers and segments must fit the file (elf_file.h).
//      2. The contents must have the checksum that nacre-compile wrote (content_sum.h); libraries of older versions
//         have none.
//      3. The tables of the loader must fit the segments (dynamic_section.h).
//
// Running `strip` on the library does not change the result.

#ifndef NACRE_RUNTIME_INSPECT_LIBRARY_CHECK_H
#define NACRE_RUNTIME_INSPECT_LIBRARY_CHECK_H

#include <stdint.h>

#if defined(NACRE_INSPECT_SHARED)
#define NACRE_INSPECT_API __attribute__((visibility("default")))
#else
#define NACRE_INSPECT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nacre_library_verdict {
  NACRE_LIBRARY_GOOD = 0,
  NACRE_LIBRARY_UNREADABLE = 1,     /**< The system's error number is in the facts. */
  NACRE_LIBRARY_UNKNOWN_FORMAT = 2, /**< It is no 64-bit shared library. */
  NACRE_LIBRARY_OTHER_MACHINE = 3,  /**< Its instructions are another machine's. */
  NACRE_LIBRARY_DAMAGED = 4
} nacre_library_verdict;

typedef struct nacre_library_facts {
  uint64_t code_bytes;  /**< Of its executable segments. */
  int32_t system_error; /**< As errno, if the file cannot be read. */
  char symbol[1024];    /**< The first `nacre_model_<name>`; empty if there is none. */
  char build_id[65];    /**< Hexadecimal; empty if there is none. */
  char reason[256];     /**< Follows the file's name in a message; empty if the library is good. */
} nacre_library_facts;

/** Returns a nacre_library_verdict and fills in the facts. */
NACRE_INSPECT_API int nacre_library_check(const char *path, nacre_library_facts *out_facts);

/** Computes the checksum of a linked library. Returns 0, and the reason, if the library has no room for one. */
NACRE_INSPECT_API int nacre_library_sum(const char *path, uint64_t *out_sum, uint64_t *out_offset,
                                        nacre_library_facts *out_facts);

#ifdef __cplusplus
}
#endif

#endif // NACRE_RUNTIME_INSPECT_LIBRARY_CHECK_H
