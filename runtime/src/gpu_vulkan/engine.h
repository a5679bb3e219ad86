// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Vulkan engine: all GPU data of a session.
// Why: create fills the struct piece by piece, runs read it, and destroy releases the pieces that exist.
// How: plain data, in a memory pool that the struct itself contains.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H

#include "runtime/src/gpu_vulkan/pipelines.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/submission.h"
#include "runtime/src/session.h"

namespace nacre::runtime::gpu {

/// GPU work of a phase. It is recorded once, when the plan is made.
struct Batch {
  VkCommandBuffer commands; // Null if the GPU has no work in the phase.
  uint32_t first_query;     // Index of the query at the batch's begin. Each part of the batch uses the next query.
  bool waits;               // True if the batch must wait for the CPU's parts of earlier phases.
};

/// Recorded run. There is one for each copy of the state that a run may read.
struct Recording {
  Batch *batches;               // One for each phase.
  VkDescriptorPool descriptors; // Null in a second recording that equals the first.
  Submissions submissions;      // All batches that are not null.
};

/// Part of the engine that make_plan() creates and drop_plan() deletes.
struct Planned {
  Layout layout;
  Schedule schedule;
  DeviceBuffer storages;
  DeviceBuffer mirror; // CPU's copy of the storages that it accesses, if memory is not unified.
  DeviceBuffer weights;
  DeviceBuffer staging; // Transfer buffer of the state between two memories, if the mirror is too small.
  VkQueryPool queries;
  Recording recordings[2]; // One for each copy of the state. Both are equal if the GPU does not access two copies.
  uint64_t *ticks;         // Results of the queries; nullptr without profile.
  bool has_state;          // True after the first run copied the state to the engine.
  Memory memory;           // Storages as the CPU's parts access them.
};

struct Engine : Planned {
  MemoryPool pool;
  const Session *session;
  Device device;
  Wish *wishes;     // For each step of the entry; a wish includes the barred variants.
  uint64_t *barred; // For each kernel: the barred variants, one bit each.
  bool *decided;    // For each step: true if it depends on data of the run how often the step executes. The CPU
                    // computes such a step.
  Reason refused;   // Reason why code is barred.
  Share *shares;    // For each step: the result of its wish.
  bool unified;     // True if both engines use `storages`.
  Pipelines pipelines;
  uint64_t words;  // Number of words that the CPU signalled in earlier runs.
  bool sequential; // True if the CPU's part of each phase waits for the GPU's part.

  // State, if a run of the entry accesses it.
  uint32_t current;               // Current copy. The next run reads it and writes the other one.
  char *states[2];                // Addresses of the copies for the CPU. With two memories, only the parts that the CPU
                                  // accesses are valid.
  uint64_t state_writes;          // Value of the session state's `writes` when it was copied.
  uint64_t commits;               // Number of runs that have changed the state.
  uint64_t known_commits;         // Number of these runs whose changes the session's state contains.
  VkCommandBuffer state_commands; // Commands of transfers; null until the first one.
  char *arriving;                 // Buffer for a transfer to the session's state, which changes only after all data has
                                  // arrived.

  // Durations of the steps of create, in nanoseconds.
  uint64_t open_time;
  uint64_t pipelines_time;
  uint64_t weights_time;
  uint64_t recording_time;
  uint64_t measuring_time;

  Launch *launches; // For each step: the CPU's share.
};

/// Decides the shares from the wishes. If `tells`, logs which launches the CPU must compute instead of the GPU, and
/// why.
void choose_shares(Engine &engine, bool tells);

/// Compiles the code for the wishes, decides the shares, and bars code that does not compile.
bool make_code(Engine &engine, Reason &reason);

/// Prepares runs with the current shares, whose code must be compiled. drop_plan() undoes it.
bool make_plan(Engine &engine, uint64_t cpu_features, Reason &reason);
void drop_plan(Engine &engine);

/// Allocates the storages of the layout. The CPU accesses only the first `cpu_bytes` bytes.
bool make_storages(Engine &engine, uint64_t cpu_bytes, Reason &reason);

/// Runs the self-test and the tuning that the options request, or reads earlier results from the cache folder. Bars
/// code and changes wishes. Defined in measuring.cpp.
bool measure(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);

/// Returns the GPU code of a step in which the GPU has a share.
Code code_of(const Engine &engine, uint32_t step);

/// Copies the weights that the GPU reads into its memory. Defined in weights.cpp.
bool upload_weights(Engine &engine, Reason &reason);

/// Functions that only models with variables link. state_in_session.cpp refers to them.
struct StateParts {
  /// Allocates the memory of the state's copies. Defined in state_transfer.cpp.
  bool (*prepare)(Engine &engine, Reason &reason);
  /// Copies the session's state to the engine, unless the engine has the same or newer data. Defined in
  /// state_transfer.cpp.
  bool (*upload)(Engine &engine, Reason &reason);
  /// Records the run that reads the second copy. Defined in state_run.cpp.
  bool (*record_second)(Engine &engine, Reason &reason);
  /// Returns the distance from the place of a part's operand `i` in the layout to its place in the copy that the part
  /// uses. The operand must be in the state. Defined in state_run.cpp.
  uint64_t (*to_copy)(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
  /// Records the move `part`: the GPU copies data of the state from one copy to the other. Defined in state_run.cpp.
  void (*record_move)(Engine &engine, VkCommandBuffer commands, const Part &part);
  /// Computes a part on the CPU if there are two copies of the state. Defined in state_run.cpp.
  void (*run_part)(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
  /// Makes the copy that the run has written the current copy. Defined in state_run.cpp.
  bool (*commit)(Engine &engine, Reason &reason);
  /// Called before the session continues without its GPU. Adds to `message` how many changes of the state were lost.
  void (*give_up)(Session &session, Reason &message);
};

/// Returns the functions for the state that the session's model links; nullptr if the model has no variables.
inline const StateParts *state_parts(const Session &session) { return session.model->gpu_engine->states; }

/// Returns the offset of a part's operand `i` in the layout, or in the buffer of weights. For the state, it is the
/// offset in the copy that the part uses. Defined in recording.cpp.
uint64_t begin_of(const Engine &engine, const Part &part, uint32_t i);

bool prepare_state(Engine &engine, Reason &reason);
bool upload_state(Engine &engine, Reason &reason);
/// Copies the engine's copy `from` of the state to the session's state. On failure, the session's state is unchanged.
/// Defined in state_transfer.cpp.
bool download_state(Engine &engine, uint32_t from, Reason &reason);
bool record_second(Engine &engine, Reason &reason);
uint64_t to_copy(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
void record_move(Engine &engine, VkCommandBuffer commands, const Part &part);
void run_part_on_copies(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
bool commit(Engine &engine, Reason &reason);

/// Returns the number of runs whose changes of the state only this engine has.
inline uint64_t commits_ahead(const Engine &engine) { return engine.commits - engine.known_commits; }

/// Number of runs after which the state in a GPU's own memory is copied to the session's state. It limits how many
/// changes are lost with the GPU.
constexpr uint64_t kMostCommitsAhead = 64;

/// Records the batches of a run with the current layout and schedule. Defined in recording.cpp.
bool record(Engine &engine, Recording &recording, Reason &reason);

/// Creates the engine for a session that is otherwise complete. Returns nullptr and sets `reason` if no GPU is usable.
/// If it returns an engine and sets `reason`, the CPU computes a part of the GPU's work. It may run on another thread
/// than the session. The session computes runs on the CPU until that thread ends.
void *create(const Session &session, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);
/// Destroys the engine. If `inherited`, this process is a child of the process that owns the device, so it must not
/// access the device.
void destroy(void *engine, bool inherited);
void describe(const void *engine, nacre_session_info &info);

/// Computes one run. Returns NACRE_FAILED and sets `reason` if the engine is not usable any more. Returns
/// `limits.status` if the limits ended the run. Defined in engine_run.cpp.
nacre_status run(void *engine, RunLimits &limits, Reason &reason);

/// Adds the GPU's times of a run to the session's profile. `begun` is the time at which the run's first batch began.
/// Defined in times.cpp.
bool note_times(Engine &engine, uint64_t begun, Reason &reason);

/// Returns the recording that the next run submits.
inline Recording &recording(Engine &engine) { return engine.recordings[engine.current]; }

/// Returns the address at which the CPU accesses the storages.
inline char *seen_by_cpu(const Engine &engine) {
  return engine.unified ? engine.storages.mapped : engine.mirror.mapped;
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
