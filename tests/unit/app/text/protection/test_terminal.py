"""Lines of stack traces, commands and trailers are protected; prose that looks alike isn't."""

import pytest

from tests.support.notation import check_seen, spans

TRACEBACK = [
    "Traceback (most recent call last):",
    'File "/srv/main.py", line 42, in <module>',
    "run(1 if x else 2)",
    "ValueError: invalid literal: 'abc'",
]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"It fails:\n{TRACEBACK[0]}\n  {TRACEBACK[1]}\n    {TRACEBACK[2]}\n{TRACEBACK[3]}\nIt is bad.", TRACEBACK),
        (f"{TRACEBACK[0]}\r\n  {TRACEBACK[1]}\r\nKeyError\r\n", [*TRACEBACK[:2], "KeyError"]),
        (
            'Exception in thread "main" java.lang.Error: no file\n\tat com.ex.App.main(A.java:14)\n\t... 3 more\nOh',
            ['Exception in thread "main" java.lang.Error: no file', "at com.ex.App.main(A.java:14)", "... 3 more"],
        ),
        ("    at Object.run (/app/x.js:10:5)\n", ["at Object.run (/app/x.js:10:5)"]),
        ("Type:\n$ git push origin main\nThen wait.", ["$ git push origin main"]),
        ("$ ./run.sh\n$ ls\n$ foo serve --all", ["$ ./run.sh", "$ ls", "$ foo serve --all"]),
        ("Done.\n\nCo-authored-by: Jane Doe <jane@example.com>", ["Co-authored-by: Jane Doe <jane@example.com>"]),
        ("Signed-off-by: A. B. <a@b.de>\r\n", ["Signed-off-by: A. B. <a@b.de>"]),
    ],
)
def test_lines_of_programs_are_protected(text: str, kept: list[str]) -> None:
    assert spans(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "The traceback is the most recent one.",
        "Meet me at the station (near the bank).",
        "at 5 (in the house)",
        "The Exception proves the rule: Error",
        "It costs $ 5 or $ five.",
        "$ 5 million",
        "Written by: Jane",
        "Stand-by: off",
        "... 3 more people",
        "... 3 more",
        "at 10:15:20",
        "at Berlin:12:14",
        "$ per share",
        "$ amounts are in thousands",
    ],
)
def test_prose_is_not_protected(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("[2024-03-05 10:16:02] ERROR Failed to connect.", ["Failed to connect."]),
        ("2024-03-05T10:16:02,123Z [WARN]: Disk is full", ["Disk is full"]),
        ("H225 Highly flammable.\nP305+P351 + P338: Rinse. Repeat.", ["Highly flammable.", "Rinse.", "Repeat."]),
        ("EUH066 Repeated exposure", ["Repeated exposure"]),
        ("ERROR Failed to connect.", ["ERROR Failed to connect."]),
        ("Take H225 Highway", ["Take H225 Highway"]),
    ],
)
def test_marks_before_messages_are_no_part_of_them(text: str, sentences: list[str]) -> None:
    check_seen(text, sentences, source="en", target="de")
