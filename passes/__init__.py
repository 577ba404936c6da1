"""Passes that stay on one floor."""
