"""The progress of a computation of Dask on a terminal."""

import sys
import time

from dask.callbacks import Callback


class Progress(Callback):
    """Shows the progress and an estimate on a terminal, and notes the blocks that are written."""

    seconds = 0.2  # between two changes of the line

    def __init__(self, title, journal=None, name=None, done=None):
        super().__init__()
        self._title, self._journal, self._name, self._done = title, journal, name, done

    def _start_state(self, dsk, state):
        self._begin = self._shown = time.monotonic()
        self._tasks, self._finished = len(state["ready"]) + len(state["waiting"]), 0

    def _posttask(self, key, result, dsk, state, worker_id):
        self._finished += 1
        if self._journal is not None and isinstance(key, tuple) and key[0] == self._name:
            self._done[key[1:]] = True
            self._journal.save(at_once=False)
        now = time.monotonic()
        if sys.stderr.isatty() and now > self._shown + self.seconds:
            self._shown = now
            part, seconds = self._finished / self._tasks, now - self._begin
            left = _duration(seconds / part - seconds)
            print(
                f"\r{self._title}: {part:4.0%}, {_duration(seconds)}, about {left} left\033[K",
                end="",
                file=sys.stderr,
            )

    def _finish(self, dsk, state, errored):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _duration(seconds):
    """Return a duration as text."""
    seconds = round(seconds)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return (
        f"{hours} h {minutes:02} min"
        if hours
        else f"{minutes} min {seconds % 60:02} s"
        if minutes
        else f"{seconds} s"
    )
