// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  threads of one work, one pinned to each core of a list.
// Why:   a phone's cores differ, and what they reach together is less than the sum.

#ifndef NACRE_TOOLS_MEASURE_TEAM_H
#define NACRE_TOOLS_MEASURE_TEAM_H

#include "tools/measure/Libc.h"
#include "tools/measure/Peak.h"

namespace nacre::measure {

/// Bits of cores, as the system calls them.
struct Mask {
  static constexpr unsigned kBits = 64;
  uint64_t words[CpuList::kMost / kBits] = {};
};

inline void pinTo(unsigned cpu) {
  Mask mask;
  mask.words[cpu / Mask::kBits] = uint64_t(1) << cpu % Mask::kBits;
  // A core that went offline in between is measured wherever the thread runs.
  (void)sched_setaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t *>(&mask));
}

/// Threads of one work, one pinned to each core of a list.
template <typename Work> class Team {
public:
  Team(const CpuList &cpus, Work &work) : cpus(cpus), work(work), size(cpus.count) {}

  /// Returns when all are done. A core for which there is no thread is left out.
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

  /// Waits until each has come as often as this one.
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

/// Calls work(team, index) on each core at the same time.
template <typename Work> void onEach(const CpuList &cpus, Work work) { Team<Work>(cpus, work).run(); }

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_TEAM_H
