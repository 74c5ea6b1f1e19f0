// SPDX-License-Identifier: BSD-3-Clause
//
// RISC-V instructions of random bits: mostly valid, with few registers and aligned addresses.

package rv32_random;
  // Control and status registers that change what a core does: traps, counters, translation.
  function automatic logic [11:0] csr(logic [3:0] choice);
    case (choice)
      0: return 12'h300;  // mstatus
      1: return 12'h304;  // mie
      2: return 12'h305;  // mtvec
      3: return 12'h340;  // mscratch
      4: return 12'h341;  // mepc
      5: return 12'h342;  // mcause
      6: return 12'h343;  // mtval
      7: return 12'h344;  // mip
      8: return 12'hb00;  // mcycle
      9: return 12'hb02;  // minstret
      10: return 12'h180;  // satp
      11: return 12'h100;  // sstatus
      12: return 12'h302;  // medeleg
      13: return 12'hc00;  // cycle
      14: return 12'h3a0;  // pmpcfg0
      15: return 12'h3b0;  // pmpaddr0
    endcase
  endfunction

  function automatic logic [31:0] system(logic [31:0] base, logic [4:0] choice);
    case (choice)
      0: return 32'h0000_0073;  // ecall
      1: return 32'h3020_0073;  // mret
      2: return 32'h1020_0073;  // sret
      3: return 32'h1050_0073;  // wfi
      4: return 32'h0000_100f;  // fence.i
      5: return 32'h1200_0073;  // sfence.vma
      6: return 32'h0010_0073;  // ebreak
      default: return {csr(choice[3:0]), base[19:15], base[14], |base[13:12] ? base[13:12] : 2'b01,
                       base[11:7], 7'h73};
    endcase
  endfunction

  function automatic logic [31:0] amo(logic [31:0] base);
    logic [4:0] operation;
    operation = base[27] ? {3'b0, base[30:29]} : {base[31:29], 2'b0};
    return {operation, base[26:20], base[19:15], 3'b010, base[11:7], 7'h2f};
  endfunction

  function automatic logic [15:0] compressed(logic [15:0] bits);
    if (bits[1:0] == 3) bits[1:0] = 1;
    if (!bits[0]) bits[13] = 0;  // the odd ones are of the floating-point extension
    if (bits[1:0] == 0 && bits[15]) bits[14] = 1;
    return bits;
  endfunction

  // `has_c` allows targets at odd halfwords, now and then.
  function automatic logic [31:0] full(logic [63:0] random, logic has_m, logic has_a, logic has_c);
    logic [31:0] base;
    logic aligned, odd;
    base = random[31:0];
    odd = has_c && random[53:52] == 0;
    aligned = random[45:42] != 0;
    if (random[40]) {base[11:10], base[19:18], base[24:23]} = 0;
    case (random[35:32])
      0, 1, 2, 3: begin  // with an immediate
        base[6:0] = 7'h13;
        if (base[13:12] == 1) base[31:25] = {1'b0, base[30] & base[14], 5'b0};
      end
      4, 5: begin
        base[6:0] = 7'h33;
        base[31:25] = {1'b0, base[30] & (base[14:12] == 0 || base[14:12] == 5), 5'b0};
      end
      6: begin
        base[6:0] = 7'h33;
        base[31:25] = {6'b0, has_m};
      end
      7, 8: begin  // load
        base[6:0] = 7'h03;
        if (base[13:12] == 3) base[13] = 0;
        if (base[14:12] == 6) base[14] = 0;
        if (aligned) {base[19:15], base[21:20]} = 0;
      end
      9, 10: begin  // store
        base[6:0] = 7'h23;
        base[14:12] = {1'b0, base[13], base[12] & ~base[13]};
        if (aligned) {base[19:15], base[8:7]} = 0;
      end
      11: begin  // branch
        base[6:0] = 7'h63;
        base[13] = base[13] & base[14];
        base[8] = base[8] & odd;
      end
      12: begin
        base[6:0] = random[36] ? 7'h6f : 7'h67;
        if (!random[36]) base[14:12] = 0;
        if (!random[36] && aligned) {base[19:15], base[21:20]} = 0;
        base[21] = base[21] & odd;
      end
      13:
      if (random[36]) base[6:0] = random[37] ? 7'h37 : 7'h17;
      else base = has_a ? amo(base) : {base[31:15], 3'b000, base[11:7], 7'h13};
      14: base = {base[31:22], base[21] & odd, base[20:7], 7'h6f};
      15:
      // Traps are seldom: in a cache, a trap handler that traps is an endless loop.
      if (random[39]) base[6:0] = 7'h37;
      else if (random[38:36] != 0) base = system(base, random[48:44]);
    endcase
    return base;
  endfunction

  function automatic logic [31:0] instruction(logic [63:0] random, logic has_m, logic has_a,
                                              logic has_c);
    if (has_c && random[51:49] == 0)
      return {compressed(random[31:16]), compressed(random[15:0])};
    return full(random, has_m, has_a, has_c);
  endfunction
endpackage
