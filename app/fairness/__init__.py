"""Whose turn it is: long work is bounded, gives way to short requests, and ends when nobody waits any more."""
