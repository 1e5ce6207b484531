"""Attacks on a server, and how long other clients wait meanwhile."""
