// SPDX-License-Identifier: BSD-3-Clause
// The part: a deserialiser for Protobuf messages in a near-core socket.
package firesim

/** A deserialiser with the options of its part. */
class ProtobufPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel =
    new ProtobufDeserializer(
      ProtobufParams(place.options("arena_lines"), place.options("table_entries"))
    )
}
