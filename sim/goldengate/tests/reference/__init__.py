"""The reference: the same Verilog in plain Verilator, and drivers for both."""
