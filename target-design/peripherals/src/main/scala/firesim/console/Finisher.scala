// SPDX-License-Identifier: BSD-3-Clause
// `sifive,test0`: software ends the simulation of its blade by writing one word.
package firesim

import chisel3._

class Finisher(p: Axi4Params) extends Module {
  val mmio = IO(Flipped(new Axi4(p)))
  val valid = IO(Output(Bool()))
  val value = IO(Output(UInt(32.W)))

  private val pass = 0x5555
  private val fail = 0x3333
  private val reset_ = 0x7777

  valid := false.B
  value := 0.U
  RegisterFrontEnd(
    mmio,
    Seq(
      Register(
        0x00,
        4,
        Some(0.U(32.W)),
        onWrite = Some { (written, data) =>
          val known = Seq(pass, fail, reset_).map(code => data(15, 0) === code.U).reduce(_ || _)
          valid := written && known
          value := data
          true.B
        }
      )
    )
  )
}
