"""Attacks on a server, and what others wait for meanwhile."""
