"""The pages in docs/ and the README: links lead somewhere, lists are complete, the site is built without a network."""

import csv
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app import errors
from app.api.error_responses import STATUS
from app.api.metrics import Metrics
from app.settings import ENV_PREFIX, OF_COMMANDS, Settings
from tests.support.fakes import FakeEngine
from tools import parameters_page
from tools.configuration_page import page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *ROOT.glob("research/*.md"), *ROOT.glob("model/**/README.md")]
INTERNAL = {errors.Cancelled, errors.BundleError, errors.ConfigurationError}  # no client sees their codes


def anchors(text: str) -> set[str]:
    """The anchors that GitHub and the site generator give to headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {re.sub(r"[ ]+", "-", heading.strip()) for heading in plain}


def dead_links(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_file() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# One\n[a](#one) [b](#two) [c](gone.md) ![d](gone.png) [e](https://example.org)")
    assert dead_links(tmp_path / "page.md") == ["#two", "gone.md", "gone.png"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_but_of_a_table_is_longer_than_a_line_of_code(page: Path) -> None:
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    assert [number for number, line in lines if len(line) > 120 and not line.startswith("|")] == []


def test_the_configuration_page_is_current() -> None:
    assert (DOCS / "configuration.md").read_text(encoding="utf-8") == page(), "run: make docs"


def test_the_page_of_parameters_is_current() -> None:
    assert (DOCS / "parameters.md").read_text(encoding="utf-8") == parameters_page.page(), "run: make docs"


def test_the_readme_shows_ten_settings_with_their_defaults() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(rf"^\| `({ENV_PREFIX}\w+)` \| (?:`(.*?)`)? *\|", readme, re.MULTILINE))
    assert len(rows) == 10
    for row in rows.items():
        shown = f"| `{row[0]}` | `{row[1]}` |" if row[1] else f"| `{row[0]}` |  |"
        assert shown in page(), row


def test_every_metric_is_on_the_operations_page() -> None:
    listed = set(
        re.findall(r"^\| `(dragoman_\w+)`", (DOCS / "operations.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    written = Metrics(FakeEngine()).write().decode()
    families = {
        family.name for family in text_string_to_metric_families(written) if family.name.startswith("dragoman_")
    }
    assert {name.removesuffix("_total") for name in listed} >= families - {f"{name}_created" for name in families}


def test_every_error_code_is_on_the_api_page() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for error in STATUS.keys() - INTERNAL:
        assert f"`{error.code}`" in text, error


def test_the_table_of_sentences_that_were_read_is_that_of_their_verdicts() -> None:
    with open(DOCS / "reading.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    of, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in rows:
        for domain in (row["domain"], "all"):
            of[domain, row["direction"]] += 1
            right[domain, row["direction"]] += {"right": 1, "wrong": 0}[row["verdict"]]
    text = (DOCS / "quality.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\w+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$", text, re.MULTILINE)
    assert {name: tuple(map(int, cells)) for name, *cells in table} == {
        name: (right[name, "de-en"], of[name, "de-en"], right[name, "en-de"], of[name, "en-de"]) for name, _ in of
    }


def words(text: str) -> int:
    """How many words a reader sees: no addresses of links, no pictures, no signs of Markdown, no lines of tables."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return sum(bool(re.search(r"\w", token)) for token in text.split())


def test_the_page_of_quality_is_short() -> None:
    assert words("# Two words\n\n![no](a.png) [one](b.md#c) * \n| a, 100 % | --- | ---: |") == 5
    assert words((DOCS / "quality.md").read_text(encoding="utf-8")) <= 900


def section(page: str, anchor: str) -> str:
    """The text below the heading with this anchor."""
    parts = re.split(r"^(?=#+ )", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    (found,) = (part for part in parts if anchor in anchors(part))
    return found


def test_the_summary_of_quality_has_the_figures_of_the_sections_that_it_links() -> None:
    rows = re.findall(
        r"^\| \[[^]]*\]\(([\w.-]+)#([\w-]+)\)[^|]*\|(.*)$", section("quality.md", "what-the-server-keeps"), re.M
    )
    assert len(rows) == 7
    for name, anchor, cells in rows:
        figures = re.findall(r"\d+(?:\.\d+)?", cells)
        assert figures
        assert set(figures) <= set(re.findall(r"\d+(?:\.\d+)?", section(name, anchor))), anchor


def test_every_setting_that_a_page_names_exists() -> None:
    known = OF_COMMANDS | {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    for path in PAGES:
        named = set(re.findall(rf"\b{ENV_PREFIX}[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8")))
        assert named <= known, path


def test_the_tree_of_the_architecture_page_has_every_package() -> None:
    tree = (DOCS / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    listed = set(re.findall(r"^ *([\w-]+)/", tree, re.MULTILINE))
    for package in ("app", "model", "export"):
        folders = {path.parent.name for path in (ROOT / package).rglob("__init__.py")}
        assert folders <= listed, package


def build_site(folder: Path) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).parent / "zensical")
    return subprocess.run([program, "build", "--strict"], cwd=folder, capture_output=True, text=True)


def test_the_site_is_built_and_asks_nobody_else(tmp_path: Path) -> None:
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    built = build_site(tmp_path)
    assert built.returncode == 0, built.stderr
    for path in DOCS.glob("*.md"):
        html = (tmp_path / "site" / f"{path.stem}.html").read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]*)"|<link[^>]* href="([^"]*)"', html)
        assert not [address for pair in loaded for address in pair if "//" in address], path


def test_a_dead_link_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# One\n[gone](gone.md)\n")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "One"\n')
    assert build_site(tmp_path).returncode != 0
