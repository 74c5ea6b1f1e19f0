# Pins of the RHS Research NiteFury II for platforms/xdma/top.v, without the lanes of PCIe (early.xdc).
set_property PACKAGE_PIN F6 [get_ports pcie_refclk_p]
set_property PACKAGE_PIN E6 [get_ports pcie_refclk_n]
create_clock -name pcie_refclk -period 10.000 [get_ports pcie_refclk_p]
set_property -dict {PACKAGE_PIN J1 IOSTANDARD LVCMOS33 PULLUP true} [get_ports pcie_perst_n]
set_false_path -from [get_ports pcie_perst_n]
# Low: without it many hosts give a card in an M.2 slot no reference clock.
set_property -dict {PACKAGE_PIN G1 IOSTANDARD LVCMOS33} [get_ports pcie_clkreq_n]
set_false_path -to [get_ports pcie_clkreq_n]
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
set_property CONFIG_MODE SPIx4 [current_design]
set_property BITSTREAM.CONFIG.EXTMASTERCCLK_EN DIV-1 [current_design]
set_property BITSTREAM.CONFIG.SPI_BUSWIDTH 4 [current_design]
set_property BITSTREAM.CONFIG.SPI_FALL_EDGE YES [current_design]
# Registers that the reset of the host clock reaches at any time.
set_false_path -to [get_pins {settled_reg[*]/CLR}]
set_false_path -to [get_pins {status/flags_1_reg[*]/D}]
