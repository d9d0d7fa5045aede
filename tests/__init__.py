"""Tests of llm-datadist-status, and what checks and measures it."""
