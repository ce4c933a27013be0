"""What names a scene is told apart from what does not, before any backend is asked."""

from __future__ import annotations

import socket
import zipfile
from pathlib import Path

import pytest

from ovread.errors import NotUsdError, SceneNotFoundError
from ovread.stage import scene_of


@pytest.mark.parametrize("text", ["#usda 1.0", "#usda 1.0\n(\n)\n", "\n  #usda 1.0\n"])
def test_usda_text_is_a_scene(text: str) -> None:
    scene = scene_of(text)
    assert scene.is_text
    assert scene.source == text.lstrip()
    assert scene.label == "<USDA text>"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.usda", b"#usda 1.0\n"),
        ("a.usd", b"#usda 1.0\n"),
        ("a.usd", b"PXR-USDC\0\0\0"),
        ("a.usdc", b"PXR-USDC\0\0\0"),
        ("scene.without.a.known.suffix", b"#usda 1.0\n"),
        ("a b.usda", b"\n#usda 1.0\n"),
    ],
)
def test_a_usd_file_is_a_scene_whatever_it_is_called(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for source in (path, str(path)):
        scene = scene_of(source)
        assert (scene.source, scene.is_text) == (str(path), False)
        assert scene.label == str(path)


def test_a_usdz_package_is_a_scene_and_another_zip_is_not(tmp_path: Path) -> None:
    for name in ("a.usdz", "a.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as package:
            package.writestr("a.usda", "#usda 1.0\n")
    assert scene_of(tmp_path / "a.usdz").source == str(tmp_path / "a.usdz")
    with pytest.raises(NotUsdError):
        scene_of(tmp_path / "a.zip")


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    monkeypatch.chdir(tmp_path)
    assert scene_of("a.usda").source == str(tmp_path / "a.usda")


def test_a_home_directory_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert scene_of("~/a.usda").source == str(tmp_path / "a.usda")


def test_a_missing_file_is_named_with_the_folder_that_was_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SceneNotFoundError, match=r"No such file: no_scene\.usda") as caught:
        scene_of("no_scene.usda")
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("source", [None, 7, b"a.usda", ["a.usda"], "x" * 5000, "a\0.usda", "~no_such_user/a.usda"])
def test_what_cannot_be_a_path_is_not_a_scene(source: object) -> None:
    with pytest.raises(SceneNotFoundError):
        scene_of(source)  # type: ignore[arg-type]


def test_a_directory_is_refused_with_what_to_name_instead(tmp_path: Path) -> None:
    with pytest.raises(NotUsdError, match=r"is a directory: name a \.usda"):
        scene_of(tmp_path)


NOT_USD = {
    "a text file": ("notes.txt", b"Dear diary,\n"),
    "another suffix does not make it USD": ("notes.usda", b"Dear diary,\n"),
    "binary junk": ("junk.usd", bytes(range(256))),
    "an empty file": ("empty.usda", b""),
    "a broken package": ("broken.usdz", b"PK\x03\x04 and no more"),
    "URDF": ("robot.urdf", b'<?xml version="1.0"?><robot name="r"/>'),
}


@pytest.mark.parametrize(("name", "content"), NOT_USD.values(), ids=NOT_USD)
def test_a_file_that_is_not_usd_is_refused_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NotUsdError, match=name):
        scene_of(tmp_path / name)


def test_text_that_is_not_usda_is_refused_as_text() -> None:
    with pytest.raises(NotUsdError, match="does not start with '#usda"):
        scene_of('def Xform "World"\n{\n}\n')


def test_an_unreadable_file_is_refused_with_the_system_s_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as unreadable:
        unreadable.bind("scene.usda")  # exists, and cannot be opened as a file, by root either
        with pytest.raises(SceneNotFoundError, match=r"scene\.usda cannot be read: \w+"):
            scene_of("scene.usda")
