/home/somebody/chipyard/sims/verilator/generated-src/chipyard-soc/gen-collateral/ChipTop.sv
/home/somebody/chipyard/sims/verilator/generated-src/chipyard-soc/gen-collateral/ListCore.sv
/home/somebody/chipyard/sims/verilator/generated-src/chipyard-soc/gen-collateral/MemoryPort.sv
/home/somebody/chipyard/sims/verilator/generated-src/chipyard-soc/gen-collateral/SerialLink.sv
/home/somebody/chipyard/sims/verilator/generated-src/chipyard-soc/gen-collateral/TestHarness.sv
