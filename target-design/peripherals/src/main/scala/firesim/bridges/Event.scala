// SPDX-License-Identifier: BSD-3-Clause
// Events for AutoCounter: a named cover statement, counted by Golden Gate in every run.
package firesim

import chisel3._

object Event {

  /** Count the cycles in which `condition` holds; the counter is called `<instance path>.name`. */
  def apply(name: String, condition: Bool): Unit = cover(condition).suggestName(name)
}
