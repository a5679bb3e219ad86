/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What:  an assert that always checks, found before the system's in builds with sanitizers and the compiler.
 * Why:   assertions see a broken invariant long before it becomes a bad access. Without NDEBUG there would be
 *        assertions too, but also classes of LLVM's headers with members that LLVM's libraries, built with NDEBUG, do
 *        not know (llvm::Statistic).
 * How:   no include guard: the standard has each inclusion define the macro anew.
 */

#undef assert
#define assert(condition)                                                                                              \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))

#ifdef __cplusplus
extern "C" {
#elif !defined static_assert
#define static_assert _Static_assert
#endif
extern void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
    __attribute__((__noreturn__));
#ifdef __cplusplus
}
#endif
