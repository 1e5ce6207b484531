"""Tests in a browser. A package, so that its fixtures end with its last test."""
