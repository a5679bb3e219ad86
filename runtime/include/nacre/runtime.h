/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Nacre runtime: run a compiled model inside an app.
 *
 * The whole life of a model:
 *
 *   nacre_model_squeezenet    the model; immutable, the .so's only symbol
 *   nacre_session_create      one block of memory, the threads, the GPU if there is one; options by struct
 *   nacre_session_input       where to write an input, in place
 *   nacre_session_run         run, as often as you like; on failure nacre_session_reason says why
 *   nacre_session_output      where an output is, in place
 *   nacre_session_destroy     threads joined, block returned
 *
 * Memory:  one block per session, from the caller's allocator; nacre_session_memory tells its size beforehand. Running
 *          allocates nothing. A GPU takes more, of both memories: nacre_session_describe.
 * Threads: a model is immutable, any thread may use it. A session belongs to one thread at a time.
 * Errors:  every fallible call returns nacre_status; on failure out-parameters are untouched.
 * Units:   sizes are bytes, dimensions elements, times nanoseconds.
 *
 * Every function here is an inline call through the model's own table of functions, so an app links no runtime, and
 * several models, compiled by different versions, live in one process. Enum numbers, struct fields and the table only
 * ever grow at their ends; what is newer in the app than in the model is refused by nacre_session_create.
 */
#ifndef NACRE_RUNTIME_H
#define NACRE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. A model runs in an app whose header is of its own version or an older one. */
#define NACRE_API_VERSION 2

/** Every pointer that the runtime hands out, and every buffer bound to it, is aligned to this many bytes. */
#define NACRE_ALIGNMENT 64

/** What a call came to, and what to do next. */
typedef enum nacre_status {
  NACRE_OK = 0,            /**< Go on. */
  NACRE_BAD_ARGUMENT = 1,  /**< The call is wrong in every state: correct the app. */
  NACRE_OUT_OF_MEMORY = 2, /**< The allocator had no room: free memory, then try the same call again. */
  NACRE_UNSUPPORTED = 3, /**< This device or this runtime can never run this model: use another model or another way. */
  NACRE_FAILED = 4       /**< The system failed, not the app: destroy the session; a new one may succeed. */
} nacre_status;

/** Element types, numbered as in ONNX. */
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
  NACRE_BF16 = 16
} nacre_element_type;

/** Which engine may compute. */
typedef enum nacre_gpu_choice {
  NACRE_GPU_IF_USEFUL = 0, /**< The GPU for what was placed on it; the CPU alone where there is none that works. */
  NACRE_GPU_NEVER = 1,
  NACRE_GPU_REQUIRED = 2 /**< NACRE_UNSUPPORTED where there is none. A CPU that plays a GPU will do. */
} nacre_gpu_choice;

typedef enum nacre_log_level { NACRE_LOG_ERROR = 0, NACRE_LOG_INFO = 1 } nacre_log_level;

typedef struct nacre_functions nacre_functions;

/** A compiled model. What follows the head is the compiler's (model_format.h). */
typedef struct nacre_model {
  const nacre_functions *functions;
} nacre_model;

/** A model made ready to run: its memory, its threads. What follows the head is the runtime's. */
typedef struct nacre_session {
  const nacre_functions *functions;
} nacre_session;

/** The caller's memory. `allocate` answers NULL where there is no room; the block need not be zero. */
typedef struct nacre_allocator {
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *block, size_t bytes);
  void *user;
} nacre_allocator;

/** A part of a launch: the units [begin, end), worked on by thread number `thread` of the executor. */
typedef void (*nacre_task)(void *context, uint32_t thread, int64_t begin, int64_t end);

/**
 * Threads that sessions share. nacre_executor_create makes one; an app that has a pool of its own may fill the
 * struct itself.
 *
 * `run` cuts [0, units) into parts of `grain` units, calls the task once for each, from at most `threads` threads
 * numbered from 0 and no two at a time under one number, and returns when all parts are done. Several sessions may
 * call it at once.
 */
typedef struct nacre_executor {
  uint32_t struct_size; /**< sizeof(nacre_executor) */
  uint32_t threads;     /**< At least 1: the calling thread counts. */
  void (*run)(struct nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t grain);
} nacre_executor;

typedef void (*nacre_log_function)(void *user, nacre_log_level level, const char *message);

/** A value of nacre_session_options.gpu_cut: the GPU's share of every launch it has code for, in percent. */
#define NACRE_GPU_CUT(percent) ((uint32_t)(percent) + 1)

/** How a session is made. Start from nacre_session_options_default(), in which every field is 0 but the first. */
typedef struct nacre_session_options {
  size_t struct_size;   /**< sizeof(nacre_session_options) */
  const char *entry;    /**< The entry to run; NULL: the first, `main`. */
  uint32_t threads;     /**< The caller counts; 0: the device's big cores. Ignored with an executor. */
  uint32_t profile;     /**< Not 0: nacre_session_launch_time has answers. Costs two clock reads a launch. */
  nacre_gpu_choice gpu; /**< Which engine may compute. */
  const nacre_allocator *allocator; /**< Copied. NULL: the C library's. */
  nacre_executor *executor;         /**< Must outlive the session. NULL: the session starts threads of its own. */
  nacre_log_function log;           /**< Told why a call failed, and what create chose. NULL: silence. */
  void *log_user;                   /**< The first argument of `log`. */
  const char *cache_folder;         /**< Where compiled GPU code is kept from one session to the next. NULL: nowhere. */
  const void *weights;    /**< The weights of a model compiled without them, aligned; must outlive the session. */
  size_t weights_bytes;   /**< Their size. */
  char *reason;           /**< Where a failing create writes why, as there is no session to ask. May be NULL. */
  size_t reason_capacity; /**< The bytes there are, the final 0 included. */
  uint32_t gpu_cut;       /**< NACRE_GPU_CUT(percent) moves every cut to there; 0: as compiled. */
  uint32_t gpu_device;    /**< Device number gpu_device - 1 of nacre_device_describe; 0: the best. */
  uint32_t
      gpu_sequential; /**< Not 0: of each phase the GPU's part first, then the CPU's: to measure, or to find a race. */
  /** Not 0: create returns before the GPU is ready; the CPU computes until a run finds that it is, and no run waits for
      it. What create would do for the GPU, a thread does: it calls `allocator` and `log`, and reads `cache_folder`,
      which must live as long as the session. Ignored where a GPU is required, and with the two options below. */
  uint32_t gpu_background;
  /** Not 0: create lets each kernel compute on the GPU what it computes on the CPU, compares, and does without those
      that are wrong: the log says which. With a cache folder a device's verdicts are kept, and found at the next
     create. */
  uint32_t gpu_self_test;
  /** Not 0: create measures kernels on both engines for about this many milliseconds, and moves cuts and code to what
      makes a run shortest. With a cache folder the outcome is kept; a later create with any budget starts from it.
     Ignored with gpu_cut. */
  uint32_t gpu_tune_ms;
} nacre_session_options;

/** What a model is made of. The strings and arrays of all the *_info structs live as long as the model. */
typedef struct nacre_model_info {
  const char *name;
  const char *compiler; /**< Who compiled it, with version. */
  const char *target;   /**< As given to `nacre-compile --target=`. */
  uint32_t entry_count;
  uint32_t kernel_count;
  uint64_t weight_bytes; /**< Every encoding counted. */
  uint64_t state_bytes;
} nacre_model_info;

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
} nacre_tensor_info;

/** One step of the schedule that computes something. */
typedef struct nacre_launch_info {
  const char *name;   /**< The model's nodes it computes. */
  const char *kernel; /**< The code it runs; launches of equal work share one. */
  const char *kind;   /**< contraction, nest, row, permute, indexed or scan. */
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

/**
 * The table behind the calls below. Grows at its end; struct_size tells what a model's runtime has. What a call fills
 * in is passed with its size, as the app's header knows it.
 */
struct nacre_functions {
  uint32_t struct_size;
  uint32_t api_version;
  nacre_status (*model_describe)(const nacre_model *, size_t info_size, nacre_model_info *);
  nacre_status (*entry_describe)(const nacre_model *, uint32_t entry, size_t info_size, nacre_entry_info *);
  nacre_status (*input_describe)(const nacre_model *, uint32_t entry, uint32_t index, size_t info_size,
                                 nacre_tensor_info *);
  nacre_status (*output_describe)(const nacre_model *, uint32_t entry, uint32_t index, size_t info_size,
                                  nacre_tensor_info *);
  nacre_status (*launch_describe)(const nacre_model *, uint32_t entry, uint32_t index, size_t info_size,
                                  nacre_launch_info *);
  nacre_status (*session_memory)(const nacre_model *, uint32_t api_version, const nacre_session_options *,
                                 size_t info_size, nacre_memory_info *);
  nacre_status (*session_create)(const nacre_model *, uint32_t api_version, const nacre_session_options *,
                                 nacre_session **);
  void (*session_destroy)(nacre_session *);
  nacre_status (*session_input)(nacre_session *, uint32_t index, void **);
  nacre_status (*session_output)(nacre_session *, uint32_t index, void **);
  nacre_status (*session_find_input)(nacre_session *, const char *name, uint32_t *);
  nacre_status (*session_find_output)(nacre_session *, const char *name, uint32_t *);
  nacre_status (*session_bind_input)(nacre_session *, uint32_t index, const void *);
  nacre_status (*session_bind_output)(nacre_session *, uint32_t index, void *);
  nacre_status (*session_run)(nacre_session *);
  nacre_status (*session_launch_time)(nacre_session *, uint32_t index, size_t time_size, nacre_launch_time *);
  const char *(*session_reason)(const nacre_session *);
  nacre_status (*executor_create)(uint32_t threads, const nacre_allocator *, nacre_executor **);
  void (*executor_destroy)(nacre_executor *);
  nacre_status (*session_describe)(nacre_session *, size_t info_size, nacre_session_info *);
  nacre_status (*device_describe)(const nacre_model *, uint32_t index, size_t info_size, nacre_device_info *);
};

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/** The options to start from: the first entry, the device's big cores, the C library's memory. */
static inline nacre_session_options nacre_session_options_default(void) {
  nacre_session_options options = {
      0, NULL, 0, 0, NACRE_GPU_IF_USEFUL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0};
  options.struct_size = sizeof(options);
  return options;
}

/**
 * Tells what nacre_session_create would ask the allocator for. Options may be NULL.
 * NACRE_BAD_ARGUMENT, NACRE_UNSUPPORTED: as create.
 */
static inline nacre_status nacre_session_memory(const nacre_model *model, const nacre_session_options *options,
                                                nacre_memory_info *out_memory) {
  return model->functions->session_memory(model, NACRE_API_VERSION, options, sizeof(*out_memory), out_memory);
}

/**
 * Makes a session. Options may be NULL and are not needed afterwards, but for what they point to as said there.
 * State starts as zeros. Cost: one allocation, the start of the threads; no input or temporary is touched.
 * NACRE_BAD_ARGUMENT: no such entry, or options that contradict the model.
 * NACRE_OUT_OF_MEMORY: the block was refused; nothing is left behind.
 * NACRE_UNSUPPORTED: the CPU lacks instructions that the model needs, a GPU is required, or the app's header or the
 * model's format is of another version than the model's runtime.
 * NACRE_FAILED: a thread could not be started.
 */
static inline nacre_status nacre_session_create(const nacre_model *model, const nacre_session_options *options,
                                                nacre_session **out_session) {
  return model->functions->session_create(model, NACRE_API_VERSION, options, out_session);
}

/** Joins the threads and returns the block. NULL is allowed. Bound buffers stay the caller's. */
static inline void nacre_session_destroy(nacre_session *session) {
  if (session)
    session->functions->session_destroy(session);
}

/**
 * Where input number `index` is read from: the session's own buffer, or the one bound. Valid until another is bound or
 * the session is destroyed; no run overwrites it, so an input that does not change is written once.
 * NACRE_BAD_ARGUMENT: no such input.
 */
static inline nacre_status nacre_session_input(nacre_session *session, uint32_t index, void **out_data) {
  return session->functions->session_input(session, index, out_data);
}

/** Where output number `index` is written to: the session's own buffer, or the one bound. As nacre_session_input. */
static inline nacre_status nacre_session_output(nacre_session *session, uint32_t index, void **out_data) {
  return session->functions->session_output(session, index, out_data);
}

/** The number of the input of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_session_find_input(nacre_session *session, const char *name, uint32_t *out_index) {
  return session->functions->session_find_input(session, name, out_index);
}

/** The number of the output of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_session_find_output(nacre_session *session, const char *name, uint32_t *out_index) {
  return session->functions->session_find_output(session, name, out_index);
}

/** nacre_session_input by name. */
static inline nacre_status nacre_session_input_named(nacre_session *session, const char *name, void **out_data) {
  uint32_t index = 0;
  nacre_status status = nacre_session_find_input(session, name, &index);
  return status == NACRE_OK ? nacre_session_input(session, index, out_data) : status;
}

/** nacre_session_output by name. */
static inline nacre_status nacre_session_output_named(nacre_session *session, const char *name, void **out_data) {
  uint32_t index = 0;
  nacre_status status = nacre_session_find_output(session, name, &index);
  return status == NACRE_OK ? nacre_session_output(session, index, out_data) : status;
}

/**
 * Lets the following runs read input number `index` from the caller's buffer, without a copy; NULL goes back to the
 * session's own. The buffer must hold the tensor's bytes and outlive its last run. To copy instead, write to
 * nacre_session_input.
 * NACRE_BAD_ARGUMENT: no such input, or the buffer is not aligned to NACRE_ALIGNMENT.
 */
static inline nacre_status nacre_session_bind_input(nacre_session *session, uint32_t index, const void *data) {
  return session->functions->session_bind_input(session, index, data);
}

/** Lets the following runs write output number `index` to the caller's buffer. As nacre_session_bind_input. */
static inline nacre_status nacre_session_bind_output(nacre_session *session, uint32_t index, void *data) {
  return session->functions->session_bind_output(session, index, data);
}

/**
 * Computes the outputs from the inputs, and returns when they are there. A GPU that fails on the way is left alone from
 * then on: the CPU computes this run and all later ones, and nacre_session_reason says why.
 * NACRE_FAILED: the outputs are undefined.
 */
static inline nacre_status nacre_session_run(nacre_session *session) {
  return session->functions->session_run(session);
}

/**
 * What launch number `index` cost in the latest run.
 * NACRE_BAD_ARGUMENT: no such launch, no run yet, or the session was not made with `profile`.
 */
static inline nacre_status nacre_session_launch_time(nacre_session *session, uint32_t index,
                                                     nacre_launch_time *out_time) {
  return session->functions->session_launch_time(session, index, sizeof(*out_time), out_time);
}

/** Tells what computes the session's runs. Never fails. */
static inline nacre_status nacre_session_describe(nacre_session *session, nacre_session_info *out_info) {
  return session->functions->session_describe(session, sizeof(*out_info), out_info);
}

/**
 * Why the latest failing call on this session failed, in words, or why the CPU computes what was placed on a GPU; ""
 * where neither has happened. Valid until the next call.
 */
static inline const char *nacre_session_reason(const nacre_session *session) {
  return session->functions->session_reason(session);
}

/** What a status asks of the caller, in words. */
static inline const char *nacre_status_text(nacre_status status) {
  switch (status) {
  case NACRE_OK:
    return "ok";
  case NACRE_BAD_ARGUMENT:
    return "bad argument: correct the call";
  case NACRE_OUT_OF_MEMORY:
    return "out of memory: free some and try again";
  case NACRE_UNSUPPORTED:
    return "unsupported: this device or runtime cannot run this model";
  case NACRE_FAILED:
    return "failed: destroy the session, a new one may succeed";
  }
  return "a status of a newer runtime";
}

/* --- Threads that sessions share ---------------------------------------------------------------------------------- */

/**
 * Starts threads that sessions of any model may share; `threads` as in the options. While one session's launch has
 * them, another's runs on its calling thread alone. The model's .so must stay loaded until the executor is destroyed.
 * NACRE_OUT_OF_MEMORY, NACRE_FAILED: as create.
 */
static inline nacre_status nacre_executor_create(const nacre_model *model, uint32_t threads,
                                                 const nacre_allocator *allocator, nacre_executor **out_executor) {
  return model->functions->executor_create(threads, allocator, out_executor);
}

/** Joins the threads of an executor that nacre_executor_create of the same model made. No session may use it any more.
 */
static inline void nacre_executor_destroy(const nacre_model *model, nacre_executor *executor) {
  if (executor)
    model->functions->executor_destroy(executor);
}

/* --- What a model is ---------------------------------------------------------------------------------------------- */

/** Describes the model. Never fails. */
static inline nacre_status nacre_model_describe(const nacre_model *model, nacre_model_info *out_info) {
  return model->functions->model_describe(model, sizeof(*out_info), out_info);
}

/** Describes entry number `entry`. NACRE_BAD_ARGUMENT: no such entry. */
static inline nacre_status nacre_entry_describe(const nacre_model *model, uint32_t entry, nacre_entry_info *out_info) {
  return model->functions->entry_describe(model, entry, sizeof(*out_info), out_info);
}

/** Describes one input of an entry. NACRE_BAD_ARGUMENT: no such entry or input. */
static inline nacre_status nacre_input_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                nacre_tensor_info *out_info) {
  return model->functions->input_describe(model, entry, index, sizeof(*out_info), out_info);
}

/** Describes one output of an entry. NACRE_BAD_ARGUMENT: no such entry or output. */
static inline nacre_status nacre_output_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                 nacre_tensor_info *out_info) {
  return model->functions->output_describe(model, entry, index, sizeof(*out_info), out_info);
}

/**
 * Describes GPU number `index` of this machine, counted from 0. Cost: Vulkan is loaded for the call.
 * NACRE_BAD_ARGUMENT: there are fewer. NACRE_UNSUPPORTED: there is none that this model could use; the report says why.
 */
static inline nacre_status nacre_device_describe(const nacre_model *model, uint32_t index,
                                                 nacre_device_info *out_info) {
  return model->functions->device_describe(model, index, sizeof(*out_info), out_info);
}

/** Describes one launch of an entry, in the order of execution. NACRE_BAD_ARGUMENT: no such entry or launch. */
static inline nacre_status nacre_launch_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                 nacre_launch_info *out_info) {
  return model->functions->launch_describe(model, entry, index, sizeof(*out_info), out_info);
}

#ifdef __cplusplus
}
#endif

#endif /* NACRE_RUNTIME_H */
