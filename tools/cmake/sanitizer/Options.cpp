// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defaults of the sanitizers, linked into every program of a build with sanitizers and the compiler. LLVM's libraries
// are built without sanitizers. Inline code of LLVM's headers in Nacre poisons containers and arenas, but code in
// LLVM's libraries fills them without unpoisoning. Both kinds of poison would cause false reports.

extern "C" const char *__asan_default_options();
extern "C" const char *__ubsan_default_options();

extern "C" const char *__asan_default_options() { return "detect_container_overflow=0:allow_user_poisoning=0"; }
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }
