// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the functions that libnacre_jni.so needs from the C library.
// Why: like the runtime, this library is built for Android without the NDK, so there are no libc headers.
// How: glibc and bionic share these declarations. The CMakeLists.txt of this folder lists the same names for the
//      linker.

#ifndef NACRE_RUNTIME_JAVA_JNI_LIBC_H
#define NACRE_RUNTIME_JAVA_JNI_LIBC_H

#include <stddef.h>

extern "C" {
void *calloc(size_t, size_t);
void free(void *);
size_t strlen(const char *);
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
char *dlerror(void);
}

#endif // NACRE_RUNTIME_JAVA_JNI_LIBC_H
