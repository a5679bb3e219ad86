/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Descriptions of models, devices, sessions and launches. nacre/runtime.h includes this.
 *
 * Strings and arrays live as long as the model.
 * Units: sizes are bytes, dimensions elements, times nanoseconds.
 */
#ifndef NACRE_INFO_H
#define NACRE_INFO_H

#include <stdint.h>

/**
 * Element types, numbered as in ONNX. 8-bit floats are stored as their codes, one per byte. 4- and 2-bit elements are
 * packed, two or four per byte: the first one is in the lowest bits, and zeros fill the last byte.
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

/** Describes a model. */
typedef struct nacre_model_info {
  const char *name;
  const char *compiler; /**< The compiler and its version. */
  const char *target;   /**< As given to `nacre-compile --target=`. */
  uint32_t entry_count;
  uint32_t kernel_count;
  uint64_t weight_bytes; /**< The sum over all encodings. */
  uint64_t state_bytes;
  uint32_t variable_count; /**< The number of tensors of nacre_state_describe. */
} nacre_model_info;

/** The purpose of a tensor of the state. Each is a bit, so that nacre_state_reset can combine several. */
typedef enum nacre_state_role {
  NACRE_STATE_RECURRENT = 1, /**< The memory of a recurrent network. */
  NACRE_STATE_WEIGHT = 2,    /**< Trained weights. */
  NACRE_STATE_MOMENT = 4,    /**< Moments of an optimizer. */
  NACRE_STATE_STATISTIC = 8, /**< Running means and variances. */
  NACRE_STATE_COUNTER = 16   /**< The number of training steps. */
} nacre_state_role;

/** All roles, including those of later versions. */
#define NACRE_STATE_ALL UINT32_MAX

/** Describes a tensor of the state. Calls use a dense layout with the last dimension contiguous, however it is stored. */
typedef struct nacre_state_info {
  const char *name; /**< The name of the input or weight in the model. */
  nacre_element_type type;
  uint32_t rank;
  const int64_t *dims; /**< `rank` of them. */
  uint64_t bytes;
  nacre_state_role role;
} nacre_state_info;

/** Describes an entry, one way to run a model, with its inputs, outputs and launches. */
typedef struct nacre_entry_info {
  const char *name;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t launch_count;
  uint64_t arena_bytes; /**< Only temporaries. */
} nacre_entry_info;

/** The quantisation of one channel. */
typedef struct nacre_channel_info {
  float scale;
  int32_t zero_point;
} nacre_channel_info;

typedef struct nacre_tensor_info {
  const char *name;
  nacre_element_type type;
  uint32_t rank;
  const int64_t *dims; /**< `rank` of them; the tensor is dense, the last dimension contiguous. */
  uint64_t bytes;
  /** Quantised tensors: real = scale * (stored - zero_point). Others: 1 and 0. If `channels` is not NULL: 0 and 0. */
  float scale;
  int32_t zero_point;
  /** Bit i: the size of axis i depends on the data and is at most dims[i]; see nacre_session_output_dims. */
  uint32_t open_axes;
  /**
   * NULL, or the scale and zero point of each index of the axis `channel_axis`: dims[channel_axis] of them. Models of API
   * version 8 or older have none, and a scale of 1.
   */
  const nacre_channel_info *channels;
  uint32_t channel_axis;
} nacre_tensor_info;

/** Describes a launch, a step of the schedule that computes. */
typedef struct nacre_launch_info {
  const char *name;   /**< The model's nodes that it computes. */
  const char *kernel; /**< The code that it runs; equal launches share a kernel. */
  const char *kind;   /**< contraction, nest, row, permute, indexed, scan, serial, attention or separable. */
} nacre_launch_info;

/** The times of a launch in the latest run. A launch in a loop is executed several times. */
typedef struct nacre_launch_time {
  uint64_t begin; /**< The time from the start of the run to its first execution. */
  uint64_t total; /**< The sum over its executions; if both engines compute, the longer of both times. */
  uint64_t executions;
  uint64_t cpu_total;
  uint64_t gpu_total; /**< Measured by the GPU's clock. */
  int64_t cpu_share;  /**< The CPU's share of the cut axis, in elements. */
  int64_t gpu_share;
  int64_t cut_extent; /**< The whole axis. */
} nacre_launch_time;

/** Describes the engines and GPU resources of a session. */
typedef struct nacre_session_info {
  char device[256];            /**< The GPU's name; "" if only the CPU computes. */
  uint32_t threads;            /**< The CPU threads. */
  uint32_t gpu_launches;       /**< The executed launches per run that the GPU computes, wholly or in part. */
  uint32_t cpu_launches;       /**< The same for the CPU; both are 0 if only the CPU computes. */
  uint32_t submissions;        /**< The batches per run, between which the GPU waits for the CPU. */
  uint32_t pipelines;          /**< The number of different GPU pipelines. */
  uint32_t barriers;           /**< The barriers between dispatches of a run. */
  uint64_t gpu_bytes;          /**< The GPU memory of the session. */
  uint64_t gpu_open_time;      /**< The time of create to find and open the device, */
  uint64_t gpu_pipelines_time; /**< to compile or load pipelines, */
  uint64_t gpu_weights_time;   /**< to upload weights, */
  uint64_t gpu_recording_time; /**< to plan and record the batches, */
  uint64_t gpu_measuring_time; /**< and to test and tune, if requested and not cached. */
} nacre_session_info;

/** Describes a GPU, real or emulated, as this model's runtime sees it. */
typedef struct nacre_device_info {
  char name[256];
  uint32_t tier;     /**< 0: Vulkan 1.1 with fp32. 1: also fp16. 2: also cooperative matrices. */
  uint32_t usable;   /**< Not 0: a session can use it. */
  uint32_t unified;  /**< Not 0: it shares memory with the CPU, so a cut needs no copies. */
  uint32_t is_cpu;   /**< Not 0: emulated on the CPU; used only if named, or if a GPU is required. */
  char report[1024]; /**< A text with the features found and missing. */
} nacre_device_info;

/** Breaks down the bytes of a session's block. Pages that are never written use no memory. */
typedef struct nacre_memory_info {
  uint64_t block_bytes; /**< The size of the only allocation: all of the following and the runtime's own data. */
  uint64_t arena_bytes;
  uint64_t input_bytes;
  uint64_t output_bytes;
  uint64_t state_bytes;
  uint64_t scratch_bytes; /**< The sum over all threads. */
  uint32_t threads;
} nacre_memory_info;

#endif /* NACRE_INFO_H */
