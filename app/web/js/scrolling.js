// Two panes that scroll together: what translates each other stays side by side.

/**
 * Scrolls two panes together. A pane is { scroller, lines }: the element that scrolls, and a function that returns the
 * elements of its lines, one for each line of the other pane.
 */
export function scrollTogether(first, second) {
  const expected = new WeakMap();
  const follow = (leader, follower) => {
    const { scroller } = leader;
    if (Math.abs(scroller.scrollTop - (expected.get(scroller) ?? -9)) < 2) return expected.delete(scroller);
    const room = scroller.scrollHeight - scroller.clientHeight;
    const otherRoom = follower.scroller.scrollHeight - follower.scroller.clientHeight;
    if (room <= 0 || otherRoom <= 0) return false;
    // At the top, the tops are side by side; at the bottom, the bottoms; in between, what is as far down the pane.
    const share = scroller.scrollTop / room;
    const place = counterpart(leader, follower, share * scroller.scrollHeight) / follower.scroller.scrollHeight;
    const top = Math.round((share > 0.999 ? 1 : place) * otherRoom);
    if (Math.abs(follower.scroller.scrollTop - top) < 2) return false;
    expected.set(follower.scroller, top);
    follower.scroller.scrollTop = top;
    return true;
  };
  first.scroller.addEventListener("scroll", () => follow(first, second), { passive: true });
  second.scroller.addEventListener("scroll", () => follow(second, first), { passive: true });
}

/** The place in one pane's content that belongs to a place, in pixels, in the other's. */
function counterpart(from, to, place) {
  const [lines, others] = [from.lines(), to.lines()];
  if (!lines.length || lines.length !== others.length) return (place / from.scroller.scrollHeight) * to.scroller.scrollHeight;
  const begin = (pane, line) => line.getBoundingClientRect().top - pane.scroller.getBoundingClientRect().top + pane.scroller.scrollTop;
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (begin(from, lines[middle]) <= place) low = middle;
    else high = middle - 1;
  }
  const share = (place - begin(from, lines[low])) / Math.max(1, lines[low].offsetHeight);
  return begin(to, others[low]) + Math.max(0, Math.min(share, 1)) * others[low].offsetHeight;
}
