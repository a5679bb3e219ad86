// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the Vulkan engine: all that a session keeps for its GPU.
// Why:   runs read it, create fills it piece by piece, destroy undoes what is there.
// How:   plain data in its own pool.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H

#include "runtime/src/gpu_vulkan/pipelines.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/gpu_vulkan/submission.h"
#include "runtime/src/session.h"

namespace nacre::runtime::gpu {

/// What a phase gives the GPU, recorded once.
struct Batch {
  VkCommandBuffer commands; // null where the phase has nothing for the GPU
  uint32_t first_query;     // the batch's begin; each of its parts has the next one
  bool waits;               // for the CPU's parts of the phases before it
};

/// A run, recorded once for each copy of the state that it may read.
struct Recording {
  Batch *batches;               // of the phases
  VkDescriptorPool descriptors; // not of a second recording that is the first
  Submissions submissions;      // of those batches that are not null
};

/// The part of the engine that make_plan creates and drop_plan deletes.
struct Planned {
  Layout layout;
  Schedule schedule;
  DeviceBuffer storages;
  DeviceBuffer mirror; // the CPU's, where memory is not unified: as far as it touches the storages
  DeviceBuffer weights;
  DeviceBuffer staging; // for the state's way between two memories, if the mirror is small
  VkQueryPool queries;
  Recording recordings[2]; // the second is the first where the GPU does not touch two copies of the state
  uint64_t *ticks;         // of the queries; nullptr without profile
  bool has_state;          // from the first run on
  Memory memory;           // where the CPU's parts find the storages
};

struct Engine : Planned {
  MemoryPool pool;
  const Session *session;
  Device device;
  Wish *wishes;     // of the entry's steps; what is barred stands in
  uint64_t *barred; // of the kernels
  bool *decided;    // of the steps: a run decides how often they are executed, and the CPU has all of them
  Reason refused;   // why something is barred, if anything is
  Share *shares;    // of the steps: what came of the wishes
  bool unified;     // both engines use `storages`
  Pipelines pipelines;
  uint64_t words;  // the CPU's, given in all runs before this one
  bool sequential; // the GPU's part of a phase first, then the CPU's

  // The state, if a run of the entry touches it.
  uint32_t current;               // the copy that counts: it is read by the next run, which writes the other one
  char *states[2];                // the copies, where the CPU sees them: with two memories only what it touches
  uint64_t state_writes;          // of the session's when it was taken
  uint64_t commits;               // runs that have changed it
  uint64_t known_commits;         // of these, those that the session's state knows
  VkCommandBuffer state_commands; // for the same; null until they are needed
  char *arriving;                 // bytes that the session's state gets when all are there

  // What create took.
  uint64_t open_time;
  uint64_t pipelines_time;
  uint64_t weights_time;
  uint64_t recording_time;
  uint64_t measuring_time;

  Launch *launches; // the CPU's shares of the steps
};

/// Makes shares of the wishes; the log is told what the CPU must keep, and why, if `tells`.
void choose_shares(Engine &engine, bool tells);

/// Compiles what the wishes need, makes shares of them, and bars what does not compile.
bool make_code(Engine &engine, Reason &reason);

/// Makes ready a run by the shares, whose code is there; and undoes that.
bool make_plan(Engine &engine, uint64_t cpu_features, Reason &reason);
void drop_plan(Engine &engine);

/// Memory for the layout, of which the CPU touches so many bytes.
bool make_storages(Engine &engine, uint64_t cpu_bytes, Reason &reason);

/// Tests and tunes as the options ask, or as the cache folder knows: bars code, and changes wishes. measuring.cpp
bool measure(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);

/// The GPU code of a step that the GPU has a share of.
Code code_of(const Engine &engine, uint32_t step);

/// Copies the weights that the GPU reads to where it reads them. weights.cpp
bool upload_weights(Engine &engine, Reason &reason);

/// What only models with variables link: state_in_session.cpp, and what that needs.
struct StateParts {
  /// Room for the state beside the storages. state_transfer.cpp
  bool (*prepare)(Engine &engine, Reason &reason);
  /// Takes the session's state, unless the engine has it, or is ahead of it. state_transfer.cpp
  bool (*upload)(Engine &engine, Reason &reason);
  /// Records the run that reads the second copy. state_run.cpp
  bool (*record_second)(Engine &engine, Reason &reason);
  /// How far behind its place in the layout operand number `i` of a part is, which is of the state. state_run.cpp
  uint64_t (*to_copy)(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
  /// Records a move. state_run.cpp
  void (*record_move)(Engine &engine, VkCommandBuffer commands, const Part &part);
  /// A part of the CPU where there are two copies. state_run.cpp
  void (*run_part)(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
  /// The copy that a run has written is the one that counts. state_run.cpp
  bool (*commit)(Engine &engine, Reason &reason);
  /// Before the session does without its GPU. Adds to the message what was lost.
  void (*give_up)(Session &session, Reason &message);
};

/// Returns what the session's model links for its state, or nullptr if it has no variables.
inline const StateParts *state_parts(const Session &session) { return session.model->gpu_engine->states; }

/// Where operand number `i` of a part begins: in the layout, of the state in the copy that it is bound to; or in the buffer of weights.
/// recording.cpp
uint64_t begin_of(const Engine &engine, const Part &part, uint32_t i);

bool prepare_state(Engine &engine, Reason &reason);
bool upload_state(Engine &engine, Reason &reason);
/// Copies copy `from` of the state to the session's: all of it, or nothing where that fails. state_transfer.cpp
bool download_state(Engine &engine, uint32_t from, Reason &reason);
bool record_second(Engine &engine, Reason &reason);
uint64_t to_copy(const Layout &layout, const Part &part, uint32_t i, const nacre_operand &operand);
void record_move(Engine &engine, VkCommandBuffer commands, const Part &part);
void run_part_on_copies(Engine &engine, const Part &part, RunLimits &limits, uint64_t start);
bool commit(Engine &engine, Reason &reason);

/// Runs whose changes of the state only this engine has.
inline uint64_t commits_ahead(const Engine &engine) { return engine.commits - engine.known_commits; }

/// Runs after which the state in a GPU's own memory is copied to the session's, so that no more are lost with the GPU.
constexpr uint64_t kMostCommitsAhead = 64;

/// Records the batches of the run of the layout and the schedule as they are. recording.cpp
bool record(Engine &engine, Recording &recording, Reason &reason);

/// Makes ready what a run needs, for a session that is complete but for this. nullptr, with the reason: there is no GPU,
/// or it cannot be used. An engine with a reason: the CPU has to compute a part of what the GPU should. It may be called by
/// a thread beside the session's own, until whose end the session runs on the CPU.
void *create(const Session &session, const nacre_session_options &options, uint64_t cpu_features, Reason &reason);
/// `inherited`: in a child of the process that has the device, which must not touch it.
void destroy(void *engine, bool inherited);
void describe(const void *engine, nacre_session_info &info);

/// One run. NACRE_FAILED, with the reason: the engine is done for. The limits' status: they have ended the run.
/// engine_run.cpp
nacre_status run(void *engine, RunLimits &limits, Reason &reason);

/// Notes what the GPU's clock says of a run, whose first batch was begun at that time. times.cpp
bool note_times(Engine &engine, uint64_t begun, Reason &reason);

/// The recording that the next run submits.
inline Recording &recording(Engine &engine) { return engine.recordings[engine.current]; }

/// Bytes of the storages as the CPU sees them.
inline char *seen_by_cpu(const Engine &engine) {
  return engine.unified ? engine.storages.mapped : engine.mirror.mapped;
}

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_ENGINE_H
