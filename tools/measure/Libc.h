// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the C library that tools/measure calls. Programs for Android are built without the NDK, so the
// headers of its C library are missing. For other systems, this file includes the system's headers. Android 7 has all
// of these functions.

#ifndef NACRE_TOOLS_MEASURE_LIBC_H
#define NACRE_TOOLS_MEASURE_LIBC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__ANDROID__)
extern "C" {
struct timespec {
  long tv_sec, tv_nsec;
};
typedef struct FILE FILE;
typedef long pthread_t;
typedef struct cpu_set_t cpu_set_t;
constexpr int CLOCK_MONOTONIC = 1;

int clock_gettime(int clock, timespec *time);
int sched_yield();
int sched_getaffinity(int process, size_t bytes, cpu_set_t *mask);
int sched_setaffinity(int process, size_t bytes, const cpu_set_t *mask);
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
void *malloc(size_t bytes);
const char *strerror(int error);
void *realloc(void *block, size_t bytes);
void free(void *block);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
const char *strchr(const char *text, int letter);
const char *strrchr(const char *text, int letter);
const char *strstr(const char *text, const char *part);
unsigned long strtoul(const char *text, char **end, int base);
double strtod(const char *text, char **end);
void qsort(void *rows, size_t count, size_t bytes, int (*compare)(const void *, const void *));
FILE *fopen(const char *path, const char *mode);
char *fgets(char *line, int capacity, FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fclose(FILE *file);
int fflush(FILE *file);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int snprintf(char *to, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t capacity, const char *format, va_list arguments);
long write(int file, const void *from, size_t bytes);
char *realpath(const char *path, char *resolved);
void *dlopen(const char *path, int flags);
void *dlsym(void *library, const char *name);
const char *dlerror();
int dlclose(void *library);
constexpr int RTLD_NOW = 2;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#endif

#endif // NACRE_TOOLS_MEASURE_LIBC_H
