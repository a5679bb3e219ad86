// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: changes a model the way hostile or careless people would: other sizes, attributes, types, operators,
//       connections.
// Why:  nearly every random change of bytes is refused by the reader; this is how the code after it meets absurd
//       models.

#ifndef NACRE_TEST_FUZZ_MUTATEMODEL_H
#define NACRE_TEST_FUZZ_MUTATEMODEL_H

#include <cstdint>
#include <string>

/// `bytes` with a few changes; bytes that are not a model come back as they are. Equal arguments give equal results.
std::string mutateModel(const std::string &bytes, uint32_t seed);

#endif // NACRE_TEST_FUZZ_MUTATEMODEL_H
