/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An assert that always checks. Builds with sanitizers and the compiler find this header before the system's. Assertions
 * detect a broken invariant long before it causes a bad access. A build without NDEBUG would also have assertions. But
 * then classes of LLVM's headers would have members that LLVM's libraries, built with NDEBUG, do not have
 * (llvm::Statistic). There is no include guard: by the standard, each inclusion redefines the macro.
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
