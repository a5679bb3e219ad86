// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. tiles and their instructions; 2. decoding; 3. the handler.

#include "test/unit/codegen/cpu/EmulatedTiles.h"

#include <cstring>
#include <optional>
#include <ucontext.h>

namespace nacre::codegen::test {

#if defined(__x86_64__)

namespace {

//===----------------------------------------------------------------------===//
// 1. Tiles
//===----------------------------------------------------------------------===//

constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;

struct Tile {
  int rows = 0, bytes = 0; ///< Rows in use, and bytes of each.
  uint8_t data[kRows][kRowBytes] = {};
};

Tile tiles[kTiles];
uint64_t numberOfProducts = 0;
struct sigaction *previous = nullptr;

/// Reads the operand of ldtilecfg. All tiles become zero.
void configure(const uint8_t *shapes) {
  for (int number = 0; number < kTiles; ++number) {
    tiles[number] = {};
    std::memcpy(&tiles[number].bytes, shapes + 16 + 2 * number, 2);
    tiles[number].rows = shapes[48 + number];
  }
}

void load(Tile &tile, const uint8_t *from, int64_t stride) {
  std::memset(tile.data, 0, sizeof tile.data);
  for (int row = 0; row < tile.rows; ++row)
    std::memcpy(tile.data[row], from + row * stride, size_t(tile.bytes));
}

void store(const Tile &tile, uint8_t *to, int64_t stride) {
  for (int row = 0; row < tile.rows; ++row)
    std::memcpy(to + row * stride, tile.data[row], size_t(tile.bytes));
}

/// Calls `body` with the word of `sums`, and the words of `left` and `right`, for all products.
template <typename Body> void forWords(Tile &sums, const Tile &left, const Tile &right, Body body) {
  for (int row = 0; row < sums.rows; ++row)
    for (int word = 0; word < left.bytes / 4; ++word)
      for (int column = 0; column < sums.bytes / 4; ++column)
        body(sums.data[row] + 4 * column, left.data[row] + 4 * word, right.data[word] + 4 * column);
  ++numberOfProducts;
}

template <typename Left, typename Right> void multiplyBytes(Tile &sums, const Tile &left, const Tile &right) {
  forWords(sums, left, right, [](uint8_t *sum, const uint8_t *a, const uint8_t *b) {
    uint32_t total;
    std::memcpy(&total, sum, sizeof total);
    for (int byte = 0; byte < 4; ++byte)
      total += uint32_t(int(Left(a[byte])) * int(Right(b[byte])));
    std::memcpy(sum, &total, sizeof total);
  });
}

float bfloat(const uint8_t *from) {
  uint32_t bits = uint32_t(from[0] | from[1] << 8) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void multiplyBfloats(Tile &sums, const Tile &left, const Tile &right) {
  forWords(sums, left, right, [](uint8_t *sum, const uint8_t *a, const uint8_t *b) {
    float total;
    std::memcpy(&total, sum, sizeof total);
    total += bfloat(a) * bfloat(b) + bfloat(a + 2) * bfloat(b + 2);
    std::memcpy(sum, &total, sizeof total);
  });
}

//===----------------------------------------------------------------------===//
// 2. Decoding
//===----------------------------------------------------------------------===//

enum Prefix { None, P66, PF3, PF2 };

/// An instruction with a VEX prefix of three bytes, of the map 0F38.
struct Instruction {
  Prefix prefix = None;
  uint8_t opcode = 0;
  int reg = 0, rm = 0, vvvv = 0;
  bool isMemory = false;
  uint8_t *address = nullptr;
  int64_t stride = 0;
  int size = 0;
};

int64_t registerOf(const ucontext_t &context, int number) {
  static constexpr int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return context.uc_mcontext.gregs[names[number]];
}

/// Returns the pointer that a register holds.
uint8_t *pointerOf(int64_t address) {
  uint8_t *pointer;
  static_assert(sizeof pointer == sizeof address);
  std::memcpy(&pointer, &address, sizeof pointer);
  return pointer;
}

std::optional<Instruction> decode(const ucontext_t &context) {
  const uint8_t *code = pointerOf(context.uc_mcontext.gregs[REG_RIP]), *at = code;
  if (*at++ != 0xc4)
    return {};
  const uint8_t first = *at++, second = *at++;
  if ((first & 0x1f) != 2 || (second & 0x84) != 0) // Map 0F38, W0, 128 bits.
    return {};
  const int extendReg = first & 0x80 ? 0 : 8, extendIndex = first & 0x40 ? 0 : 8, extendBase = first & 0x20 ? 0 : 8;
  Instruction result;
  result.prefix = Prefix(second & 3);
  result.vvvv = ~(second >> 3) & 15;
  result.opcode = *at++;
  const uint8_t modrm = *at++;
  const int mod = modrm >> 6;
  result.reg = (modrm >> 3 & 7) + extendReg;
  result.rm = (modrm & 7) + extendBase;
  result.isMemory = mod != 3;
  if (!result.isMemory) {
    result.size = int(at - code);
    return result;
  }
  int64_t address = 0;
  bool isRelative = false, hasLongDistance = mod == 2;
  if ((modrm & 7) == 4) {
    const uint8_t sib = *at++;
    const int index = (sib >> 3 & 7) + extendIndex, base = (sib & 7) + extendBase;
    if (index != 4)
      result.stride = registerOf(context, index) << (sib >> 6);
    if ((sib & 7) == 5 && mod == 0)
      hasLongDistance = true;
    else
      address = registerOf(context, base);
  } else if ((modrm & 7) == 5 && mod == 0) {
    isRelative = hasLongDistance = true;
  } else {
    address = registerOf(context, result.rm);
  }
  if (mod == 1)
    address += int8_t(*at++);
  if (hasLongDistance) {
    int32_t distance;
    std::memcpy(&distance, at, sizeof distance);
    at += sizeof distance;
    address += distance;
  }
  if (isRelative)
    address += reinterpret_cast<int64_t>(at);
  result.address = pointerOf(address);
  result.size = int(at - code);
  return result;
}

//===----------------------------------------------------------------------===//
// 3. The handler
//===----------------------------------------------------------------------===//

/// Returns false for an instruction that is not of AMX.
bool execute(const Instruction &instruction) {
  Tile &tile = tiles[instruction.reg % kTiles], &left = tiles[instruction.rm % kTiles],
       &right = tiles[instruction.vvvv % kTiles];
  switch (instruction.opcode) {
  case 0x49:
    if (instruction.prefix == PF2 && !instruction.isMemory)
      std::memset(tile.data, 0, sizeof tile.data); // tilezero
    else if (instruction.prefix == None && instruction.isMemory)
      configure(instruction.address); // ldtilecfg
    else if (instruction.prefix == None)
      for (Tile &each : tiles) // tilerelease
        each = {};
    else
      return false;
    return true;
  case 0x4b:
    if (!instruction.isMemory || (instruction.prefix != PF2 && instruction.prefix != PF3))
      return false;
    if (instruction.prefix == PF2)
      load(tile, instruction.address, instruction.stride); // tileloadd
    else
      store(tile, instruction.address, instruction.stride); // tilestored
    return true;
  case 0x5e:
    switch (instruction.prefix) {
    case None:
      return multiplyBytes<uint8_t, uint8_t>(tile, left, right), true; // tdpbuud
    case P66:
      return multiplyBytes<uint8_t, int8_t>(tile, left, right), true; // tdpbusd
    case PF3:
      return multiplyBytes<int8_t, uint8_t>(tile, left, right), true; // tdpbsud
    case PF2:
      return multiplyBytes<int8_t, int8_t>(tile, left, right), true; // tdpbssd
    }
    return false;
  case 0x5c:
    return instruction.prefix == PF3 && (multiplyBfloats(tile, left, right), true); // tdpbf16ps
  default:
    return false;
  }
}

void handle(int, siginfo_t *, void *data) {
  auto &context = *static_cast<ucontext_t *>(data);
  const std::optional<Instruction> instruction = decode(context);
  if (instruction && execute(*instruction)) {
    context.uc_mcontext.gregs[REG_RIP] += instruction->size;
    return;
  }
  sigaction(SIGILL, previous, nullptr); // The instruction is repeated, and ends the process as it would without us.
}

} // namespace

EmulatedTiles::EmulatedTiles() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before);
  previous = &before;
  numberOfProducts = 0;
}

EmulatedTiles::~EmulatedTiles() { sigaction(SIGILL, &before, nullptr); }

bool EmulatedTiles::arePossible() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi2");
}

uint64_t EmulatedTiles::products() { return numberOfProducts; }

#else

EmulatedTiles::EmulatedTiles() = default;
EmulatedTiles::~EmulatedTiles() = default;
bool EmulatedTiles::arePossible() { return false; }
uint64_t EmulatedTiles::products() { return 0; }

#endif

} // namespace nacre::codegen::test
