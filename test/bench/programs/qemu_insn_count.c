// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QEMU TCG plugin (plugin interface 1, QEMU 4.2 .. 8.x): counts guest AArch64 instructions
// executed between two marker instructions, in total and by class.
//
//   hint #0x60  begins a region (counters are read)      both are no-ops on hardware
//   hint #0x61  ends it (one line is written to the plugin's output)
//
// Meant for one-thread runs: counters are shared and are added to without locks.
// Argument mode=whole also reports everything executed by the process at exit; mode=blocks writes at the end of a
// region each translated block that ran in it: where it lies, how often it ran, its instructions' words and classes.
//
// build: gcc -O2 -shared -fPIC qemu_insn_count.c -o qemu_insn_count.so
// run:   qemu-aarch64 -plugin ./qemu_insn_count.so -d plugin -D counts.txt ./program
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the part of QEMU's plugin interface that is used ----
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct qemu_info_t qemu_info_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*tb_trans_cb)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*exec_cb)(unsigned int vcpu, void *user);
typedef void (*atexit_cb)(qemu_plugin_id_t, void *user);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_trans_cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, exec_cb, enum qemu_plugin_cb_flags, void *user);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, atexit_cb, void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_outs(const char *);
#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

// ---- classes ----
enum { ALL, VFMA, SFMA, DOT, VOTHER, LOAD, VLOAD, STORE, VSTORE, BRANCH, SCALAR, CLASSES };
static const char *const names[CLASSES] = {"all",   "vfma",  "sfma",   "dot",    "vother", "load",
                                           "vload", "store", "vstore", "branch", "scalar"};
static uint64_t count[CLASSES], at_begin[CLASSES];
static unsigned regions;

// Vector fp multiply-accumulate in registers: FMLA/FMLS, three-same or by element, single or double precision
// and half precision (FMLAL included).
static bool is_vfma(uint32_t w) {
  if ((w & 0x9F20FC00) == 0x0E20CC00)
    return true; // three-same FMLA / FMLS (32/64 bit)
  if ((w & 0xBF60FC00) == 0x0E400C00)
    return true; // half precision three-same
  if ((w & 0xBF80B400) == 0x0F801000)
    return true; // by element (32/64 bit)
  if ((w & 0xBFC0B400) == 0x0F001000)
    return true; // by element (half)
  if ((w & 0xBFA0FC00) == 0x0E20EC00)
    return true; // FMLAL / FMLSL
  return false;
}

static int classify(uint32_t w) {
  uint32_t op0 = (w >> 25) & 15;
  if ((op0 & 5) == 4) { // loads and stores
    bool vector = (w >> 26) & 1, load;
    if ((w & 0xBE000000) == 0x0C000000)
      load = (w >> 22) & 1; // structure loads/stores
    else if ((w & 0x3A000000) == 0x28000000)
      load = (w >> 22) & 1; // pairs
    else if ((w & 0x3B000000) == 0x18000000)
      load = true; // literal
    else if ((w & 0x3F000000) == 0x08000000)
      load = (w >> 22) & 1; // exclusive, ordered
    else {
      uint32_t opc = (w >> 22) & 3;
      load = vector ? (opc & 1) : opc != 0;
    }
    return vector ? (load ? VLOAD : VSTORE) : (load ? LOAD : STORE);
  }
  if ((op0 & 14) == 10)
    return BRANCH;      // branches, exceptions, system
  if ((op0 & 7) == 7) { // simd and fp
    if (is_vfma(w))
      return VFMA;
    if ((w & 0xFF000000) == 0x1F000000)
      return SFMA; // FMADD family
    if ((w & 0x9F20F400) == 0x0E009400 || (w & 0x9F00F400) == 0x0F00E000 || (w & 0xDFE0F400) == 0x4E80A400)
      return DOT; // of vectors, mixed signs included; by element; of rows: SMMLA and its kin
    return VOTHER;
  }
  return SCALAR;
}

static void report(const char *what, unsigned n, const uint64_t *base) {
  char b[512];
  int k = snprintf(b, sizeof b, "{\"%s\":%u", what, n);
  for (int i = 0; i < CLASSES; i++)
    k += snprintf(b + k, sizeof b - k, ",\"%s\":%" PRIu64, names[i], count[i] - (base ? base[i] : 0));
  snprintf(b + k, sizeof b - k, "}\n");
  qemu_plugin_outs(b);
}

// ---- blocks ----
struct block {
  struct block *next;
  uint64_t address, runs, runs_at_begin, classes[CLASSES];
  size_t size;
  uint32_t words[];
};
static struct block *blocks;
static bool lists_blocks;

static void remember(struct qemu_plugin_tb *tb, size_t n, const uint64_t *classes) {
  struct block *b = malloc(sizeof *b + n * sizeof *b->words);
  if (!b)
    return;
  b->next = blocks;
  b->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
  b->runs = b->runs_at_begin = 0;
  b->size = n;
  memcpy(b->classes, classes, sizeof b->classes);
  for (size_t i = 0; i < n; i++)
    memcpy(&b->words[i], qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i)), 4);
  blocks = b;
  qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &b->runs, 1);
}

static void report_blocks(void) {
  for (struct block *b = blocks; b; b = b->next) {
    if (b->runs == b->runs_at_begin)
      continue;
    char text[64];
    snprintf(text, sizeof text, "{\"block\":%" PRIu64 ",\"runs\":%" PRIu64, b->address, b->runs - b->runs_at_begin);
    qemu_plugin_outs(text);
    for (int i = 0; i < CLASSES; i++) {
      snprintf(text, sizeof text, ",\"%s\":%" PRIu64, names[i], b->classes[i]);
      qemu_plugin_outs(text);
    }
    qemu_plugin_outs(",\"words\":\"");
    for (size_t i = 0; i < b->size; i++) {
      snprintf(text, sizeof text, "%08" PRIx32, b->words[i]);
      qemu_plugin_outs(text);
    }
    qemu_plugin_outs("\"}\n");
  }
}

static void on_mark(unsigned int vcpu, void *user) {
  (void)vcpu;
  if (user) {
    report("region", ++regions, at_begin);
    report_blocks();
  } else {
    memcpy(at_begin, count, sizeof count);
    for (struct block *b = blocks; b; b = b->next)
      b->runs_at_begin = b->runs;
  }
}

static void on_exit_(qemu_plugin_id_t id, void *user) {
  (void)id;
  (void)user;
  report("whole", regions, NULL);
}

static void on_tb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  uint64_t here[CLASSES] = {0};
  size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint32_t w;
    memcpy(&w, qemu_plugin_insn_data(insn), 4);
    here[ALL]++;
    here[classify(w)]++;
    if (w == 0xD5032C1F)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (w == 0xD5032C3F)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)1);
  }
  for (int i = 0; i < CLASSES; i++)
    if (here[i])
      qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &count[i], here[i]);
  if (lists_blocks)
    remember(tb, n, here);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
  (void)info;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_tb);
  for (int i = 0; i < argc; i++)
    if (!strcmp(argv[i], "mode=whole"))
      qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
    else if (!strcmp(argv[i], "mode=blocks"))
      lists_blocks = true;
  return 0;
}
