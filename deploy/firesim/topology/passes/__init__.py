"""Passes over the system graph, one a file, each a function that returns or refuses."""
