/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An app, in C and in C++, that prints what a library says of the integers of its inputs and outputs: a line for each of the entry given
 * by number, with the bits of scales. Arguments: the library, its symbol, the entry.
 */
#ifdef __cplusplus
#include "nacre/runtime.hpp"
#else
#include "nacre/runtime.h"
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_pair(float scale, int32_t zero_point) {
  uint32_t bits;
  memcpy(&bits, &scale, sizeof bits);
  printf(" %08x %d", (unsigned)bits, (int)zero_point);
}

static void print_tensor(const char *side, uint32_t index, const nacre_tensor_info *info) {
  printf("%s %u:", side, (unsigned)index);
  print_pair(info->scale, info->zero_point);
  if (info->channels) {
    printf(" axis %u:", (unsigned)info->channel_axis);
    for (int64_t i = 0; i < info->dims[info->channel_axis]; ++i)
      print_pair(info->channels[i].scale, info->channels[i].zero_point);
  }
  printf("\n");
}

int main(int count, char **arguments) {
  nacre_entry_info entry;
  nacre_tensor_info info;
  const nacre_model *model;
  uint32_t number;
  void *library = count == 4 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (!library || !(model = (const nacre_model *)dlsym(library, arguments[2])))
    return 1;
  number = (uint32_t)atoi(arguments[3]);
  if (nacre_entry_describe(model, number, &entry) != NACRE_OK)
    return 1;
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    if (nacre_input_describe(model, number, i, &info) != NACRE_OK)
      return 1;
    print_tensor("input", i, &info);
  }
  for (uint32_t i = 0; i < entry.output_count; ++i) {
    if (nacre_output_describe(model, number, i, &info) != NACRE_OK)
      return 1;
    print_tensor("output", i, &info);
  }
  return 0;
}
