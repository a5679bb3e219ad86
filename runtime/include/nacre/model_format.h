/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The format of a compiled model: constant tables inside the .so, which codegen/package writes and runtime/src reads.
 * Compiler and runtime share nothing else but the table of functions (runtime/features.def).
 *
 *   nacre_model_table          exported as nacre_model_<name>; starts with the public head
 *   ├── 1 strings              all texts in one blob; a text is an offset into it, 0 is ""
 *   ├── 2 dims                 all shapes in one array; a shape is an index into it
 *   ├── 3 kernels              one row per different piece of code
 *   │     ├── cpu              its variants, the most demanding first; create selects the first that the CPU can run
 *   │     └── gpu              the same for the GPU, if there are any
 *   ├── 4 weights_data         the bytes, page-aligned; NULL if they are in a file (weights_format.h)
 *   │     └── weights          one row per weight: its offset and encoding
 *   ├── 5 variables            one row per tensor of the state
 *   └── 6 entries              `main`, ...
 *         ├── inputs, outputs  one row per tensor; the sizes of open axes follow the outputs
 *         ├── steps            launches, brackets of loops, tests and jumps, in the order of execution
 *         └── operands         the operands of launches; a step names a range of them
 *
 * There are few pointers, because each needs a relocation in a private page; everything else is an offset or an index.
 * Layout: natural alignment, little endian, 64-bit pointers; both sides compile this header.
 *
 * Versions: A field is added at the end of its row, which changes the row's size and NACRE_FORMAT_VERSION. The compiler
 * links the runtime of its own version into each .so, so create requires equality.
 */
#ifndef NACRE_MODEL_FORMAT_H
#define NACRE_MODEL_FORMAT_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NACRE_FORMAT_VERSION 10

/* --- The kernel ABI ----------------------------------------------------------------------------------------------- */

/** The arguments of a kernel, besides its units. Kernels refer to no data symbol: weights are buffers, too. */
typedef struct nacre_kernel_args {
  void *const *buffers; /**< The launch's operands, in order. */
  void *scratch;        /**< This thread's scratch memory: scratch_bytes of the variant, aligned to NACRE_ALIGNMENT. */
  int64_t share_begin;  /**< The CPU's share of the cut axis. */
  int64_t share_end;
  const int64_t *sizes; /**< Runtime sizes of dynamic shapes; NULL today. */
} nacre_kernel_args;

/** Computes the units [begin, end) of the launch's share. Units may be computed in any order, by any threads. */
typedef void (*nacre_kernel_function)(const nacre_kernel_args *args, int64_t begin, int64_t end);

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

/** The features a CPU must have, one bit each. The runtime computes the same word for the CPU that it runs on. */
typedef enum nacre_cpu_bit {
  NACRE_ARM64_NEON = 0,
  NACRE_ARM64_FP16 = 1,    /**< Half-precision arithmetic, scalar and NEON. */
  NACRE_ARM64_FP16FML = 2, /**< Half to single multiply-add. */
  NACRE_ARM64_DOTPROD = 3,
  NACRE_ARM64_I8MM = 4,
  NACRE_ARM64_BF16 = 5,
  NACRE_ARM64_SVE = 6,
  NACRE_ARM64_SVE2 = 7,
  NACRE_ARM64_LSE = 8,
  NACRE_ARM64_RDM = 9,
  /** Not all cores issue in order. Only used together with a variant for in-order cores, which runs on the same CPUs. */
  NACRE_ARM64_OUT_OF_ORDER = 10,
  NACRE_X86_64_V2 = 32,    /**< SSE4.2, SSSE3, POPCNT. */
  NACRE_X86_64_V3 = 33,    /**< AVX2, FMA, F16C, BMI, BMI2, LZCNT, MOVBE, and the system saves ymm. */
  NACRE_X86_64_V4 = 34,    /**< AVX-512 F, BW, CD, DQ, VL, and the system saves zmm. */
  NACRE_X86_AVX_VNNI = 35, /**< VNNI with VEX encodings for ymm. */
  NACRE_X86_AVX512_VNNI = 36,
  NACRE_X86_AVX512_BF16 = 37,
  NACRE_X86_AVX512_FP16 = 38,
  NACRE_X86_AVX512_VBMI = 39, /**< VBMI, VBMI2, BITALG, VPOPCNTDQ, GFNI: the additions of Ice Lake and Zen 4. */
  NACRE_X86_AMX_INT8 = 40,    /**< Matrices of bytes in tiles. The system must permit a process to use tiles. */
  NACRE_X86_AMX_BF16 = 41     /**< Matrices of bf16 in tiles. */
} nacre_cpu_bit;

#define NACRE_CPU_NEED(bit) (UINT64_C(1) << (bit))

/**
 * One piece of machine code. A launch over the share [b, e) of its cut axis has
 * ceil((e - b) / unit_extent) * units_per_block units; for [0, 1) and unit_extent 1 that is units_per_block,
 * the case of kernels without a cut axis.
 */
typedef struct nacre_cpu_variant {
  nacre_kernel_function function;
  uint64_t needs;            /**< NACRE_CPU_NEED bits. */
  int64_t unit_extent;       /**< Elements of the cut axis in a block of units; at least 1. */
  int64_t units_per_block;   /**< At least 1. */
  uint64_t scratch_bytes;    /**< Per thread. */
  uint32_t unit_nanoseconds; /**< Rough cost of a unit; decides the grain and the use of threads. */
  uint32_t reserved;
} nacre_cpu_variant;

/** The features and limits a GPU must have, one bit each. */
typedef enum nacre_gpu_bit {
  NACRE_GPU_STORAGE_16 = 0, /**< 16-bit elements in storage buffers. */
  NACRE_GPU_STORAGE_8 = 1,
  NACRE_GPU_FLOAT_16 = 2, /**< Arithmetic. */
  NACRE_GPU_INT_8 = 3,
  NACRE_GPU_INT_16 = 4,
  NACRE_GPU_INT_64 = 5,
  NACRE_GPU_FLOAT_64 = 6,
  NACRE_GPU_SUBGROUPS = 7, /**< Arithmetic and shuffles within a subgroup, in compute. */
  NACRE_GPU_COOPERATIVE_MATRIX =
      8,                    /**< KHR: 16x16x16, f16 into f32, in subgroups of 32; with the Vulkan memory model. */
  NACRE_GPU_DOT_SIGNED = 9, /**< Dot products of four signed bytes in a word, accelerated; emulated GPUs need not be. */
  NACRE_GPU_DOT_UNSIGNED = 10, /**< The same for unsigned bytes. */
  NACRE_GPU_DOT_MIXED = 11,    /**< The same for a signed and an unsigned word. */
  NACRE_GPU_BYTE_MATRIX = 12   /**< KHR: 16x16x32, signed bytes into 32-bit integers; else like COOPERATIVE_MATRIX. */
} nacre_gpu_bit;

#define NACRE_GPU_NEED(bit) (UINT64_C(1) << (bit))

/** The GPU families that a variant is tuned for; all other devices are NACRE_GPU_OTHER. */
typedef enum nacre_gpu_family {
  NACRE_GPU_OTHER = 0,
  NACRE_GPU_ADRENO = 1,
  NACRE_GPU_MALI = 2,
  NACRE_GPU_POWERVR = 3,
  NACRE_GPU_NVIDIA = 4,
  NACRE_GPU_AMD = 5,
  NACRE_GPU_INTEL = 6,
  NACRE_GPU_CPU = 7 /**< An emulated GPU: lavapipe, SwiftShader. */
} nacre_gpu_family;

/** The maximum number of shifted bindings of a variant: with the share, they fill the push constants of any device. */
#define NACRE_GPU_MOST_SHIFTED 30

/**
 * How SPIR-V is packed. The first step replaces the words of an instruction, except its first, by differences: to the words
 * at the same positions of the latest instruction in the same slot, if there is one. The slot is a hash of the first words
 * of the instruction and of the one before it (0 for the first instruction). The second step encodes the resulting words,
 * with the module's head in front, as tokens that decode to code_bytes. A token is a number. After an even number 2n, the
 * next n + 1 numbers are words, with the sign in the lowest bit. After an odd number 2n + 1, a number d follows, and the
 * token copies n + 1 words from d + 1 words back. A number has 7 bits per byte, the highest first; the highest bit of a
 * byte is set if more bytes follow.
 */
#define NACRE_GPU_CODE_HEAD 5
#define NACRE_GPU_CODE_SLOTS 256
#define NACRE_GPU_CODE_SLOT(first_word, first_word_before)                                                             \
  (((first_word) + 37 * (first_word_before)) % NACRE_GPU_CODE_SLOTS)

/**
 * SPIR-V for one compute shader, entry point "main", descriptor set 0. Binding i is a storage buffer: operand
 * bindings[i] of the launch, or its next piece if earlier bindings have the same operand. A launch over the share [b, e) of
 * the cut axis is a dispatch of (groups, ceil((e - b) / unit_extent), 1) workgroups.
 *
 * Push constants, all int32: share_begin, share_end, then one for each shifted binding, in order. Such an operand may begin
 * at an offset that the device cannot bind. The runtime binds the last valid offset before it, and the constant is the
 * number of bytes from there to the operand.
 */
typedef struct nacre_gpu_variant {
  const uint8_t *code; /**< Packed. */
  const uint8_t *bindings;
  uint64_t needs;      /**< NACRE_GPU_NEED bits. */
  int64_t unit_extent; /**< Elements of the cut axis in a row of workgroups; at least 1. */
  uint32_t code_bytes; /**< The size of the unpacked SPIR-V. */
  uint32_t binding_count;
  uint32_t groups;         /**< At least 1. */
  uint32_t workgroup_size; /**< Invocations. */
  uint32_t shared_bytes;
  uint32_t families;     /**< 1 << nacre_gpu_family for each target family; 0: any. */
  uint32_t shifted;      /**< 1 << i for each shifted binding i; at most NACRE_GPU_MOST_SHIFTED bits. */
  uint32_t piece_bytes;  /**< Bytes per binding of an operand that is bound several times; 0: none is. */
  uint32_t packed_bytes; /**< The size of `code`. */
  uint32_t reserved;
} nacre_gpu_variant;

/** The part of the table of functions that only models with GPU code have. */
typedef struct nacre_gpu_engine nacre_gpu_engine;

typedef enum nacre_kernel_kind {
  NACRE_KERNEL_CONTRACTION = 0,
  NACRE_KERNEL_NEST = 1,
  NACRE_KERNEL_ROW = 2,
  NACRE_KERNEL_PERMUTE = 3,
  NACRE_KERNEL_INDEXED = 4,
  NACRE_KERNEL_SCAN = 5,
  NACRE_KERNEL_SERIAL = 6,
  NACRE_KERNEL_ATTENTION = 7,
  NACRE_KERNEL_SEPARABLE = 8
} nacre_kernel_kind;

typedef struct nacre_kernel {
  const nacre_cpu_variant *cpu;
  const nacre_gpu_variant *gpu; /**< The best first; create selects the first that the device can run. */
  uint32_t cpu_count;           /**< At least 1. */
  uint32_t gpu_count;           /**< 0: only the CPU computes it. */
  uint32_t kind;                /**< nacre_kernel_kind */
  uint32_t name;                /**< Offset into the strings. */
} nacre_kernel;

/* --- Weights ------------------------------------------------------------------------------------------------------ */

typedef enum nacre_weight_encoding {
  NACRE_WEIGHT_DENSE = 0, /**< As in the model. */
  /**
   * [ceil(columns / nr)][rows][nr]: the last axis are the columns, all others the rows; the last panel is filled with
   * zeros. The parameter is nr.
   */
  NACRE_WEIGHT_PANEL = 1
} nacre_weight_encoding;

typedef struct nacre_weight {
  uint32_t name;      /**< Offset into the strings: the model's initializer. */
  uint32_t encoding;  /**< nacre_weight_encoding */
  uint32_t parameter; /**< Its meaning depends on the encoding. */
  uint32_t source;    /**< Derived weights: the weight it is derived from. Others: its own number. */
  uint64_t offset;    /**< Offset into weights_data, a multiple of 256: Vulkan requires at most that alignment. */
  uint64_t bytes;
} nacre_weight;

/* --- Entries ------------------------------------------------------------------------------------------------------ */

#define NACRE_NO_BOUNDS UINT32_MAX
#define NACRE_NO_COUNTS UINT32_MAX

typedef struct nacre_tensor {
  uint32_t name;         /**< Offset into the strings. */
  uint32_t element_type; /**< nacre_element_type */
  uint32_t rank;
  uint32_t first_dim; /**< Index into dims, `rank` of them. */
  uint64_t bytes;
  float scale;        /**< 1 if the tensor is not quantised. NaN: each index of an axis has its own. */
  int32_t zero_point; /**< 0; NaN: index into dims of the axis, then a nacre_channel_info of 8 bytes for each index. */
  /**
   * Hidden outputs: index into dims of the largest value. A run fails if the output, an i64 scalar, is larger.
   * NACRE_NO_BOUNDS: all values are good; so are those of other tensors.
   */
  uint32_t first_bound;
  /**
   * Outputs: index into dims of one number per axis: the hidden output that holds the axis's size after a run, where the
   * shape has the maximum; -1 if the size is static. NACRE_NO_COUNTS: all sizes are static.
   * Inputs that name classes, i64 or i32: index into dims of two numbers: the number of classes, and an ignored value. A
   * run of a model with variables fails if an element is neither a class nor that value.
   */
  uint32_t first_count;
} nacre_tensor;

/**
 * A tensor that keeps its elements between runs. Kernels read it as it is stored: its axes may be reordered, and the last
 * of them, its columns, is split into panels. A weight with its initial value has the same layout. This table holds the
 * layout and the texts for files, so that apps need no code for them.
 */
typedef struct nacre_variable {
  nacre_tensor tensor;    /**< Type, shape and bytes as in the model; without counts and bounds. */
  uint64_t offset;        /**< Offset into the state. */
  uint64_t stored_bytes;  /**< Bytes in the state. */
  uint64_t element_bytes; /**< Or all of its bytes, if it is stored as in the model. */
  uint32_t role;          /**< nacre_state_role */
  uint32_t initial;       /**< 1 + the number of the weight with its initial value; 0: zeros. */
  /**
   * Index into dims: the loops over stored elements, outermost first: groups, panels, rows by axis, parts, columns of a
   * panel. Each has a trip count, and a stride in bytes of the model's tensor.
   */
  uint32_t first_loop;
  uint32_t loop_count;
  uint32_t part_columns; /**< Further columns in the last panel of a part are zero padding. */
  uint32_t file_row;   /**< In a file's header, as an offset into the strings: `"name":{"dtype":"F32","shape":[3,4]`. */
  uint32_t file_type;  /**< Offset into the strings: its type there, in quotes, */
  uint32_t file_shape; /**< and its shape. */
  uint32_t in_file;    /**< The variable that files have at this position of the table. */
} nacre_variable;

/** The beginning of the metadata of a state's file. The digits of the checksum follow, and then the next text. */
#define NACRE_FILE_CHECKSUM "{\"__metadata__\":{\"crc32c\":\""
/** The fingerprint of names, types, shapes and roles follows, in quotes. A loss scale's are not in it; a file may lack them. */
#define NACRE_FILE_FINGERPRINT "00000000\",\"format\":\"nacre\",\"fingerprint\":"
#define NACRE_LOSS_SCALE "#loss_scale" /**< The names of its variables begin so. */

typedef enum nacre_space {
  NACRE_SPACE_ARENA = 0,  /**< offset: into the arena. index: 0. */
  NACRE_SPACE_INPUT = 1,  /**< offset: into input number `index`, wherever its buffer is. */
  NACRE_SPACE_OUTPUT = 2, /**< offset: into output number `index`. */
  NACRE_SPACE_STATE = 3,  /**< offset: into the state. index: 0. */
  NACRE_SPACE_WEIGHT = 4, /**< offset: into weight number `index`. */
  NACRE_SPACE_DERIVED = 5 /**< offset: into derived weight number `index`; reserved for a later version. */
} nacre_space;

typedef enum nacre_access { NACRE_READ = 1, NACRE_WRITE = 2, NACRE_READ_WRITE = 3 } nacre_access;

typedef struct nacre_operand {
  uint32_t space; /**< nacre_space */
  uint32_t index;
  uint64_t offset;       /**< Bytes. */
  int64_t step;          /**< Bytes added per iteration of the innermost loop around the launch. */
  uint64_t bytes;        /**< The size of the operand from there. */
  uint32_t access;       /**< nacre_access */
  uint32_t element_type; /**< nacre_element_type */
} nacre_operand;

/** A step other than a launch has at most one operand, which the CPU reads. */
typedef enum nacre_step_kind {
  NACRE_STEP_LAUNCH = 0,
  /**
   * The steps up to the matching LOOP_END are run trip_count times. With an operand, an i64: as often as it says,
   * clamped to [0, trip_count]. target: the LOOP_END.
   */
  NACRE_STEP_LOOP_BEGIN = 1,
  NACRE_STEP_LOOP_END = 2,
  NACRE_STEP_LOOP_TEST = 3,      /**< The innermost loop ends if the operand, a byte, is 0; target: its LOOP_END. */
  NACRE_STEP_BRANCH_IF_ZERO = 4, /**< Jumps to the target if the operand, a byte, is 0. */
  NACRE_STEP_JUMP = 5            /**< Jumps to the target, which is later in the same loop. */
} nacre_step_kind;

/** The trip count of a loop that is only ended by a test. */
#define NACRE_ENDLESS INT64_MAX

/** The maximum nesting depth of loops. */
#define NACRE_MAX_LOOP_DEPTH 8

typedef struct nacre_step {
  /** nacre_step_kind. Steps other than launches use only the operand, name, target and trip_count, and not all of these. */
  uint32_t kind;
  uint32_t kernel;        /**< Index into kernels. */
  uint32_t first_operand; /**< Index into the entry's operands. */
  uint32_t operand_count;
  uint32_t name;      /**< Offset into the strings: the model's nodes that it computes. */
  uint32_t target;    /**< Index of a step, see nacre_step_kind; 0: none. */
  int64_t trip_count; /**< LOOP_BEGIN: at least 1. */
  int64_t cut_extent; /**< Length of the cut axis; 1 if there is no cut axis. */
  int64_t grain;      /**< A cut is a multiple of this. */
  int64_t gpu_begin;  /**< The engines' ranges on the cut axis; they cover it, and may overlap. */
  int64_t gpu_end;
  int64_t cpu_begin;
  int64_t cpu_end;
} nacre_step;

typedef struct nacre_entry {
  const nacre_tensor *inputs;
  const nacre_tensor *outputs;
  const nacre_step *steps;
  const nacre_operand *operands;
  uint32_t name; /**< Offset into the strings. */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t step_count;
  uint32_t operand_count;
  /** The number of counts, i64 each, at the end of the outputs; apps do not see them. */
  uint32_t hidden_outputs;
  uint64_t arena_bytes; /**< Offsets in it are multiples of NACRE_ALIGNMENT. */
  /** The first step outside of all loops from which on a run writes the state and can no longer be cancelled; step_count
      where none does. No loop that may be endless comes after it. */
  uint32_t first_write;
  uint32_t reserved;
} nacre_entry;

/* --- The model ---------------------------------------------------------------------------------------------------- */

/** The sizes of the rows above in the writer's header; the reader compares them with its own. */
typedef struct nacre_row_sizes {
  uint16_t model, kernel, cpu_variant, weight, tensor, operand, step, entry, gpu_variant, variable;
} nacre_row_sizes;

#define NACRE_ROW_SIZES                                                                                                \
  {sizeof(nacre_model_table), sizeof(nacre_kernel),  sizeof(nacre_cpu_variant), sizeof(nacre_weight),                  \
   sizeof(nacre_tensor),      sizeof(nacre_operand), sizeof(nacre_step),        sizeof(nacre_entry),                   \
   sizeof(nacre_gpu_variant), sizeof(nacre_variable)}

typedef struct nacre_model_table {
  nacre_model head; /**< Points to the table of functions. */
  uint32_t format_version;
  uint32_t limit_count; /**< Hidden outputs with a largest value, of all entries. */
  nacre_row_sizes sizes;
  uint64_t baseline_needs; /**< NACRE_CPU_NEED bits that every kernel requires. */
  const char *strings;
  const int64_t *dims;
  const nacre_kernel *kernels;
  const void *weights_data;
  const nacre_weight *weights;
  const nacre_entry *entries;
  uint64_t weights_bytes;
  uint64_t state_bytes; /**< Zeros or the variables' initial values at create; shared by all entries. */
  uint32_t strings_bytes;
  uint32_t dim_count;
  uint32_t kernel_count, weight_count, entry_count;
  uint32_t name;                      /**< Offsets into the strings. */
  uint32_t compiler;                  /**< Name and version. */
  uint32_t target;                    /**< As given to --target=. */
  const nacre_gpu_engine *gpu_engine; /**< In the table of functions; NULL if no kernel has a GPU variant. */
  uint64_t gpu_code_hash;             /**< A hash of all GPU variants, the key of cache files; 0: none. */
  const nacre_variable *variables;    /**< NULL if there are no variables. */
  uint32_t variable_count;
  uint32_t step_counter; /**< 1 + the number of the variable that counts training steps; 0: no such variable. */
  uint32_t file_head;    /**< Offset into the strings: the beginning of a state's file, up to the step number. */
  uint32_t reserved_end;
  uint64_t file_buffer_bytes; /**< For a file's header, and for tensors with another layout than in the model. */
  uint64_t weights_layout;    /**< The layout of a weights file that fits; 0: weights_data has them. */
} nacre_model_table;

#ifdef __cplusplus
}
#endif

#endif /* NACRE_MODEL_FORMAT_H */
