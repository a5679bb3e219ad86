/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What Android's C library has and glibc has not: where a program begins. Linked as libc.so, over glibc, for programs on qemu. */
#include <stdlib.h>

void __libc_init(long *stack, void (*at_exit)(void), int (*run)(int, char **), void *const *structors);

void __libc_init(long *stack, void (*at_exit)(void), int (*run)(int, char **), void *const *structors) {
  (void)at_exit;
  (void)structors;
  exit(run((int)stack[0], (char **)(stack + 1)));
}
