// SPDX-License-Identifier: BSD-3-Clause
// GenericDigitalOutIOCell: a pad that is an output; one that is not driven is 0.
module GenericDigitalOutIOCell (
    output pad,
    input o,
    input oe
);
  assign pad = o & oe;
endmodule
