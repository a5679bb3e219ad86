/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Nacre runtime: run a compiled model inside an app.
 *
 * The whole life of a model:
 *
 *   nacre_model_squeezenet    the model; immutable, the .so's only symbol
 *   nacre_session_create      one block of memory, the threads, the GPU if there is one; options by struct
 *   nacre_session_input       where to write an input, in place
 *   nacre_session_run         run, as often as you like; after a failure, nacre_session_reason gives the cause
 *   nacre_session_cancel      end a run from another thread
 *   nacre_session_use         let later runs compute another entry of the model
 *   nacre_session_output      where an output is, in place; nacre_session_output_dims: its size if it depends on the data
 *   nacre_session_state       the state that the model keeps between runs: reset, read, write, save and load it (state.h)
 *   nacre_session_destroy     join the threads, return the block
 *
 * Memory:  One block per session, from the caller's allocator; nacre_session_memory returns its size beforehand. Running
 *          allocates nothing. A GPU takes additional CPU and GPU memory: see nacre_session_describe.
 * Threads: A model is immutable; any thread may use it. A session belongs to one thread at a time; only
 *          nacre_session_cancel may be called while another call is in progress. The session's own threads block all
 *          signals except those of faults, so that the app's handlers run on the app's threads.
 * Errors:  Every call that can fail returns nacre_status; on failure, output parameters are unchanged. If an output
 *          parameter is NULL, the call returns NACRE_BAD_ARGUMENT without a reason. A NULL session, state or model
 *          crashes, unless the call allows NULL.
 * fork():  A child process may use and destroy the sessions, states and executors of its parent. It has neither their
 *          threads nor their GPU: runs use only the calling thread. If a run was in progress at the fork, the child
 *          can only destroy that session and its state: runs return NACRE_FAILED.
 * dlclose: The model's .so contains the code of these calls. Destroy its sessions, states and executors first; otherwise
 *          the next call, or one of their threads, crashes. The library does not keep itself loaded, so that
 *          an app that replaces a model gets its memory back.
 * Units:   Sizes are bytes, dimensions elements, times nanoseconds.
 *
 * Every function here is an inline call through the model's own table of functions, so an app links no runtime, and
 * models compiled by different versions can live in one process. Enums, structs and the table only grow at their
 * ends; nacre_session_create refuses an app that needs a newer version than the model's.
 */
#ifndef NACRE_RUNTIME_H
#define NACRE_RUNTIME_H

#include "info.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of this header. A model runs in an app whose header has the same version or an older one, or a newer one
 * if the app uses no newer features (docs/compatibility.md).
 */
#define NACRE_API_VERSION 10
#define NACRE_OLDEST_API_VERSION 6 /**< The oldest version of models that an app with this header can run. */

/** The alignment in bytes of every pointer that the runtime returns, and of every buffer bound to it. */
#define NACRE_ALIGNMENT 64

/** The result of a call, and the app's next step. */
typedef enum nacre_status {
  NACRE_OK = 0,                 /**< Success. */
  NACRE_BAD_ARGUMENT = 1,       /**< The call is always wrong: correct the app. */
  NACRE_OUT_OF_MEMORY = 2,      /**< The allocator failed: free memory, then repeat the call. */
  NACRE_UNSUPPORTED = 3,        /**< This device or runtime can never run this model: use another model. */
  NACRE_FAILED = 4,             /**< The system failed, not the app: destroy the session; a new one may succeed. */
  NACRE_CANCELLED = 5,          /**< nacre_session_cancel ended the run: run again at any time. */
  NACRE_TOO_MANY_ITERATIONS = 6 /**< The loops exceeded max_iterations: change the inputs or raise it, and run again. */
} nacre_status;

/** Selects the engines that may compute. */
typedef enum nacre_gpu_choice {
  NACRE_GPU_IF_USEFUL = 0, /**< The GPU computes what was placed on it; if no GPU works, the CPU computes everything. */
  NACRE_GPU_NEVER = 1,
  NACRE_GPU_REQUIRED = 2 /**< Without a GPU, create returns NACRE_UNSUPPORTED. An emulated GPU is accepted. */
} nacre_gpu_choice;

typedef enum nacre_log_level { NACRE_LOG_ERROR = 0, NACRE_LOG_INFO = 1 } nacre_log_level;

typedef struct nacre_functions nacre_functions;
typedef struct nacre_state_functions nacre_state_functions;
typedef struct nacre_weights_functions nacre_weights_functions;
typedef struct nacre_state nacre_state;
typedef struct nacre_executor nacre_executor;

/** A compiled model. The fields after the head are private to the compiler (model_format.h). */
typedef struct nacre_model {
  const nacre_functions *functions;
} nacre_model;

/** A model that is ready to run, with its memory and threads. The fields after the head are private to the runtime. */
typedef struct nacre_session {
  const nacre_functions *functions;
} nacre_session;

/** The caller's allocator. `allocate` returns NULL if it is out of memory; the block need not be zeroed. */
typedef struct nacre_allocator {
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *block, size_t bytes);
  void *user;
} nacre_allocator;

typedef void (*nacre_log_function)(void *user, nacre_log_level level, const char *message);

/** Returns a value for nacre_session_options.gpu_cut: the GPU's share, in percent, of each launch with GPU code. */
#define NACRE_GPU_CUT(percent) ((uint32_t)(percent) + 1)

/** Options of a session. Start from nacre_session_options_default(), where every field except the first is 0. */
typedef struct nacre_session_options {
  size_t struct_size;   /**< sizeof(nacre_session_options) */
  const char *entry;    /**< The entry to run. NULL: the first one, `main`. */
  uint32_t threads;     /**< Number of threads, including the caller. 0: one per big core. Ignored with an executor. */
  uint32_t profile;     /**< Not 0: record times for nacre_session_launch_time. Costs two clock reads per launch. */
  nacre_gpu_choice gpu; /**< The engines that may compute. */
  const nacre_allocator *allocator; /**< Copied. NULL: the C library's. */
  nacre_executor *executor;         /**< Must outlive the session. NULL: the session starts its own threads. */
  nacre_log_function log;           /**< Receives the causes of failures, and the choices of create. NULL: no log. */
  void *log_user;                   /**< The first argument of `log`. */
  const char *cache_folder;         /**< The folder that caches compiled GPU code between sessions. NULL: no cache. */
  const void
      *weights; /**< The weights file of a model that has one, in memory (weights.h); must outlive the session. */
  size_t weights_bytes; /**< Its size. */
  char *reason;         /**< A failing create writes the cause here, because there is no session to ask. May be NULL. */
  size_t reason_capacity;  /**< The size of `reason`, including the final 0. */
  uint32_t gpu_cut;        /**< NACRE_GPU_CUT(percent) sets the GPU's share of every launch. 0: as compiled. */
  uint32_t gpu_device;     /**< Uses device number gpu_device - 1 of nacre_device_describe. 0: the best one. */
  uint32_t gpu_sequential; /**< Not 0: in each phase, the CPU waits for the GPU; to measure or debug. */
  /**
   * Not 0: create returns before the GPU is ready. The CPU computes until then, and no run waits for the GPU. A thread
   * prepares the GPU: it calls `allocator` and `log`, and reads `cache_folder`, which must live as long as the session;
   * destroy waits for the thread. Ignored if a GPU is required, and with the next two options.
   */
  uint32_t gpu_background;
  /**
   * Not 0: create runs each GPU kernel once, compares its result with the CPU's, and disables kernels whose results
   * differ; nacre_session_reason and the log name them. The cache folder keeps the verdicts for this device.
   */
  uint32_t gpu_self_test;
  /**
   * Not 0: create measures kernels on both engines for about this many milliseconds, plus a few runs, and selects the
   * cuts and code with the shortest run. The cache folder keeps the result for this device; a later create with any
   * budget starts from it. Ignored with gpu_cut.
   */
  uint32_t tune_budget_ms;
  nacre_state
      *state; /**< A state of the same model, from nacre_state_create; must outlive the session. NULL: its own. */
  /**
   * The maximum number of iterations of all loops in a run together; a run that exceeds it ends with
   * NACRE_TOO_MANY_ITERATIONS. Three kinds of loops do not count: those that the compiler unrolled, those that a GPU has
   * recorded, and those from the first write to the state on, which are bounded. 0: no limit. Requires a model of API
   * version 7 or later.
   */
  uint64_t max_iterations;
  /**
   * Not 0: the session has all entries of the model, `entry` first; nacre_session_use selects another. They share state,
   * threads and the memory of temporaries, which is that of the largest. Each has its own inputs and outputs, and on a GPU
   * its own weights, buffers and recordings. Create waits for the GPU, also with gpu_background, and tunes each entry.
   * Requires a model of API version 10 or later.
   */
  uint32_t all_entries;
} nacre_session_options;

/**
 * The table of the functions below. It grows at its end; struct_size tells which functions a model's runtime has.
 * Structures that a call fills in are passed with their size in the app's header.
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
  const nacre_state_functions *state; /**< The functions of state.h. */
  nacre_status (*session_cancel)(nacre_session *);
  const nacre_weights_functions *weights; /**< The functions of weights.h; NULL: the library contains the weights. */
  nacre_status (*session_use)(nacre_session *, uint32_t entry); /**< NULL: the model has one entry. */
};

/**
 * Returns the version that an app requests from a model's runtime: its header's version, or the model's older one if the
 * app's options use no newer features. Options may be NULL.
 */
static inline uint32_t nacre_asked_version(const nacre_model *model, const nacre_session_options *options) {
  const uint32_t version = model->functions->api_version;
  uint32_t least = NACRE_OLDEST_API_VERSION;
  if (options) {
    /* The options that are newer than the oldest version, with their versions in ascending order. */
    const uint32_t newer[][2] = {{options->max_iterations != 0, 7}, {options->all_entries != 0, 10}};
    size_t i;
    for (i = 0; i < sizeof(newer) / sizeof(newer[0]); ++i)
      least = newer[i][0] ? newer[i][1] : least;
  }
  return least <= version && version < NACRE_API_VERSION ? version : NACRE_API_VERSION;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/** Returns the default options: the first entry, the device's big cores, the C library's allocator. */
static inline nacre_session_options nacre_session_options_default(void) {
  nacre_session_options options = {
      0, NULL, 0, 0, NACRE_GPU_IF_USEFUL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0};
  options.struct_size = sizeof(options);
  return options;
}

/**
 * Reports the memory that nacre_session_create would request from the allocator. Options may be NULL.
 * NACRE_BAD_ARGUMENT, NACRE_UNSUPPORTED: as for nacre_session_create.
 */
static inline nacre_status nacre_session_memory(const nacre_model *model, const nacre_session_options *options,
                                                nacre_memory_info *out_memory) {
  if (!out_memory)
    return NACRE_BAD_ARGUMENT;
  return model->functions->session_memory(model, nacre_asked_version(model, options), options, sizeof(*out_memory),
                                          out_memory);
}

/**
 * Creates a session. Options may be NULL. They are not needed afterwards, except the objects that must outlive the session.
 * The session's own state starts with the model's initial values. Cost: one allocation and the start of the threads;
 * only a self-test or tuning touches inputs and temporaries. For a GPU's cost, see nacre_session_describe.
 * NACRE_BAD_ARGUMENT: no such entry, or options that contradict the model.
 * NACRE_OUT_OF_MEMORY: the allocator failed; nothing remains allocated.
 * NACRE_UNSUPPORTED: the CPU lacks instructions that the model needs, a required GPU is missing, or the version of the
 * app's header or of the model's format does not match the model's runtime.
 * NACRE_FAILED: a thread could not be started.
 */
static inline nacre_status nacre_session_create(const nacre_model *model, const nacre_session_options *options,
                                                nacre_session **out_session) {
  if (!out_session)
    return NACRE_BAD_ARGUMENT;
  return model->functions->session_create(model, nacre_asked_version(model, options), options, out_session);
}

/** Joins the threads and returns the block. NULL is allowed. Bound buffers remain the caller's. */
static inline void nacre_session_destroy(nacre_session *session) {
  if (session)
    session->functions->session_destroy(session);
}

/**
 * Returns the buffer of input number `index`: the session's own, or the one bound. Valid until another is bound or the
 * session is destroyed. No run overwrites it, so write an input that does not change only once.
 * NACRE_BAD_ARGUMENT: no such input.
 */
static inline nacre_status nacre_session_input(nacre_session *session, uint32_t index, void **out_data) {
  return out_data ? session->functions->session_input(session, index, out_data) : NACRE_BAD_ARGUMENT;
}

/** Returns the buffer of output number `index`: the session's own, or the one bound. See nacre_session_input. */
static inline nacre_status nacre_session_output(nacre_session *session, uint32_t index, void **out_data) {
  return out_data ? session->functions->session_output(session, index, out_data) : NACRE_BAD_ARGUMENT;
}

/** Finds the number of the input called `name`. NACRE_BAD_ARGUMENT: no such input. */
static inline nacre_status nacre_session_find_input(nacre_session *session, const char *name, uint32_t *out_index) {
  return name && out_index ? session->functions->session_find_input(session, name, out_index) : NACRE_BAD_ARGUMENT;
}

/** Finds the number of the output called `name`. NACRE_BAD_ARGUMENT: no such output. */
static inline nacre_status nacre_session_find_output(nacre_session *session, const char *name, uint32_t *out_index) {
  return name && out_index ? session->functions->session_find_output(session, name, out_index) : NACRE_BAD_ARGUMENT;
}

/** Returns the buffer of the input called `name`; see nacre_session_input. */
static inline nacre_status nacre_session_input_named(nacre_session *session, const char *name, void **out_data) {
  uint32_t index = 0;
  nacre_status status = nacre_session_find_input(session, name, &index);
  return status == NACRE_OK ? nacre_session_input(session, index, out_data) : status;
}

/** Returns the buffer of the output called `name`; see nacre_session_output. */
static inline nacre_status nacre_session_output_named(nacre_session *session, const char *name, void **out_data) {
  uint32_t index = 0;
  nacre_status status = nacre_session_find_output(session, name, &index);
  return status == NACRE_OK ? nacre_session_output(session, index, out_data) : status;
}

/**
 * Lets later runs read input number `index` from the caller's buffer, without a copy. NULL restores the session's own
 * buffer. The buffer must hold the tensor's bytes and outlive its last run. Inputs may share a buffer, but must not
 * overlap an output. nacre_session_run checks this, so that two calls can swap two buffers. To copy instead, write to
 * the buffer of nacre_session_input.
 * NACRE_BAD_ARGUMENT: no such input, or the buffer is not aligned to NACRE_ALIGNMENT.
 */
static inline nacre_status nacre_session_bind_input(nacre_session *session, uint32_t index, const void *data) {
  return session->functions->session_bind_input(session, index, data);
}

/**
 * Lets later runs write output number `index` to the caller's buffer. Like nacre_session_bind_input, but an output must
 * not overlap an input or another output.
 */
static inline nacre_status nacre_session_bind_output(nacre_session *session, uint32_t index, void *data) {
  return session->functions->session_bind_output(session, index, data);
}

/**
 * Computes the outputs from the inputs, and returns when they are complete. If the GPU fails, the session stops using it:
 * the CPU computes this run and all later ones, and nacre_session_reason gives the cause.
 * NACRE_BAD_ARGUMENT: an output's buffer overlaps an input or another output, another run or call is using the session's
 * state, or a label of a loss is neither a class nor the ignored value; nothing was computed. Or a size that the inputs
 * decide is larger than its bound (nacre-compile --bound): the outputs lack elements, and the state is as after a run.
 * NACRE_CANCELLED, NACRE_TOO_MANY_ITERATIONS: the run was ended. The outputs are undefined, the state is unchanged, and
 * the session can run again.
 * NACRE_FAILED: in a forked child process, another run or call is using the state, most likely since before the fork;
 * nothing was computed.
 */
static inline nacre_status nacre_session_run(nacre_session *session) {
  return session->functions->session_run(session);
}

/**
 * Cancels the run in progress: nacre_session_run returns NACRE_CANCELLED after the current launch or GPU batch. Call this
 * from any thread or signal handler while the session exists; it returns at once. A run that has begun to write the state
 * continues to its end, like a training step; the rest of such a run has only bounded loops. A run that is about to end
 * may still return NACRE_OK.
 * Later runs are not cancelled. If the run may not have begun yet, repeat the call until its thread reports that it has
 * returned.
 * NACRE_BAD_ARGUMENT: no run is in progress; nothing happens, and no reason is set. NACRE_UNSUPPORTED: the model's
 * version is older than 7.
 */
static inline nacre_status nacre_session_cancel(nacre_session *session) {
  return session->functions->api_version < 7 ? NACRE_UNSUPPORTED : session->functions->session_cancel(session);
}

/**
 * Lets later calls on the session concern entry number `entry` (nacre_entry_find). Each entry keeps its buffers, also
 * bound ones, while another is in use; so the outputs of the earlier entry can still be read. Nothing is allocated.
 * NACRE_BAD_ARGUMENT: no such entry, or another than that of the options without all_entries.
 * NACRE_UNSUPPORTED: the model's version is older than 10; no reason is set.
 */
static inline nacre_status nacre_session_use(nacre_session *session, uint32_t entry) {
  if (session->functions->api_version < 10)
    return NACRE_UNSUPPORTED;
  if (session->functions->session_use)
    return session->functions->session_use(session, entry);
  return entry == 0 ? NACRE_OK : NACRE_BAD_ARGUMENT;
}

/**
 * Returns the cause of the latest failure on this session, or the cause why the CPU computes launches placed on the GPU;
 * "" if neither has happened. Valid until the next call.
 */
static inline const char *nacre_session_reason(const nacre_session *session) {
  return session->functions->session_reason(session);
}

/** Returns a text for a status, with advice for the caller. */
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
    return "failed: destroy the session; a new one may succeed";
  case NACRE_CANCELLED:
    return "cancelled: run again at any time";
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
#include "weights.h"
#endif /* NACRE_RUNTIME_H */
