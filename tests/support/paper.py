"""The models of "Attention Is All You Need" (table 3)."""

from model.network.config import TransformerConfig


def paper_base(vocabulary: int) -> TransformerConfig:
    return TransformerConfig(source_vocabulary=vocabulary, target_vocabulary=vocabulary)


def paper_big(vocabulary: int) -> TransformerConfig:
    return TransformerConfig(
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        width=1024,
        heads=16,
        feed_forward=4096,
        dropout=0.3,
    )
