// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the toy model as an app in Java may meet it: as it is, slow, endless, older, newer, of integers, quantized,
//        with an odd name.
// Why:   what no compiler of today writes must give an exception, too.
// How:   the table must be the symbol itself, so the model is copied into it when the library is loaded.

#include "runtime/src/slots.h"
#include "test/runtime/ToyModel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <unistd.h>

namespace {

using nacre::test::ToyModel;

/// The table of functions with more after it, as a later version would have.
struct LaterFunctions {
  nacre::runtime::Slots known;
  void *later[4];
};

ToyModel toy;
ToyModel slow;
ToyModel endless;
ToyModel integers;
ToyModel quantized;
ToyModel odd;
nacre::runtime::Slots olderFunctions;
LaterFunctions newerFunctions;

constexpr int32_t kDims = sizeof(ToyModel::dims) / sizeof(int64_t);

void sleepAWhile(const nacre_kernel_args *, int64_t, int64_t) { usleep(400000); }

nacre_model_table makeSlow() {
  slow.variants[3].function = sleepAWhile;
  slow.entries[0].steps += 5; // the last one alone
  slow.entries[0].step_count = 1;
  return slow.table;
}

nacre_model_table makeEndless() {
  endless.loopWhile();
  return endless.table;
}

nacre_model_table makeOlder() {
  olderFunctions = nacre::runtime::slots_of(toy.table);
  olderFunctions.functions.api_version = NACRE_OLDEST_API_VERSION - 1;
  nacre_model_table table = toy.table;
  table.head.functions = &olderFunctions.functions;
  return table;
}

nacre_model_table makeNewer() {
  newerFunctions.known = nacre::runtime::slots_of(toy.table);
  newerFunctions.known.functions.api_version = NACRE_API_VERSION + 1;
  newerFunctions.known.functions.struct_size = sizeof(newerFunctions);
  nacre_model_table table = toy.table;
  table.head.functions = &newerFunctions.known.functions;
  return table;
}

nacre_model_table makeOfAnotherFormat() {
  nacre_model_table table = toy.table;
  table.format_version = NACRE_FORMAT_VERSION + 1;
  return table;
}

nacre_model_table makeIntegers() {
  integers.inputs[0].element_type = NACRE_I32;
  return integers.table;
}

/// A model of bytes: the input has one scale, an output one for each of its 48 columns.
nacre_model_table makeQuantized() {
  static int64_t dims[kDims + 1 + nacre::test::kColumns];
  std::copy(std::begin(quantized.dims), std::end(quantized.dims), dims);
  quantized.inputs[0].element_type = quantized.outputs[0].element_type = NACRE_I8;
  quantized.inputs[0].scale = 0.25F;
  quantized.inputs[0].zero_point = -7;
  quantized.outputs[0].scale = NAN;
  quantized.outputs[0].zero_point = kDims;
  dims[kDims] = 1;
  for (int32_t column = 0; column < nacre::test::kColumns; ++column) {
    const nacre_channel_info channel = {static_cast<float>(column) * 0.5F, column - 24};
    std::memcpy(&dims[kDims + 1 + column], &channel, sizeof channel);
  }
  quantized.table.dims = dims;
  return quantized.table;
}

nacre_model_table makeOdd() {
  static char strings[] = "\0a\xff\xf0\x9f\x8c\x8az\0";
  odd.table.strings = strings;
  odd.table.strings_bytes = sizeof(strings);
  odd.table.name = odd.table.compiler = odd.table.target = 1;
  for (nacre_entry &entry : odd.entries)
    entry.name = 1;
  odd.inputs[0].name = odd.outputs[0].name = odd.outputs[1].name = odd.variables[0].tensor.name = 1;
  return odd.table;
}

} // namespace

#define NACRE_EXPORT(name, value)                                                                                      \
  extern "C" {                                                                                                         \
  extern nacre_model_table nacre_model_##name;                                                                         \
  __attribute__((visibility("default"))) nacre_model_table nacre_model_##name = value;                                 \
  }

NACRE_EXPORT(models_for_java, toy.table)
NACRE_EXPORT(slow, makeSlow())
NACRE_EXPORT(endless, makeEndless())
NACRE_EXPORT(older, makeOlder())
NACRE_EXPORT(newer, makeNewer())
NACRE_EXPORT(another_format, makeOfAnotherFormat())
NACRE_EXPORT(integers, makeIntegers())
NACRE_EXPORT(quantized, makeQuantized())
NACRE_EXPORT(odd, makeOdd())
