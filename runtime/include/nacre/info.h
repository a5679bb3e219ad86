/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What models, devices, sessions and launches tell of themselves: the answers of nacre/runtime.h, which includes this.
 *
 * Strings and arrays that are pointed to live as long as the model.
 * Units: sizes are bytes, dimensions elements, times nanoseconds.
 */
#ifndef NACRE_INFO_H
#define NACRE_INFO_H

#include <stdint.h>

/**
 * Element types, numbered as in ONNX. Floats of 8 bits are their codes, one a byte. Elements of 4 and 2 bits are packed:
 * two or four in a byte, the first in the lowest bits, the last byte filled with zeros; a tensor has `bytes` of them.
 */
typedef enum nacre_element_type {
  NACRE_F32 = 1,
  NACRE_U8 = 2,
  NACRE_I8 = 3,
  NACRE_U16 = 4,
  NACRE_I16 = 5,
  NACRE_I32 = 6,
  NACRE_I64 = 7,
  NACRE_BOOL = 9, /**< One byte, 0 or 1. */
  NACRE_F16 = 10,
  NACRE_F64 = 11,
  NACRE_U32 = 12,
  NACRE_U64 = 13,
  NACRE_BF16 = 16,
  NACRE_F8E4M3FN = 17,
  NACRE_F8E4M3FNUZ = 18,
  NACRE_F8E5M2 = 19,
  NACRE_F8E5M2FNUZ = 20,
  NACRE_U4 = 21,
  NACRE_I4 = 22,
  NACRE_F4E2M1 = 23,
  NACRE_F8E8M0 = 24, /**< A power of two: 2^(code - 127). */
  NACRE_U2 = 25,
  NACRE_I2 = 26
} nacre_element_type;

/** What a model is made of. */
typedef struct nacre_model_info {
  const char *name;
  const char *compiler; /**< Who compiled it, with version. */
  const char *target;   /**< As given to `nacre-compile --target=`. */
  uint32_t entry_count;
  uint32_t kernel_count;
  uint64_t weight_bytes; /**< Every encoding counted. */
  uint64_t state_bytes;
  uint32_t variable_count; /**< Of nacre_state_describe. */
} nacre_model_info;

/** What a tensor of the state is for. A bit each, so that nacre_state_reset can name several. */
typedef enum nacre_state_role {
  NACRE_STATE_RECURRENT = 1, /**< What a network remembers of the inputs so far. */
  NACRE_STATE_WEIGHT = 2,    /**< What training changes. */
  NACRE_STATE_MOMENT = 4,    /**< What an optimizer keeps of gradients. */
  NACRE_STATE_STATISTIC = 8, /**< Running means and variances. */
  NACRE_STATE_COUNTER = 16   /**< How many steps there were. */
} nacre_state_role;

/** All roles, also those of later versions. */
#define NACRE_STATE_ALL UINT32_MAX

/** A tensor that keeps its elements from run to run: dense, the last dimension contiguous, however it is stored. */
typedef struct nacre_state_info {
  const char *name; /**< Of the input or the weight that it was in the model. */
  nacre_element_type type;
  uint32_t rank;
  const int64_t *dims; /**< `rank` of them. */
  uint64_t bytes;
  nacre_state_role role;
} nacre_state_info;

/** One way to run a model: its inputs, outputs and launches. */
typedef struct nacre_entry_info {
  const char *name;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t launch_count;
  uint64_t arena_bytes; /**< Temporaries alone. */
} nacre_entry_info;

typedef struct nacre_tensor_info {
  const char *name;
  nacre_element_type type;
  uint32_t rank;
  const int64_t *dims; /**< `rank` of them; the tensor is dense, the last dimension contiguous. */
  uint64_t bytes;
  float scale; /**< Quantised tensors: real = scale * (stored - zero_point). Others: 1 and 0. */
  int32_t zero_point;
  /** Bit i: each run decides how many elements axis i has, at most dims[i]. nacre_session_output_dims tells. */
  uint32_t open_axes;
} nacre_tensor_info;

/** One step of the schedule that computes something. */
typedef struct nacre_launch_info {
  const char *name;   /**< The model's nodes it computes. */
  const char *kernel; /**< The code it runs; launches of equal work share one. */
  const char *kind;   /**< contraction, nest, row, permute, indexed, scan, serial, attention or separable. */
} nacre_launch_info;

/** What one launch cost in the latest run. In a loop it is executed several times. */
typedef struct nacre_launch_time {
  uint64_t begin; /**< When it was first executed, counted from the start of the run. */
  uint64_t total; /**< Summed over its executions; where both engines computed, the longer of theirs. */
  uint64_t executions;
  uint64_t cpu_total;
  uint64_t gpu_total; /**< By the GPU's own clock. */
  int64_t cpu_share;  /**< How much of the cut axis the CPU computed; 0: nothing. */
  int64_t gpu_share;
  int64_t cut_extent; /**< The whole axis. */
} nacre_launch_time;

/** What computes a session's runs. */
typedef struct nacre_session_info {
  char device[256];            /**< The GPU's name; "" where the CPU alone computes. */
  uint32_t threads;            /**< The CPU's. */
  uint32_t gpu_launches;       /**< Executions of launches in a run that the GPU computes, wholly or in part. */
  uint32_t cpu_launches;       /**< The same of the CPU; 0 for both where the CPU alone computes. */
  uint32_t submissions;        /**< Batches of a run, between which the GPU waits for the CPU. */
  uint32_t pipelines;          /**< Different pieces of GPU code. */
  uint32_t barriers;           /**< Between dispatches of a run. */
  uint64_t gpu_bytes;          /**< The GPU memory that the session took. */
  uint64_t gpu_open_time;      /**< What create took to find and open the device, */
  uint64_t gpu_pipelines_time; /**< to make or load pipelines, */
  uint64_t gpu_weights_time;   /**< to upload weights, */
  uint64_t gpu_recording_time; /**< to plan and record the batches, */
  uint64_t gpu_measuring_time; /**< and to test and tune, where asked for and not found in the cache folder. */
} nacre_session_info;

/** A GPU, or what plays one, as this model's runtime sees it. */
typedef struct nacre_device_info {
  char name[256];
  uint32_t tier;     /**< 0: Vulkan 1.1, fp32; 1: fp16 too; 2: cooperative matrices too. */
  uint32_t usable;   /**< Not 0: a session can use it. */
  uint32_t unified;  /**< Not 0: it shares memory with the CPU, so that a cut copies nothing. */
  uint32_t is_cpu;   /**< Not 0: a CPU that plays a GPU; used only where named or where a GPU is required. */
  char report[1024]; /**< In plain English: what was found, what is missing. */
} nacre_device_info;

/** Where the bytes of a session's block go; pages never written cost nothing. */
typedef struct nacre_memory_info {
  uint64_t block_bytes; /**< What the allocator is asked for, once: all of the below and the runtime's own. */
  uint64_t arena_bytes;
  uint64_t input_bytes;
  uint64_t output_bytes;
  uint64_t state_bytes;
  uint64_t scratch_bytes; /**< Of all threads. */
  uint32_t threads;
} nacre_memory_info;

#endif /* NACRE_INFO_H */
