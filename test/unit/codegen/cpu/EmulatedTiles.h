// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  executes the instructions of Intel AMX on a CPU that has none.
// Why:   few machines that run tests have these instructions.
// How:   a handler of SIGILL decodes the instruction, computes it on tiles in memory, and continues after it. Operands
//        and results are those of the Intel Architecture Instruction Set Extensions Programming Reference, chapter 3.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_EMULATEDTILES_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_EMULATEDTILES_H

#include <csignal>
#include <cstdint>

namespace nacre::codegen::test {

/// Emulates AMX in this process from construction to destruction. Only one object may exist, and only one thread may
/// use tiles. Any other illegal instruction goes to the handler that was there before.
class EmulatedTiles {
public:
  EmulatedTiles();
  EmulatedTiles(const EmulatedTiles &) = delete;
  EmulatedTiles &operator=(const EmulatedTiles &) = delete;
  ~EmulatedTiles();

  /// True if this machine has the vectors that code with tiles uses in addition.
  static bool arePossible();
  /// Number of products of matrices that were computed.
  static uint64_t products();

private:
  struct sigaction before = {};
};

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_EMULATEDTILES_H
