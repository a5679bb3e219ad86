// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: changes numbers in the tables of a TensorFlow Lite model: indices, sizes, types, options, scales.
// Why:  a random change of bytes mostly breaks a table, which the verifier refuses; this is how the code after it meets
//       absurd models.

#ifndef NACRE_TEST_FUZZ_MUTATETABLES_H
#define NACRE_TEST_FUZZ_MUTATETABLES_H

#include <cstdint>
#include <string>

/// Returns whether the bytes have the mark of TensorFlow Lite.
bool hasTables(const std::string &bytes);

/// `bytes` with a few changes; what no verifier lets through comes back as it is. Equal arguments give equal results.
std::string mutateTables(const std::string &bytes, uint32_t seed);

#endif // NACRE_TEST_FUZZ_MUTATETABLES_H
