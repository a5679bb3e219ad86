# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks in a child process, by os.fork().

Why:  a thread of the parent may have held a lock at the fork. The child has no such thread, so nobody would release it.
"""
from __future__ import annotations

import os
import weakref
from typing import Protocol


class _Locked(Protocol):  # pylint: disable=too-few-public-methods
    def renew_lock(self) -> None: ...


_locked: "weakref.WeakSet[_Locked]" = weakref.WeakSet()


def renew_lock_in_children(owner: _Locked) -> None:
    """Calls owner.renew_lock() in each child process, as long as the owner lives."""
    _locked.add(owner)


def _renew_locks() -> None:
    for owner in list(_locked):
        owner.renew_lock()


os.register_at_fork(after_in_child=_renew_locks)
