/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entry point of a program. Android's C library needs the arguments as they are on the stack, and lists of
 * constructors and destructors, which are empty in a C program.
 */
extern int main(int count, char **arguments);
_Noreturn void __libc_init(void *stack, void (*at_exit)(void), int (*run)(int, char **), void *const *structors);

__attribute__((used)) static _Noreturn void begin(void *stack) {
  static void *const structors[8];
  __libc_init(stack, 0, main, structors);
}

__attribute__((naked)) void _start(void) {
#if defined(__aarch64__)
  __asm__("mov x29, #0\n mov x30, #0\n mov x0, sp\n b begin");
#else
  __asm__("xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin");
#endif
}
