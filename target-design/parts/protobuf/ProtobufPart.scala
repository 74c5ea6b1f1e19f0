// SPDX-License-Identifier: BSD-3-Clause
// The part: a unit for Protobuf messages in a near-core socket.
package firesim

/** A unit with the options of its part. */
class ProtobufPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel =
    new ProtobufKernel(
      ProtobufParams(
        place.options("arena_lines"),
        place.options("table_entries"),
        place.options("object_lines")
      )
    )
}
