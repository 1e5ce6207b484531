"""Measures the page in a browser: first paint, bytes, time from key to translation, a paste of 100,000 characters.

    python -m benchmarks.page data/de-en/eval/tatoeba.test.tsv

Needs Debian's Chromium (apt-get install chromium). A server process of its own serves the shipped model. The last line
is JSON.

* First paint is the browser's First Contentful Paint of a page without any cache; bytes are what came over the network
  until the page had its languages. Between the loads the browser shows a few words of plain text from the same server:
  the part of the first paint that the host, the browser and the server take for any page.
* Latency begins with the last key of a sentence that is typed behind the others, and ends with the frame that shows
  its translation. The typing pause, for which the page waits on purpose, is not counted.
* A task is a stretch of the page's main thread, while 100,000 characters are pasted and translated: its processor time,
  and its duration, which is longer where others use the processor.
"""

import json
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from playwright.sync_api import Browser, Page
from rich.console import Console
from rich.table import Table

from benchmarks.interactive import server
from benchmarks.load import percentile
from model.data.pairs import read_pairs
from tests.support.browser import chromium

LOADS = 10
PASTED_CHARS = 100_000
TYPING_PAUSE_MS = 150  # app/web/js/translator.js
KEY_MS = 20
WAIT_MS = 240_000
PLAIN_TEXT = "/web/js/theme.js"  # five lines, shown as they are
WATCH = """
window.found = { latencies: [] };
let pressed = 0;
addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
addEventListener("DOMContentLoaded", () => {
    new MutationObserver((changes) => {
        const added = changes.flatMap((change) => [...change.addedNodes]);
        if (!pressed || !added.some((node) => node.classList?.contains("sentence"))) return;
        const begin = pressed;
        pressed = 0;
        requestAnimationFrame(() => setTimeout(() => window.found.latencies.push(performance.now() - begin)));
    }).observe(document.getElementById("output"), { childList: true, subtree: true });
});
"""


def main(
    pairs: Annotated[Path, typer.Argument(help="German TAB English, one pair a line.")],
    sentences: Annotated[int, typer.Option(help="Sentences to type.")] = 40,
) -> None:
    """Measure the page."""
    german = [pair[0] for pair in read_pairs(pairs)]
    with server() as url, chromium() as browser:
        loads = [(*load(browser, url), load(browser, url + PLAIN_TEXT)[0]) for _ in range(LOADS)]
        paints, sizes, paints_of_text = zip(*loads, strict=True)
        latencies, answers = zip(*type_sentences(browser, url, german[:sentences]), strict=True)
        tasks, seconds = paste(browser, url, german)
    cpu_ms, wall_ms = (max(values) for values in zip(*tasks, strict=True))
    figures = {
        "first_paint_ms": {"median": percentile(paints, 50), "highest": max(paints)},
        "first_paint_of_text_ms": {"median": percentile(paints_of_text, 50), "highest": max(paints_of_text)},
        "transferred_bytes": max(sizes),
        "latency_ms": {"median": percentile(latencies, 50), "p95": percentile(latencies, 95)},
        "answer_ms": {"median": percentile(answers, 50), "p95": percentile(answers, 95)},
        "paste": {"chars": PASTED_CHARS, "seconds": seconds, "longest_task_ms": {"cpu": cpu_ms, "duration": wall_ms}},
    }
    table = Table("what", "measured", "wanted")
    table.add_row("first paint, median of 10", f"{figures['first_paint_ms']['median']:.0f} ms", "under 200 ms")
    table.add_row("the same for a few words of plain text", f"{percentile(paints_of_text, 50):.0f} ms", "")
    table.add_row("transferred", f"{max(sizes) / 1000:.1f} KB", "under 60 KB")
    table.add_row(f"key to translation, p95 of {len(latencies)}", f"{percentile(latencies, 95):.0f} ms", "under 150 ms")
    table.add_row("part of it for the server's answer", f"{percentile(answers, 95):.0f} ms", "")
    table.add_row("longest task with 100,000 characters, processor time", f"{cpu_ms:.0f} ms", "under 100 ms")
    table.add_row("the same, duration", f"{wall_ms:.0f} ms", "under 100 ms")
    table.add_row("until they are translated", f"{seconds:.1f} s", "")
    Console().print(table)
    print(json.dumps(figures))


def open_page(browser: Browser, url: str) -> Page:
    """A page without any cache, ready to type into."""
    context = browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(url)
    page.locator("#target-language option").first.wait_for(state="attached")
    page.locator("#source-language").select_option("de")
    return page


def load(browser: Browser, url: str) -> tuple[float, int]:
    """First Contentful Paint in milliseconds, and the bytes of all answers with their headers."""
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[int] = []
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(url, wait_until="networkidle")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return float(paint), int(sum(sizes))


def type_sentences(browser: Browser, url: str, sentences: list[str]) -> list[tuple[float, float]]:
    """Milliseconds from the last key of each sentence to the frame with its translation, and of them until the answer.

    The typing pause is not counted.
    """
    page = open_page(browser, url)
    text = page.locator("#source-text")
    text.press_sequentially("Ein Wort. ", delay=KEY_MS)
    page.locator("#output .sentence").first.wait_for()
    latencies = []
    for sentence in sentences:
        page.evaluate("window.found.latencies.length = 0; performance.clearResourceTimings()")
        text.press_sequentially(sentence, delay=KEY_MS)
        while not (found := page.evaluate("window.found.latencies")) or page.locator("#output .pending").count():
            page.wait_for_timeout(KEY_MS)
        answer = page.evaluate("performance.getEntriesByType('resource').at(-1).duration")
        latencies.append((found[-1] - TYPING_PAUSE_MS, answer))
        text.press_sequentially("\n", delay=KEY_MS)
    page.context.close()
    return latencies


def paste(browser: Browser, url: str, sentences: list[str]) -> tuple[list[tuple[float, float]], float]:
    """Processor time and duration of the tasks, in milliseconds, and the seconds until all is translated."""
    page = open_page(browser, url)
    source, text = cycle(sentences), ""
    while len(text) < PASTED_CHARS:
        text += " ".join(islice(source, 5)) + "\n"
    page.evaluate("text => navigator.clipboard.writeText(text)", text[:PASTED_CHARS])
    page.locator("#source-text").focus()
    browser.start_tracing(page=page, categories=["toplevel"])
    began = page.evaluate("performance.now()")
    page.keyboard.press("Control+v")
    page.locator("#output .pending").first.wait_for(state="attached")
    page.locator("#output .pending").first.wait_for(state="detached")
    seconds = (page.evaluate("performance.now()") - began) / 1000
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    page.context.close()
    return list(tasks_of(trace)), seconds


def tasks_of(trace: list[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    """Processor time and duration, in milliseconds, of the tasks on the main threads of pages."""
    main = {
        (event["pid"], event["tid"])
        for event in trace
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    for event in trace:
        if (event["pid"], event["tid"]) in main and event.get("name", "").endswith("RunTask") and "tdur" in event:
            yield event["tdur"] / 1000, event["dur"] / 1000


if __name__ == "__main__":
    typer.run(main)
