"""What the experiments share: arguments, runs of the simulator, tables, plots, the last line."""
