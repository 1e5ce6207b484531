"""The gauges and counters of engines, by name, with what each one says."""

GAUGES = {
    "queued_sentences": "Sentences that wait.",
    "queued_tokens": "Source tokens that wait; a full queue refuses requests.",
    "running_sentences": "Sentences being decoded.",
    "running_rows": "Rows (sentences times beams) being decoded.",
    "feature_cache_bytes": "Size of the cached encoder features.",
    "feature_cache_hit_ratio": "Hits of the cache of encoder features over look-ups, since the start.",
    "models_served": "Models that can be asked for.",
    "models_loaded": "Models in memory.",
    "models_bytes": "Memory of models that are loaded, being loaded or being stopped, by estimate.",
    "models_max_bytes": "Memory that there is for models.",
}
COUNTERS = {
    "steps": "Decoder steps.",
    "rows_stepped": "Rows in all decoder steps; divided by the steps, the mean batch size.",
    "finished": "Sentences translated.",
    "failed": "Sentences that ended with an error.",
    "cancelled": "Sentences whose caller went away.",
    "rejected": "Requests refused because the queue was full.",
    "feature_cache_hits": "Sentences found in the cache of encoder features.",
    "feature_cache_misses": "Sentences that had to be encoded.",
    "feature_cache_saved_ms": "Time that the encoder would have taken for the hits, by what a token has cost so far.",
    "model_loads": "Models loaded.",
    "model_evictions": "Models unloaded to make room for others.",
}
