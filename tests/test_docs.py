"""The documentation is true: its commands exist, its examples print what it shows, its links lead
somewhere. The reference pages have tests of their own (cli/test_reference.py)."""

from __future__ import annotations

import re
from pathlib import Path

import docs_blocks
import pytest
from cli.running import environment
from docs_blocks import PAGES, ROOT, Block
from helpers import share_caches

from funes_git.commands import COMMANDS
from funes_git.demo import story
from funes_git.demo.stage import Stage

RUNNABLE = [block for page in PAGES for block in docs_blocks.blocks(page)]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The demo's repository, with a memory."""
    stage = Stage(tmp_path_factory.mktemp("docs") / "demo")
    stage.build()
    share_caches(stage.home)
    story.tell(stage)
    stage.shell(f"PYTHONPATH={environment()['PYTHONPATH']} git-funes init --no-hooks --no-embed")
    return stage


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_can_be_loaded_and_explains_itself(name: str) -> None:
    text = COMMANDS[name].load().__doc__ or ""
    assert f"Example: git funes {name}" in text


def test_some_blocks_are_runnable() -> None:
    assert {block.page.name for block in RUNNABLE} >= {"README.md"}


@pytest.mark.parametrize("block", RUNNABLE, ids=lambda block: block.page.name)
def test_a_runnable_block_prints_what_the_page_shows(block: Block, stage: Stage) -> None:
    outputs = [docs_blocks.run(command, stage) for command, _ in block.commands]
    if docs_blocks.UPDATE:
        docs_blocks.rewrite(block, outputs)
        return
    for (command, said), printed in zip(block.commands, outputs, strict=True):
        assert docs_blocks.agree(said, printed), f"$ {command}\n" + "\n".join(printed)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (command,) = re.findall(r"(?:&& |^\$? ?)(pytest [^\n`]*)$", readme, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert re.search(rf"^{re.escape(command)}(?: |$)", script, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    named = set(re.findall(r"(?:`|^\$ |^    )git funes (?:-C \S+ )?([a-z]+)", text, re.MULTILINE))
    assert named <= {*COMMANDS, "help"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [target for target in targets if not target.startswith(("http://", "https://"))]
    assert [target for target in local if not (page.parent / target).exists()] == []
