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
 *   nacre_session_cancel      end the run that another thread is in
 *   nacre_session_output      where an output is, in place; nacre_session_output_dims its size, where data decide it
 *   nacre_session_state       what a model remembers from run to run: to reset, read, write, save and load (state.h)
 *   nacre_session_destroy     threads joined, block returned
 *
 * Memory:  one block per session, from the caller's allocator; nacre_session_memory tells its size beforehand. Running
 *          allocates nothing. A GPU takes more, of both memories: nacre_session_describe.
 * Threads: a model is immutable, any thread may use it. A session belongs to one thread at a time; only
 *          nacre_session_cancel may be called while another call is in progress. The session's own threads block all signals but those of
 *          faults, so that the app's handlers run on the app's threads.
 * Errors:  every fallible call returns nacre_status; on failure out-parameters are untouched. A pointer to a result that is
 *          NULL is answered with NACRE_BAD_ARGUMENT, and no reason; a session, state or model that is NULL ends the process,
 *          except where a call says that it is allowed.
 * fork():  a child process may use and destroy the sessions, states and executors of its parent. It has neither their threads
 *          nor their GPU: a run there computes on the calling thread alone. If a run was in progress at the fork, the child
 *          can only destroy that session and its state: runs answer NACRE_FAILED.
 * dlclose: the model's .so contains the code behind these calls. Destroy its sessions, states and executors first; if it is
 *          closed before, the next call, or a thread of theirs, crashes. The library does not keep itself loaded, so that
 *          an app that replaces a model gets its memory back.
 * Units:   sizes are bytes, dimensions elements, times nanoseconds.
 *
 * Every function here is an inline call through the model's own table of functions, so an app links no runtime, and
 * several models, compiled by different versions, live in one process. Enum numbers, struct fields and the table only
 * ever grow at their ends; an app that asks for what is newer than the model is refused by nacre_session_create.
 */
#ifndef NACRE_RUNTIME_H
#define NACRE_RUNTIME_H

#include "info.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of this header. A model runs in an app whose header is of its own version or an older one, and of a newer one
 * that uses nothing newer (docs/compatibility.md).
 */
#define NACRE_API_VERSION 7
#define NACRE_OLDEST_API_VERSION 6 /**< Of models that an app with this header runs. */

/** Every pointer that the runtime hands out, and every buffer bound to it, is aligned to this many bytes. */
#define NACRE_ALIGNMENT 64

/** What a call came to, and what to do next. */
typedef enum nacre_status {
  NACRE_OK = 0,            /**< Go on. */
  NACRE_BAD_ARGUMENT = 1,  /**< The call is wrong in every state: correct the app. */
  NACRE_OUT_OF_MEMORY = 2, /**< The allocator had no room: free memory, then try the same call again. */
  NACRE_UNSUPPORTED = 3, /**< This device or this runtime can never run this model: use another model or another way. */
  NACRE_FAILED = 4,      /**< The system failed, not the app: destroy the session; a new one may succeed. */
  NACRE_CANCELLED = 5,   /**< nacre_session_cancel ended the run: run again whenever you like. */
  NACRE_TOO_MANY_ITERATIONS = 6 /**< The loops exceeded max_iterations: change the inputs or raise it, and run again. */
} nacre_status;

/** Which engine may compute. */
typedef enum nacre_gpu_choice {
  NACRE_GPU_IF_USEFUL = 0, /**< The GPU for what was placed on it; the CPU alone where there is none that works. */
  NACRE_GPU_NEVER = 1,
  NACRE_GPU_REQUIRED = 2 /**< NACRE_UNSUPPORTED where there is none. A CPU that plays a GPU will do. */
} nacre_gpu_choice;

typedef enum nacre_log_level { NACRE_LOG_ERROR = 0, NACRE_LOG_INFO = 1 } nacre_log_level;

typedef struct nacre_functions nacre_functions;
typedef struct nacre_state_functions nacre_state_functions;
typedef struct nacre_state nacre_state;
typedef struct nacre_executor nacre_executor;

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
  const void *weights;     /**< The weights of a model compiled without them, aligned; must outlive the session. */
  size_t weights_bytes;    /**< Their size. */
  char *reason;            /**< Where a failing create writes why, as there is no session to ask. May be NULL. */
  size_t reason_capacity;  /**< The bytes there are, the final 0 included. */
  uint32_t gpu_cut;        /**< NACRE_GPU_CUT(percent) moves every cut to there; 0: as compiled. */
  uint32_t gpu_device;     /**< Device number gpu_device - 1 of nacre_device_describe; 0: the best. */
  uint32_t gpu_sequential; /**< Not 0: of each phase the GPU's part first, then the CPU's; to measure or debug. */
  /**
   * Not 0: create returns before the GPU is ready; the CPU computes until a run finds that it is, and no run waits for
   * it. A thread then does what create would: it calls `allocator` and `log`, and reads `cache_folder`, which must live
   * as long as the session; destroy waits until it has ended. Ignored where a GPU is required, and with the two below.
   */
  uint32_t gpu_background;
  /**
   * Not 0: create lets each kernel that the GPU is to compute do so once, compares with the CPU, and does without what
   * is wrong; nacre_session_reason and the log say what. Verdicts are kept in the cache folder, for this device.
   */
  uint32_t gpu_self_test;
  /**
   * Not 0: create measures kernels on both engines for about this many milliseconds, and a few runs more, and moves
   * cuts and code to what makes a run shortest. The outcome is kept in the cache folder, for this device; a later
   * create with any budget starts from it. Ignored with gpu_cut.
   */
  uint32_t tune_budget_ms;
  nacre_state *state; /**< Of nacre_state_create and the same model; must outlive the session. NULL: its own. */
  /**
   * The most iterations of loops, all together, that a run may finish; one that goes on ends with
   * NACRE_TOO_MANY_ITERATIONS. Not counted are loops that the compiler unrolled, those that a GPU has recorded, and those from the
   * first on that writes the state, whose iterations are bounded. 0: no limit. Requires a model of API version 7 or later.
   */
  uint64_t max_iterations;
} nacre_session_options;

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
  nacre_status (*session_output_dims)(nacre_session *, uint32_t index, int64_t *);
  const nacre_state_functions *state; /**< Of state.h. */
  nacre_status (*session_cancel)(nacre_session *);
};

/**
 * The version that an app asks of a model's runtime: its header's, or the model's where that is older, as long as the app
 * uses nothing newer: what options have of later versions than the oldest asks for these. Options may be NULL.
 */
static inline uint32_t nacre_asked_version(const nacre_model *model, const nacre_session_options *options) {
  const uint32_t version = model->functions->api_version;
  const uint32_t least = options && options->max_iterations ? 7 : NACRE_OLDEST_API_VERSION;
  return least <= version && version < NACRE_API_VERSION ? version : NACRE_API_VERSION;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/** The options to start from: the first entry, the device's big cores, the C library's memory. */
static inline nacre_session_options nacre_session_options_default(void) {
  nacre_session_options options = {
      0, NULL, 0, 0, NACRE_GPU_IF_USEFUL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, 0};
  options.struct_size = sizeof(options);
  return options;
}

/**
 * Tells what nacre_session_create would ask the allocator for. Options may be NULL.
 * NACRE_BAD_ARGUMENT, NACRE_UNSUPPORTED: as create.
 */
static inline nacre_status nacre_session_memory(const nacre_model *model, const nacre_session_options *options,
                                                nacre_memory_info *out_memory) {
  if (!out_memory)
    return NACRE_BAD_ARGUMENT;
  return model->functions->session_memory(model, nacre_asked_version(model, options), options, sizeof(*out_memory),
                                          out_memory);
}

/**
 * Makes a session. Options may be NULL and are not needed afterwards, but for what they point to as said there.
 * A state of its own starts as the model says. Cost: one allocation, the start of the threads; no input or temporary is touched, but by a
 * self-test or tuning. A GPU adds what nacre_session_describe tells.
 * NACRE_BAD_ARGUMENT: no such entry, or options that contradict the model.
 * NACRE_OUT_OF_MEMORY: the block was refused; nothing is left behind.
 * NACRE_UNSUPPORTED: the CPU lacks instructions that the model needs, a GPU is required, or the app's header or the
 * model's format is of another version than the model's runtime.
 * NACRE_FAILED: a thread could not be started.
 */
static inline nacre_status nacre_session_create(const nacre_model *model, const nacre_session_options *options,
                                                nacre_session **out_session) {
  if (!out_session)
    return NACRE_BAD_ARGUMENT;
  return model->functions->session_create(model, nacre_asked_version(model, options), options, out_session);
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
  return out_data ? session->functions->session_input(session, index, out_data) : NACRE_BAD_ARGUMENT;
}

/** Where output number `index` is written to: the session's own buffer, or the one bound. As nacre_session_input. */
static inline nacre_status nacre_session_output(nacre_session *session, uint32_t index, void **out_data) {
  return out_data ? session->functions->session_output(session, index, out_data) : NACRE_BAD_ARGUMENT;
}

/** The number of the input of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_session_find_input(nacre_session *session, const char *name, uint32_t *out_index) {
  return name && out_index ? session->functions->session_find_input(session, name, out_index) : NACRE_BAD_ARGUMENT;
}

/** The number of the output of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_session_find_output(nacre_session *session, const char *name, uint32_t *out_index) {
  return name && out_index ? session->functions->session_find_output(session, name, out_index) : NACRE_BAD_ARGUMENT;
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
 * session's own. The buffer must hold the tensor's bytes and outlive its last run. Inputs may share a buffer; none may
 * overlap an output, which nacre_session_run checks, so that two buffers can be exchanged by two calls. To copy
 * instead, write to nacre_session_input.
 * NACRE_BAD_ARGUMENT: no such input, or the buffer is not aligned to NACRE_ALIGNMENT.
 */
static inline nacre_status nacre_session_bind_input(nacre_session *session, uint32_t index, const void *data) {
  return session->functions->session_bind_input(session, index, data);
}

/**
 * Lets the following runs write output number `index` to the caller's buffer. As nacre_session_bind_input, but an
 * output may overlap neither an input nor another output.
 */
static inline nacre_status nacre_session_bind_output(nacre_session *session, uint32_t index, void *data) {
  return session->functions->session_bind_output(session, index, data);
}

/**
 * Computes the outputs from the inputs, and returns when they are there. A GPU that fails on the way is left alone from
 * then on: the CPU computes this run and all later ones, and nacre_session_reason says why.
 * NACRE_BAD_ARGUMENT: the buffer of an output overlaps that of an input or of another output, another run or call has
 * the session's state, or a label of a loss is neither a class nor the ignored value; nothing was computed.
 * NACRE_CANCELLED, NACRE_TOO_MANY_ITERATIONS: the run was ended; the outputs are undefined, the state is as it was before, and
 * the session can run again.
 * NACRE_FAILED: in a child process, by fork(), another run or call has the state, most likely since before the fork;
 * nothing was computed.
 */
static inline nacre_status nacre_session_run(nacre_session *session) {
  return session->functions->session_run(session);
}

/**
 * Ends the run that is in progress: nacre_session_run returns NACRE_CANCELLED after the launch, or the batch of a GPU, that
 * is being computed. From any thread or signal handler, as long as the session exists; returns at once. A run that has
 * begun to write the state goes on to its end, as a step of training does; no loop that could be endless is left then. A run
 * that is about to end may still return NACRE_OK.
 * Runs that begin afterwards are not ended. Where the run may not have begun yet, repeat the call until its thread says that
 * it is over.
 * NACRE_BAD_ARGUMENT: no run is in progress; nothing happens, and there is no reason. NACRE_UNSUPPORTED: the model is of an
 * older version than 7.
 */
static inline nacre_status nacre_session_cancel(nacre_session *session) {
  return session->functions->api_version < 7 ? NACRE_UNSUPPORTED : session->functions->session_cancel(session);
}

/**
 * The dimensions that output number `index` has after the latest run, into `out_dims`, which has room for its rank.
 * They are those of nacre_output_describe, but for the axes that its open_axes name: there the data decide, and dims is
 * the most that there can be. The bytes of the output do not change: element [i, j] is where it would be if all were
 * there, and what lies behind the axis' end is some number or other.
 * NACRE_BAD_ARGUMENT: no such output, or a run must decide and there was none.
 */
static inline nacre_status nacre_session_output_dims(nacre_session *session, uint32_t index, int64_t *out_dims) {
  return out_dims ? session->functions->session_output_dims(session, index, out_dims) : NACRE_BAD_ARGUMENT;
}

/**
 * What launch number `index` cost in the latest run.
 * NACRE_BAD_ARGUMENT: no such launch, no run yet, or the session was not made with `profile`.
 */
static inline nacre_status nacre_session_launch_time(nacre_session *session, uint32_t index,
                                                     nacre_launch_time *out_time) {
  return out_time ? session->functions->session_launch_time(session, index, sizeof(*out_time), out_time)
                  : NACRE_BAD_ARGUMENT;
}

/** Tells what computes the session's runs. */
static inline nacre_status nacre_session_describe(nacre_session *session, nacre_session_info *out_info) {
  return out_info ? session->functions->session_describe(session, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
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
  case NACRE_CANCELLED:
    return "cancelled: run again whenever you like";
  case NACRE_TOO_MANY_ITERATIONS:
    return "too many iterations: change the inputs, or raise max_iterations";
  }
  return "a status of a newer runtime";
}

#ifdef __cplusplus
}
#endif

#include "describe.h"
#include "executor.h"
#include "state.h"
#endif /* NACRE_RUNTIME_H */
