"""Dragoman on Ray Serve: ``serve run app.cluster:build``."""

from app.cluster.deployments import build

__all__ = ["build"]
