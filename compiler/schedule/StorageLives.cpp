// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. storages that an iteration reads before it writes them; 2. positions of steps.

#include "compiler/schedule/StorageLives.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

//===----------------------------------------------------------------------===//
// 1. Storages that an iteration reads before it writes them
//===----------------------------------------------------------------------===//

struct Range {
  int64_t begin, end;
  bool contains(Range other) const { return begin <= other.begin && other.end <= end; }
};

/// Ranges of each storage that have certainly been written since the iteration began.
using Written = llvm::DenseMap<unsigned, SmallVector<Range, 2>>;

bool isWritten(const Written &written, unsigned storage, Range range) {
  auto found = written.find(storage);
  return found != written.end() && llvm::any_of(found->second, [&](Range other) { return other.contains(range); });
}

/// Returns the ranges that both branches have written.
Written intersect(const Written &one, const Written &other) {
  Written both;
  for (const auto &[storage, ranges] : one)
    for (Range range : ranges)
      if (isWritten(other, storage, range))
        both[storage].push_back(range);
  return both;
}

/// Walks through one iteration. Collects the storages whose values from before the iteration may be read.
class IterationReader {
public:
  explicit IterationReader(unsigned storages) : inherited(storages) {}

  void walk(ArrayRef<Step> steps, Written &written) {
    for (const Step &step : steps)
      walk(step, written);
  }

  llvm::BitVector inherited;

private:
  void walk(const Step &step, Written &written) {
    // A launch reads before it writes.
    for (const Touch &touch : step.touches)
      if (!touch.writes && !isWritten(written, touch.storage, {touch.begin, touch.end}))
        inherited.set(touch.storage);
    for (const Touch &touch : step.touches)
      if (touch.writes && !touch.moves)
        written[touch.storage].push_back({touch.begin, touch.end});
    if (step.kind == StepKind::Loop) {
      Written inside = written;
      walk(step.first, inside);
      Written after = step.mayHaveNoIteration ? written : inside;
      walk(step.second, inside);
      written = std::move(after);
    } else if (step.kind == StepKind::If) {
      Written other = written;
      walk(step.first, written);
      walk(step.second, other);
      written = intersect(written, other);
    }
  }
};

//===----------------------------------------------------------------------===//
// 2. Numbers
//===----------------------------------------------------------------------===//

/// Loop around the current step.
struct Loop {
  unsigned first = 0;
  llvm::BitVector inherited;
  std::vector<unsigned> touched; ///< Touched storages, with duplicates.
};

class LifeReader {
public:
  explicit LifeReader(unsigned storages) : lives(storages), touches(storages, 0) {}

  std::vector<Life> run(ArrayRef<Step> program) {
    count(program);
    walk(program, nullptr);
    return std::move(lives);
  }

private:
  void count(ArrayRef<Step> steps) {
    for (const Step &step : steps) {
      for (const Touch &touch : step.touches)
        ++touches[touch.storage];
      count(step.first);
      count(step.second);
    }
  }

  void walk(ArrayRef<Step> steps, Loop *loop) {
    for (const Step &step : steps) {
      const unsigned number = next++;
      for (const Touch &touch : step.touches) {
        extend(touch.storage, number, number);
        if (loop)
          loop->touched.push_back(touch.storage);
      }
      if (step.kind == StepKind::Loop) {
        walkLoop(step, number, loop);
      } else {
        walk(step.first, loop);
        walk(step.second, loop);
      }
    }
  }

  void walkLoop(const Step &step, unsigned number, Loop *around) {
    IterationReader iteration(lives.size());
    Written written;
    iteration.walk(step.first, written);
    iteration.walk(step.second, written);
    Loop loop{number, std::move(iteration.inherited), {}};
    walk(step.first, &loop);
    walk(step.second, &loop);
    const unsigned last = next++; // The jump back has its own position.
    llvm::sort(loop.touched);
    for (auto at = loop.touched.begin(); at != loop.touched.end();) {
      auto end = std::upper_bound(at, loop.touched.end(), *at);
      if (loop.inherited.test(*at) || unsigned(end - at) < touches[*at])
        extend(*at, number, last);
      at = end;
    }
    if (around)
      llvm::append_range(around->touched, loop.touched);
  }

  void extend(unsigned storage, unsigned first, unsigned last) {
    Life &life = lives[storage];
    life = life.first > life.last ? Life{first, last} : Life{std::min(life.first, first), std::max(life.last, last)};
  }

  std::vector<Life> lives;
  std::vector<unsigned> touches; ///< Number of touches of each storage in the whole program.
  unsigned next = 0;
};

} // namespace

std::vector<Life> readLives(ArrayRef<Step> program, unsigned storages) { return LifeReader(storages).run(program); }

} // namespace nacre::schedule
