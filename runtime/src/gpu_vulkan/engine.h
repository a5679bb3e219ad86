// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Vulkan engine: all GPU data of a session.
// Why: create fills it piece by piece, runs read it, and destroy releases whatever exists.
// How: plain data in its own pool.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H

#include "runtime/src/gpu_vulkan/pipelines.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/submission.h"
#include "runtime/src/session.h"

namespace nacre::runtime::gpu {

/// GPU work of a phase, recorded once.
struct Batch {
  VkCommandBuffer commands; // Null if the GPU has no work in the phase.
  uint32_t first_query;     // Query at the batch's begin; each of its parts uses the next one.
  bool waits;               // True if it must wait for the CPU's parts of earlier phases.
};

/// Recorded run. There is one for each copy of the state that a run may read.
struct Recording {
  Batch *batches;               // One for each phase.
  VkDescriptorPool descriptors; // Null in a second recording that equals the first.
  Submissions submissions;      // All batches that are not null.
};

/// Part of the engine that make_plan creates and drop_plan deletes.
struct Planned {
  Layout layout;
  Schedule schedule;
  DeviceBuffer storages;
  DeviceBuffer mirror; // Part of the storages that the CPU accesses, if memory is not unified.
  DeviceBuffer weights;
  DeviceBuffer staging; // Transfer buffer of the state between two memories, if the mirror is too small.
  VkQueryPool queries;
  Recording recordings[2]; // Both are equal if the GPU does not access two copies of the state.
  uint64_t *ticks;         // Results of the queries; nullptr without profile.
  bool has_state;          // Set by the first run.
  Memory memory;           // Storages as the CPU's parts access them.
};

struct Engine : Planned {
  MemoryPool pool;
  const Session *session;
  Device device;
  Wish *wishes;     // For each step of the entry; includes the barred code.
  uint64_t *barred; // For each kernel.
  bool *decided;    // For each step: true if a run decides how often it executes. Then the CPU computes it.
  Reason refused;   // Reason why code is barred.
  Share *shares;    // For each step: the result of its wish.
  bool unified;     // True if both engines use `storages`.
  Pipelines pipelines;
  uint64_t words;  // Number of words that the CPU has signalled in earlier runs.
  bool sequential; // True if the CPU's part of a phase waits for the GPU's.

  // State, if a run of the entry accesses it.
  uint32_t current;               // Current copy. The next run reads it and writes the other one.
  char *states[2];                // Copies as the CPU sees them; with two memories, only the parts that it accesses.
  uint64_t state_writes;          // Value of the session state's `writes` when it was copied.
  uint64_t commits;               // Number of runs that have changed the state.
  uint64_t known_commits;         // Number of those that the session's state contains.
  VkCommandBuffer state_commands; // Commands of transfers; null until the first one.
  char *arriving;                 // Bytes for the session's state, until all have arrived.

  // Nanoseconds of the steps of create.
  uint64_t open_time;
  uint64_t pipelines_time;
  uint64_t weights_time;
  uint64_t recording_time;
  uint64_t measuring_time;

  Launch *launches; // Shares of the CPU, for each step.
};

/// Decides the shares from the wishes. If `tells`, logs the parts that the CPU must compute, with the reason.
void choose_shares(Engine &engine, bool tells);

/// Compiles the code for the wishes, decides the shares, and bars code that does not compile.
bool make_code(Engine &engine, Reason &reason);

/// Prepares runs with the current shares, whose code is compiled. drop_plan undoes it.
bool make_plan(Engine &engine, uint64_t cpu_features, Reason &reason);
void drop_plan(Engine &engine);

/// Allocates the storages of the layout. `cpu_bytes` is the part that the CPU accesses.
bool make_storages(Engine &engine, uint64_t cpu_bytes, Reason &reason);

/// Runs the self-test and the tuning as the options ask, or uses the cache folder. Bars code and changes wishes.
/// Defined in measuring.cpp.
bool measure(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);

/// Returns the GPU code of a step in which the GPU has a share.
Code code_of(const Engine &engine, uint32_t step);

/// Copies the weights that the GPU reads into its memory. Defined in weights.cpp.
bool upload_weights(Engine &engine, Reason &reason);

/// Functions that only models with variables link: state_in_session.cpp and its dependencies.
struct StateParts {
  /// Allocates the memory of the state's copies. Defined in state_transfer.cpp.
  bool (*prepare)(Engine &engine, Reason &reason);
  /// Copies the session's state to the engine, unless the engine has it or a newer one. Defined in state_transfer.cpp.
  bool (*upload)(Engine &engine, Reason &reason);
  /// Records the run that reads the second copy. Defined in state_run.cpp.
  bool (*record_second)(Engine &engine, Reason &reason);
  /// Returns the distance from the layout's place of a part's operand number `i`, which is in the state, to its copy.
  /// Defined in state_run.cpp.
  uint64_t (*to_copy)(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
  /// Records a move. Defined in state_run.cpp.
  void (*record_move)(Engine &engine, VkCommandBuffer commands, const Part &part);
  /// Computes a part of the CPU if there are two copies. Defined in state_run.cpp.
  void (*run_part)(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
  /// Makes the copy that a run has written the current one. Defined in state_run.cpp.
  bool (*commit)(Engine &engine, Reason &reason);
  /// Called before the session continues without its GPU. Adds the lost changes to the message.
  void (*give_up)(Session &session, Reason &message);
};

/// Returns what the session's model links for its state, or nullptr if it has no variables.
inline const StateParts *state_parts(const Session &session) { return session.model->gpu_engine->states; }

/// Returns the offset of a part's operand number `i`: in the layout (in the bound copy for the state), or in the buffer
/// of weights. Defined in recording.cpp.
uint64_t begin_of(const Engine &engine, const Part &part, uint32_t i);

bool prepare_state(Engine &engine, Reason &reason);
bool upload_state(Engine &engine, Reason &reason);
/// Copies copy `from` of the state to the session's state: all of it, or nothing on failure. Defined in
/// state_transfer.cpp.
bool download_state(Engine &engine, uint32_t from, Reason &reason);
bool record_second(Engine &engine, Reason &reason);
uint64_t to_copy(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
void record_move(Engine &engine, VkCommandBuffer commands, const Part &part);
void run_part_on_copies(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
bool commit(Engine &engine, Reason &reason);

// Functions of nacre_gpu_engine, defined in in_session.cpp.
bool start_gpu(Session &session, const SessionPlan &plan, Reason &reason);
nacre_status run_on_gpu(Session &session, RunLimits &limits);
void describe_gpu(Session &session, nacre_session_info &info);
void stop_gpu(Session &session);

/// Returns the number of runs whose changes of the state only this engine has.
inline uint64_t commits_ahead(const Engine &engine) { return engine.commits - engine.known_commits; }

/// Number of runs after which the state in a GPU's own memory is copied to the session's, which limits the loss with
/// the GPU.
constexpr uint64_t kMostCommitsAhead = 64;

/// Records the batches of a run with the current layout and schedule. Defined in recording.cpp.
bool record(Engine &engine, Recording &recording, Reason &reason);

/// Creates the engine for a session that is complete otherwise. Returns nullptr, with the reason, if no GPU is usable.
/// If it returns an engine with a reason, the CPU computes a part of the GPU's work. Another thread than the session's
/// may call it; the session runs on the CPU until that thread ends.
void *create(const Session &session, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);
/// `inherited`: the process is a child of the one that owns the device, so it must not access the device.
void destroy(void *engine, bool inherited);
void describe(const void *engine, nacre_session_info &info);

/// Computes one run. Returns NACRE_FAILED, with the reason, if the engine is not usable any more. Returns the limits'
/// status if they ended the run. Defined in engine_run.cpp.
nacre_status run(void *engine, RunLimits &limits, Reason &reason);

/// Stores the GPU's times of a run. `begun` is the time at which its first batch began. Defined in times.cpp.
bool note_times(Engine &engine, uint64_t begun, Reason &reason);

nacre_status describe_device(uint32_t index, nacre_device_info &info); // Defined in report.cpp.

/// Returns the recording that the next run submits.
inline Recording &recording(Engine &engine) { return engine.recordings[engine.current]; }

/// Returns the storages as the CPU sees them.
inline char *seen_by_cpu(const Engine &engine) {
  return engine.unified ? engine.storages.mapped : engine.mirror.mapped;
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
