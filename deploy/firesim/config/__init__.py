"""The YAML files a user writes: models, a loader that keeps line numbers, clear errors."""
