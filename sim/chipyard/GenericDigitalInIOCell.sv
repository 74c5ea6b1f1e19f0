// SPDX-License-Identifier: BSD-3-Clause
// GenericDigitalInIOCell: a pad that is an input.
module GenericDigitalInIOCell (
    input pad,
    output i,
    input ie
);
  assign i = pad & ie;
endmodule
