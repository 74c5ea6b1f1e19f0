"""Running a simulation on this machine: checks, folders, the child process, live display."""
