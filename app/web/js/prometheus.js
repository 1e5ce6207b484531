// Reads Prometheus's text format (0.0.4), and makes rates and quantiles of two readings.

/** The samples of a text as a list of { name, labels, value }. */
export function parse(text) {
  const samples = [];
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match) continue;
    const labels = Object.fromEntries([...(match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value]));
    samples.push({ name: match[1], labels, value: Number(match[3]) });
  }
  return samples;
}

/** The sum of a metric's samples that `matches` accepts. */
export function sum(samples, name, matches = (/** @type {object} */ _) => true) {
  return samples.reduce((total, sample) => total + (sample.name === name && matches(sample.labels) ? sample.value : 0), 0);
}

/** A quantile of what a histogram has observed between two readings, interpolated as Prometheus does; null if nothing. */
export function quantile(before, after, name, matches, share) {
  const counts = new Map();
  for (const [samples, sign] of [[after, 1], [before, -1]]) {
    for (const { name: own, labels, value } of samples) {
      if (own !== `${name}_bucket` || !matches(labels)) continue;
      const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + sign * value);
    }
  }
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  let lowest = 0;
  let below = 0;
  for (const [bound, count] of buckets) {
    if (count >= share * total) {
      return bound === Infinity ? lowest : lowest + ((bound - lowest) * (share * total - below)) / (count - below || 1);
    }
    [lowest, below] = [bound, count];
  }
  return lowest;
}
