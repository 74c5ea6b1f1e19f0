// SPDX-License-Identifier: BSD-3-Clause
// The block device: front-end registers, trackers, and their common roads to memory and device.
package firesim

import chisel3._
import chisel3.experimental.dataview._
import chisel3.util._

object BlockDevice {
  val defaultTrackers = 2

  /** Id bits of the DMA port: the tracker's number above the one bit of each tracker's port. */
  def dmaIdBits(trackers: Int): Int = 1 + log2Ceil(trackers)
}

/**
 * @param trackers requests under way at a time, 1 to 4
 */
class BlockDevice(trackers: Int, mmioParams: Axi4Params, dmaParams: Axi4Params) extends Module {
  require(
    trackers >= 1 && trackers <= 4,
    s"block device trackers: found $trackers, expected 1 to 4"
  )
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val interrupt = IO(Output(Bool()))
  val device = IO(Flipped(new BlockDeviceBridgePorts))

  private val tags = 0 until trackers
  private val trackerParams = dmaParams.copy(idBits = 1)
  private val units = tags.map(_ => Module(new Tracker(trackerParams)))

  private val address = RegInit(0.U(48.W))
  private val sector = RegInit(0.U(32.W))
  private val count = RegInit(0.U(32.W))
  private val write = RegInit(0.U(1.W))
  private val mask = RegInit(0.U(1.W))

  private val free = VecInit(units.map(_.start.ready)).asUInt
  private val valid = count =/= 0.U && count <= device.info_max_request &&
    sector +& count <= device.info_sectors
  private val granted = PriorityEncoderOH(units.map(_.start.ready))
  private val grants = valid && free.orR
  private val allocate = WireDefault(false.B)
  for ((unit, i) <- units.zipWithIndex) {
    unit.start.valid := allocate && valid && granted(i)
    unit.start.bits.address := address
    unit.start.bits.sector := sector
    unit.start.bits.count := count(15, 0)
    unit.start.bits.write := write.asBool
  }

  private val completions = Module(new Queue(UInt(8.W), trackers))
  private val finished = Module(new RRArbiter(UInt(0.W), trackers))
  finished.io.in.zip(units).foreach { case (in, unit) =>
    in.valid := unit.complete.valid
    in.bits := DontCare
    unit.complete.ready := in.ready
  }
  completions.io.enq.valid := finished.io.out.valid
  completions.io.enq.bits := finished.io.chosen
  finished.io.out.ready := completions.io.enq.ready
  completions.io.deq.ready := false.B
  interrupt := completions.io.deq.valid && mask.asBool

  RegisterFrontEnd(
    mmio,
    Seq(
      Register.readWrite(0x00, 8, address),
      Register.readWrite(0x08, 4, sector),
      Register.readWrite(0x10, 4, count),
      Register.readWrite(0x18, 4, write),
      Register(
        0x20,
        4,
        Some(Mux(grants, Mux1H(granted, tags.map(_.U(32.W))), "hffffffff".U)),
        onRead = read => allocate := read
      ),
      Register(0x28, 4, Some(PopCount(free))),
      Register(
        0x30,
        8,
        Some(Mux(completions.io.deq.valid, Cat(1.U(1.W), 0.U(55.W), completions.io.deq.bits), 0.U)),
        onRead = read => completions.io.deq.ready := read
      ),
      Register(0x38, 4, Some(completions.io.count)),
      Register(0x40, 4, Some(device.info_sectors)),
      Register(0x48, 4, Some(device.info_max_request)),
      Register.readWrite(0x50, 4, mask)
    )
  )

  private val requests = Module(new RRArbiter(new BlockRequest, trackers))
  requests.io.in.zip(units).foreach { case (in, unit) => in :<>= unit.request }
  device.req_valid := requests.io.out.valid
  device.req_write := requests.io.out.bits.write
  device.req_sector := requests.io.out.bits.sector
  device.req_count := requests.io.out.bits.count
  device.req_tag := requests.io.chosen
  requests.io.out.ready := device.req_ready

  private val words = Module(new RRArbiter(UInt(64.W), trackers))
  words.io.in.zip(units).foreach { case (in, unit) => in :<>= unit.toDevice }
  device.wdata_valid := words.io.out.valid
  device.wdata_bits := words.io.out.bits
  device.wdata_tag := words.io.chosen
  words.io.out.ready := device.wdata_ready

  for ((unit, i) <- units.zipWithIndex) {
    unit.fromDevice.valid := device.rdata_valid && device.rdata_tag === i.U
    unit.fromDevice.bits := device.rdata_bits
    unit.acknowledged.valid := device.wack_valid && device.wack_tag === i.U
  }
  private def forTag(tag: UInt, ready: Tracker => Bool): Bool =
    units.zipWithIndex.map { case (unit, i) => tag === i.U && ready(unit) }.reduce(_ || _)
  device.rdata_ready := forTag(device.rdata_tag, _.fromDevice.ready)
  device.wack_ready := forTag(device.wack_tag, _.acknowledged.ready)
  assert(
    !device.rdata_valid || device.rdata_tag < trackers.U,
    "disk data for a tracker that does not exist"
  )
  assert(
    !device.wack_valid || device.wack_tag < trackers.U,
    "disk acknowledgement for a tracker that does not exist"
  )

  private val arbiter = Module(new MasterArbiter(units.map(_ => trackerParams), dmaParams))
  arbiter.masters.zip(units).foreach { case (master, unit) => master :<>= unit.axi }
  dma :<>= arbiter.slave

  /** Join to the bridge, from the surrounding module. */
  def connect(bridge: BlockDeviceBridgeIO): Unit =
    device :<>= bridge.viewAsSupertype(new BlockDeviceBridgePorts)

  Event("block_device_request_in_flight", !free.andR)
  Event("block_device_trackers_all_busy", !free.orR)
  Event("block_device_completion_waiting", completions.io.deq.valid)
  Event("block_device_words_read", device.rdata_valid && device.rdata_ready)
  Event("block_device_words_written", device.wdata_valid && device.wdata_ready)
}
