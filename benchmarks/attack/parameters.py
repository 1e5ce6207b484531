"""Bars that hold beside every attack, and how long the attacks take: some twenty minutes in all."""

# Bars.
MAX_RSS_MB = 1000.0
MAX_GROWTH_MB = 150.0  # of the server's own memory, beside attacks with documents
MAX_LIVEZ_P99_MS = 100.0
MAX_SMALL_RATIO = 3.0  # 95th percentile of small requests, compared with an idle server's
DRAIN_S = 10.0  # from SIGTERM to the end of the process
START_S = 1.0  # that the end takes longer on this side: signals, waiting for the process

# Seconds.
IDLE_S = 15.0  # of the idle server that all is compared with
BEFORE_S = 4.0  # of the server at rest before each attack, for machines that others use, too
ATTACK_LIMIT_S = 120.0  # two slow cores translate 9,000 short texts in 60 s; what has no answer then is unanswered
CALM_LIMIT_S = 10.0  # after an attack, for the server to come to rest
REPEATED_S = 8.0  # of attacks that are made again and again
DEADLINE_MS = 8_000  # of attacks that ask for more work than can be done
WINDOWS_S = 30.0  # longer than the server's window for bodies and answers that stand still, which is 20 s

# Between two samples of somebody who attacks nobody.
LIVEZ_EVERY_S = 0.05
SMALL_EVERY_S = 0.2
