// SPDX-License-Identifier: BSD-3-Clause
// What the card says on PCI with this logic in it; AWS's kit writes it into the manifest of an image.
`define CL_SH_ID0 32'hF002_1D0F
`define CL_SH_ID1 32'h1D51_FEDC
