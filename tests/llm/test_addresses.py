"""Which addresses may be called: checked when saved and when called, and the connection goes to what was checked."""

import asyncio
import socket

import pytest

from llm import addresses, transport
from llm.addresses import BadAddress, check_base_url, check_resolved
from llm.failures import Failure
from llm.wire import send_request
from tests.mock_server import Planned, mock_server


@pytest.mark.parametrize(
    "base_url",
    [
        "https://api.example.org/v1",
        "https://api.example.org:8443/openai/v1/",
        "http://203.0.114.5:8000/v1",
        "https://[2606:4700:4700::1111]/v1",
    ],
)
def test_public_addresses_may_be_saved(base_url):
    assert check_base_url(base_url) == base_url.rstrip("/")


@pytest.mark.parametrize(
    "base_url",
    [
        "http://127.0.0.1:11434/v1", "http://localhost:11434/v1", "http://LOCALHOST/v1", "http://localhost./v1",
        "http://[::1]:8000/v1", "http://0.0.0.0/v1", "http://10.0.0.5/v1", "http://192.168.1.2/v1", "http://172.16.9.9/v1",
        "http://169.254.169.254/latest", "http://100.64.0.1/v1", "http://[fe80::1]/v1", "http://[fd00::1]/v1",
        "http://[::ffff:127.0.0.1]/v1", "http://[2002:7f00:1::]/v1", "http://[64:ff9b::7f00:1]/v1", "http://2130706433/v1",
        "http://0x7f.1/v1", "http://0177.0.0.1/v1", "http://127.1/v1", "http://224.0.0.1/v1", "http://255.255.255.255/v1",
        "http://model.internal/v1", "http://printer.local/v1", "http://ollama:11434/v1",
        "ftp://api.example.org/v1", "file:///etc/passwd", "//api.example.org", "api.example.org", "", "http://", "https:///v1",
        "https://user:secret@api.example.org/v1", "https://api.example.org/v1?key=1", "https://api.example.org/v1#x",
        "http://127。0。0。1/v1", "http://127．0．0．1/v1", "http://①②⑦.⓪.⓪.①/v1", "http://１２７.0.0.1/v1", "http://ⓛocalhost/v1",
        "http://ｌｏｃａｌｈｏｓｔ/v1", "http://localhost。/v1", "http://api。example。org/v1", "http://١٢٧.0.0.1/v1", "http://127.0.0.1./v1",
        "http://127.0.0.1../v1", "http://0x7f000001/v1", "http://0x7f.0.0.0x1/v1", "http://017700000001/v1", "http://127.0.1/v1",
        "http://0127.0.0.1/v1", "http://127.0.0.08/v1", "http://1.2.3.4.5/v1", "http://3232235777/v1", "http://0xcb007205/v1",
        "http://[::ffff:7f00:1]/v1", "http://[::127.0.0.1]/v1", "http://[0:0:0:0:0:ffff:a9fe:a9fe]/v1", "http://[fe80::1%25eth0]/v1",
        "http://[2606:4700:4700::1111%25eth0]/v1", "http://[::1%1]/v1", "http://[64:ff9b:1::7f00:1]/v1", "http://[::]/v1",
        "http://127%2e0%2e0%2e1/v1", "http://api%00.example.org/v1", "http://a@127.0.0.1/v1", "http://api.example.org@127.0.0.1/v1",
        "http://api.example.org:80@127.0.0.1/v1", "http://@127.0.0.1/v1", "http://localhos\u00adt/v1", "http://local\u200dhost/v1",
        "http://api..example.org/v1", "http://-api.example.org/v1", "http://api.example.org,127.0.0.1/v1", "http://ſocalhost/v1",
        "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/v1", "http://api.example.org\t/v1", "http://api.example.org\n/v1", "http://foo.localhost/v1",
        "https://api.example.org:0/v1", "https://api.example.org:99999/v1", "https://api.example.org\\@127.0.0.1/",
        "https://api.example.org/v1 x", "http://[::1/v1",
    ],
)  # fmt: skip
def test_other_addresses_are_refused_with_a_sentence(base_url, settings):
    settings.LESART_INSIDE_HOSTS = []
    with pytest.raises(BadAddress, match=r"\.$"):
        check_base_url(base_url)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("https://API.Example.org/V1", "https://api.example.org/V1"),
        ("https://api.example.org./v1", "https://api.example.org/v1"),
        ("https://b\u00fccher.example.org:8443/v1", "https://xn--bcher-kva.example.org:8443/v1"),
        ("https://[2606:4700:4700:0:0:0:0:1111]/v1", "https://[2606:4700:4700::1111]/v1"),
    ],
)
def test_a_host_is_stored_in_its_one_spelling(written, stored):
    assert check_base_url(written) == stored


@pytest.mark.parametrize(
    ("allowed", "base_url"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1", "http://127.0.0.1:5/v1"),
        ("ollama:11434", "http://Ollama:11434/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
    ],
)
def test_the_operator_can_allow_an_inside_address(settings, allowed, base_url):
    settings.LESART_INSIDE_HOSTS = [allowed]
    check_base_url(base_url)


@pytest.mark.parametrize("allowed", ["127.0.0.1:11435", "127.0.0.2", "localhost:11434"])
def test_another_port_or_name_is_not_allowed_with_it(settings, allowed):
    settings.LESART_INSIDE_HOSTS = [allowed]
    with pytest.raises(BadAddress):
        check_base_url("http://127.0.0.1:11434/v1")


@pytest.mark.parametrize("found", [["127.0.0.1"], ["203.0.114.5", "10.0.0.1"], ["::1"], ["fe80::1%eth0"]])
def test_a_name_that_leads_inside_is_refused_when_it_is_called(settings, found):
    settings.LESART_INSIDE_HOSTS = []
    with pytest.raises(BadAddress):
        check_resolved("api.example.org", 443, found)


def call(base_url):
    async def go():
        client = transport.Client(base_url, "sk-0123456789abcdefghij", 2, 1)
        try:
            return await send_request(client, 1, b'{"model": "m", "messages": [{"role": "user", "content": "x"}]}', 2)
        finally:
            await client.close()

    return asyncio.run(go())


def resolving_to(*answers):
    """A name server whose answers change from question to question."""
    answers = list(answers)

    async def resolve(host, port):
        return [answers.pop(0) if len(answers) > 1 else answers[0]]

    return resolve


def test_a_name_behind_which_the_address_changes_is_called_nowhere_else(monkeypatch, settings):
    settings.LESART_INSIDE_HOSTS = []
    with mock_server("R") as server:
        monkeypatch.setattr(transport, "_resolve", resolving_to("127.0.0.1", "203.0.114.5"))
        outcome = call(f"http://api.example.org:{server.port}/v1")
    assert outcome.problem.failure == Failure.ADDRESS
    assert server.requests == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "127。0。0。1", "①②⑦.⓪.⓪.①", "１２７.0.0.1",
        "0x7f.1", "0177.0.0.1",
        "127.0.0.1.", "ⓛocalhost", "localhost", "127%2e0%2e0%2e1", "api.example.org@127.0.0.1", "[::1%25lo]",
    ],
)  # fmt: skip
def test_an_address_inside_that_was_stored_in_spite_of_all_is_not_called(settings, host):
    settings.LESART_INSIDE_HOSTS = []
    with mock_server("R") as server:
        assert call(f"http://{host}:{server.port}/v1").problem.failure == Failure.ADDRESS
    assert server.requests == []


@pytest.mark.parametrize("base_url", ["nowhere", "ftp://api.example.org/v1", "http://api.example.org:99999/v1"])
def test_a_base_url_that_is_none_is_a_failed_address(base_url):
    assert call(base_url).problem.failure == Failure.ADDRESS


def test_a_resolver_that_lets_an_inside_address_pass_is_not_enough(monkeypatch, settings):
    settings.LESART_INSIDE_HOSTS = []
    monkeypatch.setattr(transport, "_resolve", resolving_to("127.0.0.1"))

    async def skip_check(self, host, port=0, family=socket.AF_UNSPEC):
        return [transport._make_result(host, "127.0.0.1", port)]

    monkeypatch.setattr(transport.CheckedResolver, "resolve", skip_check)
    with mock_server("R") as server:
        assert call(f"http://api.example.org:{server.port}/v1").problem.failure == Failure.ADDRESS
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch, settings):
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1"]
    with mock_server("R") as server:
        monkeypatch.setattr(transport, "_resolve", resolving_to("127.0.0.1"))
        outcome = call(f"http://api.example.org:{server.port}/v1")
    assert outcome.reply.text == "R"
    assert server.requests[0].headers["host"] == f"api.example.org:{server.port}"


def test_the_next_address_is_tried_where_has_no_worker_at_the_first(monkeypatch, settings):
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1", "127.0.0.2"]

    async def both(host, port):
        return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr(transport, "_resolve", both)
    with mock_server("R") as server:
        assert call(f"http://model.example.org:{server.port}/v1").reply.text == "R"


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(allow_loopback):
    with mock_server("R") as other:
        away = Planned(status=302, raw=b"", headers={"Location": other.base_url + "/chat/completions"})
        with mock_server(away) as server:
            outcome = call(server.base_url)
    assert outcome.problem.failure == Failure.REDIRECT
    assert other.requests == []


def test_a_proxy_of_the_environment_is_not_used(allow_loopback, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with mock_server("R") as server:
        assert call(server.base_url).reply.text == "R"


def test_a_reply_without_end_is_not_read_to_its_end(allow_loopback, monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", 1000)
    with mock_server("R" * 5000) as server:
        assert call(server.base_url).problem.failure == Failure.UNKNOWN


def test_a_name_that_is_unknown_is_a_failed_connection(monkeypatch):
    async def nobody(*arguments, **named):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", nobody)
    assert call("https://nowhere.example.org/v1").problem.failure == Failure.CONNECTION


def test_no_name_server_is_asked_when_an_address_is_saved(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: pytest.fail("a page asked the network"))
    addresses.check_base_url("https://api.example.org/v1")
