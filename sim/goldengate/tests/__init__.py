"""Tests of Golden Gate: each pass, what it refuses, and whole models."""
