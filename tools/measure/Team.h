// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the same function on several threads, one pinned to each core of a list. The total rate must be measured in this
// way, because cores together reach less than the sum of their rates.

#ifndef NACRE_TOOLS_MEASURE_TEAM_H
#define NACRE_TOOLS_MEASURE_TEAM_H

#include "tools/measure/Libc.h"
#include "tools/measure/Peak.h"

namespace nacre::measure {

/// Set of cores as a bit mask, as the system uses it.
struct Mask {
  static constexpr unsigned kBits = 64;
  uint64_t words[CpuList::kMost / kBits] = {};
};

inline void pinTo(unsigned cpu) {
  Mask mask;
  mask.words[cpu / Mask::kBits] = uint64_t(1) << cpu % Mask::kBits;
  // If the core went offline since it was listed, the thread runs on any core.
  (void)sched_setaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t *>(&mask));
}

/// Threads that run the same function, one pinned to each core of a list.
template <typename Work> class Team {
public:
  Team(const CpuList &cpus, Work &work) : cpus(cpus), work(work), size(cpus.count) {}

  /// Runs the function on all threads and waits for them. If a thread cannot be created, its core is left out.
  void run() {
    auto *members = static_cast<Member *>(malloc((cpus.count + 1) * sizeof(Member)));
    unsigned started = 0;
    for (unsigned index = 0; members && index < cpus.count; ++index) {
      members[started] = {this, index, {}};
      const bool isStarted = pthread_create(&members[started].thread, nullptr, begin, &members[started]) == 0;
      started += isStarted;
      if (!isStarted)
        __atomic_sub_fetch(&size, 1, __ATOMIC_RELAXED);
    }
    for (unsigned index = 0; index < started; ++index)
      pthread_join(members[index].thread, nullptr);
    free(members);
  }

  /// Waits until each thread has called this function `times` times.
  void meet(unsigned times) {
    __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < times * __atomic_load_n(&size, __ATOMIC_RELAXED))
      sched_yield();
  }

private:
  struct Member {
    Team *team;
    unsigned index;
    pthread_t thread;
  };

  static void *begin(void *argument) {
    const Member &member = *static_cast<Member *>(argument);
    pinTo(member.team->cpus.cpus[member.index]);
    member.team->work(*member.team, member.index);
    return nullptr;
  }

  const CpuList &cpus;
  Work &work;
  unsigned size, arrived = 0;
};

/// Calls work(team, index) on all cores simultaneously.
template <typename Work> void onEach(const CpuList &cpus, Work work) { Team<Work>(cpus, work).run(); }

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_TEAM_H
