"""Zarr stores: what is read, and a result that is no array or group before it is complete."""

import json
import pathlib
import time
import uuid

import numpy as np
import zarr
from zarr.core.buffer import default_buffer_prototype
from zarr.core.sync import sync

_METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
JOURNAL = "unfinished.json"


def open_store(path, read_only):
    """Return the store of a folder or URL."""
    if "://" in path:
        return zarr.storage.FsspecStore.from_url(path, read_only=read_only)
    if pathlib.Path(path).is_file():
        raise ValueError(f"{path} is a file, and folders and URLs are supported: unpack it")
    return zarr.storage.LocalStore(path, read_only=read_only)


def open_node(path):
    """Return the array or group of a path for reading, or None if there is none."""
    store = open_store(path, read_only=True)
    try:
        return zarr.open(store=store, mode="r")
    except (FileNotFoundError, zarr.errors.GroupNotFoundError):
        return None
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"the metadata of {path} are not valid: {type(error).__name__}: {error}") from error


def open_group(store, path=""):
    """Return the group of a path in a store, as its own metadata describe it, or None if there is none."""
    try:
        return zarr.open_group(store, path=path, mode="r", use_consolidated=False)
    except (FileNotFoundError, zarr.errors.GroupNotFoundError):
        return None


class UnfinishedStore(zarr.storage.WrapperStore):
    """A store whose chunks are written at once, and whose metadata are held back until `finish`.

    Without metadata, chunks are no array. So nobody takes an unfinished result for a complete one.

    Parameters
    ----------
    store : zarr.abc.store.Store
        The store that gets the result.
    path : str
        The folder of the result. Metadata that an earlier run has written there are not seen.
    held : dict, optional
        The metadata that are held back.
    """

    def __init__(self, store, path, held=None):
        super().__init__(store)
        self._path = path
        self._held = {} if held is None else held

    def _with_store(self, store):
        return type(self)(store, self._path, self._held)

    def _hides(self, key):
        return _is_metadata(key) and key.startswith(f"{self._path}/" if self._path else "")

    async def get(self, key, prototype, byte_range=None):
        """Return a value: metadata that are held back come first."""
        if key in self._held and byte_range is None:
            return prototype.buffer.from_bytes(self._held[key])
        return None if self._hides(key) else await super().get(key, prototype, byte_range)

    async def exists(self, key):
        """Return whether there is a value, or metadata that are held back."""
        return key in self._held or not self._hides(key) and await super().exists(key)

    async def set(self, key, value):
        """Write a chunk, or hold back metadata."""
        if _is_metadata(key):
            self._held[key] = value.to_bytes()
        else:
            await super().set(key, value)

    async def set_if_not_exists(self, key, value):
        """Write a value if there is none."""
        if not await self.exists(key):
            await self.set(key, value)

    def finish(self):
        """Write the metadata: those of arrays, of their group, and of the groups around it."""
        # A group or array of Zarr 2 exists as soon as it has another file than that of its attributes.
        for key in sorted(self._held, key=lambda key: (-key.count("/"), not key.endswith(".zattrs"))):
            # The groups around the result may exist by now, with labels of others.
            if self._hides(key) or read(self._store, key) is None:
                write(self._store, key, self._held[key])


def is_taken(name):
    """Return whether Zarr has its own use for the name of a folder."""
    return name in _METADATA or name.startswith("__")


def _is_metadata(key):
    return key.rpartition("/")[2] in _METADATA


def write(store, key, value):
    """Write bytes to a store."""
    sync(store.set(key, default_buffer_prototype().buffer.from_bytes(value)))


def read(store, key):
    """Return the bytes of a key, or None."""
    value = sync(store.get(key, default_buffer_prototype()))
    return None if value is None else value.to_bytes()


def is_empty(store, path):
    """Return whether a store has nothing below a path."""
    return sync(store.is_empty(path))


def remove_metadata(store, path):
    """Remove the metadata of an array or group, so that the rest is none."""
    for name in _METADATA:
        sync(store.delete(f"{path}/{name}" if path else name))


def remove(store, path):
    """Remove all that is below a path."""
    sync(store.delete_dir(path))


def remove_partial_files(store, path):
    """Remove the files that a killed run was writing. Zarr gives a file its name when it is complete."""
    if isinstance(store, zarr.storage.LocalStore):
        for file in (store.root / path).rglob("*.partial"):
            file.unlink()


class Journal:
    """The file that makes a folder the unfinished result of a run, and says which blocks it has.

    Parameters
    ----------
    store : zarr.abc.store.Store
        The store of the result.
    path : str
        The folder of the result in the store.
    settings : dict
        What the result depends on.
    where : str
        The name of the folder for users.
    """

    seconds = 5  # between two writes

    def __init__(self, store, path, settings, where):
        self._store, self._where = store, where
        self._run = uuid.uuid4().hex  # nobody else writes the folder as long as the file has this
        self._key = f"{path}/{JOURNAL}" if path else JOURNAL
        self._settings = json.loads(json.dumps(settings))
        self._done = {}
        self.count = None  # the number of components, as soon as it is known and a table is written
        self._last = time.monotonic()

    def _read(self):
        """Return what the file has, or None if there is none."""
        text = read(self._store, self._key)
        if text is None:
            return None
        try:
            found = json.loads(text)
            if "note" in found and "run" not in found:
                raise ValueError(
                    f"{self._where} has the rest of labels that were being removed: remove it, or --overwrite"
                )
            return {name: found[name] for name in ("run", "settings", "count", "done")}
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"{self._where}/{JOURNAL} is damaged: remove {self._where}, or --overwrite") from error

    def resume(self):
        """Read the journal of an earlier run. Return whether there is one.

        Raises
        ------
        ValueError
            The earlier run had other settings.
        """
        found = self._read()
        if found is None:
            return False
        if found["settings"] != self._settings:
            old, new = found["settings"], self._settings
            names = [name for name in new if old.get(name) != new[name]]
            differences = ", ".join(f"{name}: {old.get(name)}, now {new[name]}" for name in names)
            raise ValueError(
                f"{self._where} is the unfinished result of a run with other settings ({differences}): use its settings to go "
                "on, or --overwrite to start again"
            )
        self.count = found["count"]
        for name, (shape, bits) in found["done"].items():
            packed = np.frombuffer(bytes.fromhex(bits), np.uint8)
            self._done[name] = np.unpackbits(packed, count=int(np.prod(shape))).astype(bool).reshape(shape)
        return True

    def done(self, name, shape):
        """Return which blocks of an array are written: an array of bool, to be changed."""
        return self._done.setdefault(name, np.zeros(shape, bool))

    def begin_removal(self):
        """Mark the folder as one whose old content is removed. The mark is removed, too."""
        write(self._store, self._key, json.dumps({"note": "Old labels are being removed."}).encode())

    def begin(self):
        """Write the journal. From now on, the folder belongs to this run."""
        self._write()

    def save(self, at_once=True):
        """Write the journal, at most once in `seconds` unless `at_once`.

        Raises
        ------
        RuntimeError
            Another run writes the folder.
        """
        if not at_once and time.monotonic() < self._last + self.seconds:
            return
        found = self._read()
        if found is None or found["run"] != self._run:
            raise RuntimeError(f"another run of the command writes {self._where}: this one stops")
        self._write()

    def _write(self):
        done = {
            name: (list(flags.shape), np.packbits(flags).tobytes().hex())
            for name, flags in self._done.items()
        }
        text = {
            "note": "This folder is the unfinished result of cuda_connected_components.zarr. Run the command again to go on.",
            "run": self._run,
            "settings": self._settings,
            "count": self.count,
            "done": done,
        }
        write(self._store, self._key, json.dumps(text).encode())
        self._last = time.monotonic()

    def remove(self):
        """Remove the journal of a result that is complete."""
        sync(self._store.delete(self._key))
