"""Build steps: RTL, models, the simulator, target software. Every step is cached by content."""
