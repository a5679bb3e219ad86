// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a test talks to the Vulkan library that fails on request.
// Why:   drivers fail at every command, and the runtime must survive each; no real driver fails when asked.
// How:   a shared library that forwards to the system's Vulkan; tests find these functions in it by name.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEVULKAN_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEVULKAN_H

#include <stdint.h>

extern "C" {
/// Forgets counts, plans and objects.
void fakeVulkanReset();
/// Makes call number `call`, counted from 1, of a command fail. Names are without vk.
void fakeVulkanFail(const char *name, int call);
/// Makes that call and all later ones fail.
void fakeVulkanFailFrom(const char *name, int call);
/// Makes polls find nothing finished from now on: callers must wait.
void fakeVulkanDefyPolls();
/// Lists every device twice from now on, side by side.
void fakeVulkanShowTwice();
/// Loses the device at that call, counted from now over all commands, polls in a row as one: from then on every command
/// that may say so says so.
void fakeVulkanLoseDevice(int call);
/// Calls of all commands since the device's loss was planned, or since the reset.
int fakeVulkanAllCalls();
/// Bytes that submitted commands have copied since the reset: into memory that the CPU does not map, out of it, and
/// inside of it.
void fakeVulkanCopies(uint64_t *toGpu, uint64_t *toCpu, uint64_t *inside);
/// The most bytes of memory that were allocated at once since the reset.
uint64_t fakeVulkanPeakBytes();
/// Lets a command not be found.
void fakeVulkanHide(const char *name);
/// Calls of a command since the reset.
int fakeVulkanCalls(const char *name);
/// Objects made and not destroyed since the reset.
int fakeVulkanLiveObjects();
/// Returns whether a planned failure has happened.
bool fakeVulkanHasFailed();
}

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEVULKAN_H
