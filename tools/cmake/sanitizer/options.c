/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What:  defaults of the sanitizers, linked into every program of a build that has them and the compiler.
 * Why:   LLVM's libraries are built without sanitizers. A container or an arena that inline code of ours poisons, as
 * LLVM's headers tell it to, is filled by code of theirs that never unpoisons it: both kinds of poison are reports of
 * errors that are none.
 */

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void) { return "detect_container_overflow=0:allow_user_poisoning=0"; }
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
