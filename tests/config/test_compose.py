"""docker-compose.yml and the Dockerfile say nothing that is not so. No container runs here."""

import re
from importlib.metadata import requires
from pathlib import Path, PurePosixPath

import pytest
import redis
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from config.cli import valkey
from config.cli.processes import Guard, wait_until
from config.cli.resources import find_free_port
from tests.config.compose import (
    ROOT,
    Missing,
    compose,
    fill_in,
    image_environment,
    image_files,
    instructions,
    is_in_image,
    packages_of_tests,
    stages,
    variables,
)

LASTING = {"web", "worker", "postgres", "redis"}
OURS = {"web", "worker", "migrate"}
NEEDED = {"POSTGRES_PASSWORD": "abc", "SECRET_KEY": "def", "ALLOWED_HOSTS": "lesart.example.org"}
OF_POSTGRES = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
OF_PYTHON = {"PATH", "PYTHONUNBUFFERED"}
OF_COMPOSE = {"LESART_LISTEN"}


@pytest.fixture
def services():
    return fill_in(compose()["services"], NEEDED)


def settings_read() -> set[str]:
    """The variables that the settings take from the environment."""
    source = (ROOT / "config" / "settings.py").read_text()
    return set(re.findall(r'env\.\w+\(\s*"(\w+)"', source))


# The services -------------------------------------------------------------------------------------------------------


def test_there_are_web_worker_database_broker_and_a_step_that_migrates(services):
    assert set(services) == LASTING | {"migrate"}


@pytest.mark.parametrize("name", sorted(LASTING))
def test_what_lasts_is_asked_for_its_health_and_starts_again(services, name):
    service = services[name]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout", "retries"} <= set(service["healthcheck"])


def test_the_database_is_migrated_once_and_before_anything_uses_it(services):
    assert services["migrate"]["restart"] == "no"
    assert services["migrate"]["command"] == ["python", "manage.py", "migrate", "--no-input"]
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("web", "worker"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "postgres": {"condition": "service_healthy"},
            "redis": {"condition": "service_healthy"},
        }


def test_what_must_be_kept_is_in_named_volumes_and_each_is_used(services):
    mounted = {name: [mount.split(":") for mount in service["volumes"]] for name, service in services.items()}
    assert mounted["postgres"] == [["database", "/var/lib/postgresql"]]
    assert mounted["redis"] == [["broker", "/data"]]
    assert all(mounted[name] == [["files", image_environment()["LESART_DATA"]]] for name in OURS)
    assert {volume for mounts in mounted.values() for volume, _ in mounts} == set(compose()["volumes"])


def test_only_the_web_is_reached_from_outside_and_by_default_from_this_machine_alone(services):
    assert {name for name, service in services.items() if "ports" in service} == {"web"}
    assert services["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert compose()["networks"]["inside"] == {"internal": True}
    assert all(services[name]["networks"] == ["inside"] for name in ("postgres", "redis"))


def test_web_worker_and_migration_are_one_image_with_one_environment(services):
    for key in ("image", "build", "environment", "volumes"):
        assert services["web"][key] == services["worker"][key] == services["migrate"][key]


# The variables ------------------------------------------------------------------------------------------------------


def test_every_variable_of_ours_is_a_setting_and_the_databases_are_its_own(services):
    assert all(set(services[name]["environment"]) <= settings_read() for name in OURS)
    assert set(services["postgres"]["environment"]) == OF_POSTGRES
    assert set(image_environment()) <= settings_read() | OF_PYTHON


def test_every_variable_the_file_asks_for_is_explained():
    explained = (ROOT / "docs" / "deploy.md").read_text() + (ROOT / "docs" / "settings.md").read_text()
    assert variables() <= settings_read() | OF_COMPOSE | {"POSTGRES_PASSWORD"}
    assert [name for name in sorted(variables()) if f"`{name}`" not in explained] == []


def test_every_setting_stands_in_its_page():
    page = (ROOT / "docs" / "settings.md").read_text()
    assert [name for name in sorted(settings_read()) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", NEEDED)
def test_without_a_secret_or_host_name_nothing_starts_and_a_sentence_says_what_to_write(name):
    without = {key: value for key, value in NEEDED.items() if key != name}
    with pytest.raises(Missing, match=rf"^Write {name}=\.\.\. into \.env, "):
        fill_in(compose()["services"], without)


def test_no_secret_stands_in_the_file(services):
    values = [pair for service in compose()["services"].values() for pair in service.get("environment", {}).items()]
    secret = [value for name, value in values if re.search("PASSWORD|SECRET|KEY|TOKEN", name)]
    assert len(secret) == 3 * 2 + 1
    assert all(re.fullmatch(r"\$\{\w+:(\?[^}]+|-)\}", value) for value in secret)
    addresses = {value for name, value in values if name.endswith("_URL")}
    assert {re.sub(r"\$\{POSTGRES_PASSWORD:\?[^}]+\}", "…", address) for address in addresses} == {
        "postgres://lesart:…@postgres:5432/lesart",
        "redis://redis:6379/0",
        "${LESART_SMTP_URL:-}",
    }


def test_the_file_with_the_secrets_goes_neither_into_the_repository_nor_into_the_image():
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()
    assert not is_in_image(PurePosixPath(".env"))


@pytest.mark.slow
def test_the_broker_takes_its_command(services, tmp_path):
    program, *words = services["redis"]["command"]
    assert program == "valkey-server"
    port, log = find_free_port(), tmp_path / "log"
    here = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(tmp_path)]
    with Guard() as guard, log.open("wb") as output:
        process = guard.spawn([str(valkey.find_binary()), *words, *here], stdout=output, stderr=output)
        wait_until(lambda: valkey.is_answering(port, ""), process, "Valkey", log)
        with redis.Redis(port=port) as broker:
            assert broker.config_get("appendonly") == {"appendonly": "yes"}
            assert broker.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            assert broker.config_get("save") == {"save": ""}


# The image ----------------------------------------------------------------------------------------------------------


def test_the_dockerfile_has_only_what_we_know():
    known = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "CMD"}
    assert {word for word, _ in instructions()} <= known


def test_the_image_is_a_slim_python_that_the_launcher_takes_too():
    bases = {rest.split(" ")[0] for word, rest in instructions() if word == "FROM"}
    [version] = [re.fullmatch(r"python:(3\.\d+)-slim", base)[1] for base in bases]
    assert f"python{version}" in re.findall(r"python3\.\d+", (ROOT / "lesart").read_text())


def test_packages_are_the_locked_ones():
    runs = [rest for word, rest in stages()[0] if word == "RUN"]
    assert [run for run in runs if run.startswith("pip install")] == [
        "pip install --no-cache-dir --only-binary :all: --require-hashes --no-deps -r requirements.txt"
    ]


def test_nobody_runs_as_root():
    words = [word for word, _ in stages()[-1]]
    assert dict(stages()[-1])["USER"] == "lesart"
    assert "RUN" not in words[words.index("USER") :]


def test_what_is_copied_is_there():
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from"):
            *sources, _target = rest.split()
            assert all((ROOT / source).exists() for source in sources)
            assert all(source == "." or is_in_image(PurePosixPath(source)) for source in sources)


def test_the_image_holds_the_product_and_nothing_else():
    files = {str(file) for file in image_files()}
    assert {
        "manage.py",
        "pyproject.toml",
        "config/wsgi.py",
        "studies/locale/de/LC_MESSAGES/django.po",
        "static/icon.svg",
        "docs/glossary.md",
    } <= files
    assert all(Path(file).stem.startswith(("glossary", "choosing")) for file in files if file.startswith("docs/"))
    tops = {Path(file).parts[0] for file in files}
    assert not tops & {"tests", "bench", "data", ".git", ".ci", ".venv", ".env"}
    assert not [file for file in files if file.endswith((".mo", ".pyc"))]


def test_the_image_compiles_its_translations():
    runs = [rest for word, rest in stages()[-1] if word == "RUN"]
    assert any(run.startswith("python -m config.translations") for run in runs)


def test_no_package_of_the_product_needs_one_of_the_tests():
    out = {canonicalize_name(name) for name in packages_of_tests()}
    assert all(re.fullmatch(r"[A-Za-z0-9.-]+", name) for name in packages_of_tests())
    assert not out & list_needed_packages()


def list_needed_packages() -> set[str]:
    """What the lines of requirements.in lead to, with their extras."""
    lines = (ROOT / "requirements.in").read_text().splitlines()
    ours = [line for line in lines if line and not line.startswith("#")]
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(line) for line in ours]
    while waiting:
        one = waiting.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) not in found:
            found.add((name, extras))
            further = map(Requirement, requires(name) or [])
            waiting += [other for other in further if is_wanted(other, extras)]
    return {name for name, _ in found}


def is_wanted(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})
