"""The commands, one a file; main.py assembles them."""
