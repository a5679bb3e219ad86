/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The format of a weights file, which nacre-compile --weights-in=file writes next to a library and the library's runtime reads.
 *
 *   nacre_weights_header       256 bytes
 *   the weights                the bytes that weights_data of the model's table would point to
 *
 * Layout: natural alignment, little endian. The header keeps the weights aligned for kernels and for Vulkan, so that a mapped
 * file is used as it is. All sizes are multiples of 32, so that the hash needs no code for a rest.
 *
 * Versions: NACRE_WEIGHTS_VERSION changes with this header. Only the library knows the meaning of
 * the weights' bytes, so the header repeats the layout of its table.
 */
#ifndef NACRE_WEIGHTS_FORMAT_H
#define NACRE_WEIGHTS_FORMAT_H

#include "model_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NACRE_WEIGHTS_MAGIC "NACREWTS"
#define NACRE_WEIGHTS_VERSION 1

typedef struct nacre_weights_header {
  char magic[8]; /**< NACRE_WEIGHTS_MAGIC, without its final 0. */
  uint32_t version;
  uint32_t reserved;
  uint64_t bytes; /**< The size of the file. */
  uint64_t hash;  /**< XXH64, seed 0, of all bytes after this field. */
  /**
   * A hash of everything that gives the weights' bytes their meaning: the machine code of all kernels, their launches, and
   * the position of each weight; not of names, other than the model's. The same as in the model's table.
   */
  uint64_t layout;
  char model[216]; /**< The model's name, for messages; cut if it is longer. Ends in 0. */
} nacre_weights_header;

#ifdef __cplusplus
}
#endif

#endif /* NACRE_WEIGHTS_FORMAT_H */
