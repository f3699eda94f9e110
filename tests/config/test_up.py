"""`up` refuses with a sentence and an exit code, and leaves nothing running however it ends."""

import fcntl
import json
import signal
import socket
import subprocess
import urllib.request

import pytest

from config.cli import resources, usage
from tests.config.shell import Product, lesart, line_with, script, wait_for
from tests.patience import PATIENCE


def test_a_taken_port_is_named_with_the_option_to_choose_another(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = lesart("up", "--port", str(port), LESART_DATA=str(tmp_path))
    assert answer.returncode == usage.PORT_TAKEN
    assert answer.stderr.startswith(f"Port {port} of 127.0.0.1 is taken by another program.")
    assert "--port" in answer.stderr


def test_an_address_of_another_machine_is_refused(tmp_path):
    answer = lesart("up", "--host", "192.0.2.1", LESART_DATA=str(tmp_path))
    assert answer.returncode == usage.PORT_TAKEN
    assert answer.stderr.startswith("Lesart cannot listen on 192.0.2.1 (")


def test_a_data_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    answer = lesart("up", LESART_DATA=str(tmp_path / "file" / "data"))
    assert answer.returncode == usage.NOT_WRITABLE
    assert answer.stderr.startswith(f"The data folder {tmp_path / 'file' / 'data'} cannot be written (")


def test_a_second_start_on_the_same_data_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LESART_DATA", str(tmp_path))
    with resources.hold_data_folder() as lock:
        resources.leave_note(lock, "http://127.0.0.1:8123/")
        answer = lesart("up", "--port", "0")
    assert answer.returncode == usage.ALREADY_RUNNING
    assert f"already runs on the data folder {tmp_path} at http://127.0.0.1:8123/." in answer.stderr


HOLD_THE_LOCK = """
import fcntl, sys, time
lock = open(sys.argv[1], "a+")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(1)
"""


@pytest.mark.slow
def test_a_start_waits_while_the_guard_of_a_killed_one_still_cleans_up(tmp_path, monkeypatch):
    monkeypatch.setenv("LESART_DATA", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / "lock").write_text(f"{gone.pid} http://127.0.0.1:8123/")
    with script(HOLD_THE_LOCK, str(tmp_path / "lock")) as guard:
        line_with(guard, "held")
        with resources.hold_data_folder(), open(tmp_path / "lock") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_address_printed_is_one_that_a_browser_can_open():
    assert resources.format_url(resources.get_local_host("0.0.0.0"), 8000) == "http://127.0.0.1:8000/"  # noqa: S104
    assert resources.format_url(resources.get_local_host("::1"), 8000) == "http://[::1]:8000/"


@pytest.mark.slow
def test_the_product_leaves_nothing_when_killed_starts_again_and_goes_when_asked(tmp_path):
    with Product(tmp_path) as killed:
        assert len(killed.family) >= 5  # guard, broker, web and its process, worker
        killed.process.kill()
        assert wait_for(killed.has_gone)
    with Product(tmp_path) as stopped:
        with urllib.request.urlopen(f"{stopped.url}health/") as health:
            assert set(json.load(health).values()) == {"ok"}
        with urllib.request.urlopen(stopped.link) as page:
            assert page.status == 200
        stopped.process.send_signal(signal.SIGINT)
        output, _ = stopped.process.communicate(timeout=PATIENCE)
        assert stopped.process.returncode == usage.STOPPED
        assert "Traceback" not in output
        assert stopped.has_gone()
