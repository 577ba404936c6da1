"""Files that are written whole: as `open` would, where they are no plain files."""

import os
from pathlib import Path

import pytest

from teenyir.files import put_whole


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    put_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"new"


def test_a_pipe_stays_and_is_written_to(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    put_whole(pipe, b"all")
    assert os.read(reader, 9) == b"all" and pipe.is_fifo()
    os.close(reader)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_is_an_error():
    with pytest.raises(OSError, match="space"):
        put_whole("/dev/full", b"all")
    assert not os.path.isfile("/dev/full")
