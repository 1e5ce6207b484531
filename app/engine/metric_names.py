"""Names and descriptions of the engine's gauges and counters."""

GAUGES = {
    "queued_sentences": "Sentences waiting in the queue.",
    "queued_tokens": "Source tokens waiting in the queue; a full queue refuses requests.",
    "queue_limit_tokens": "Source tokens that may wait.",
    "running_sentences": "Sentences being decoded.",
    "running_rows": "Rows (sentences times beams) being decoded.",
    "feature_cache_bytes": "Size of the encoder cache.",
    "feature_cache_hit_ratio": "Hits divided by look-ups of the encoder cache, since the start.",
    "models_served": "Models that requests can use.",
    "models_loaded": "Models in memory.",
    "models_bytes": "Estimated memory of models that are loaded, loading or stopping.",
    "models_max_bytes": "Memory available for models.",
}
COUNTERS = {
    "steps": "Decoder steps.",
    "rows_stepped": "Rows in all decoder steps; divided by the steps, the mean batch size.",
    "finished": "Sentences translated.",
    "failed": "Sentences that ended with an error.",
    "cancelled": "Sentences whose client went away.",
    "rejected": "Requests refused because the queue was full.",
    "feature_cache_hits": "Sentences found in the encoder cache.",
    "feature_cache_misses": "Sentences that had to be encoded.",
    "feature_cache_saved_ms": "Estimated encoder time that the hits saved, from the mean time of a token.",
    "result_cache_hits": "Sentences found in the cache that all servers share.",
    "result_cache_misses": "Sentences not found in the cache that all servers share.",
    "model_loads": "Models loaded.",
    "model_evictions": "Models unloaded to free memory for others.",
}
