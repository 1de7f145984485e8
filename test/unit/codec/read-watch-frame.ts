// Reads a watch event in protobuf as clients do: a length, and an event around the object's envelope.
import { ProtobufReader } from '../../../src/wire/protobuf-reader.ts'

interface WatchFrame {
  readonly type: string
  /** The object in its envelope. */
  readonly object: Buffer
}

/** Throws where the frame is not there whole, or goes on behind its end. */
export function readWatchFrame(frame: Buffer): WatchFrame {
  const [length, event] = [frame.readUInt32BE(0), frame.subarray(4)]
  if (length !== event.length) throw new Error(`a frame of ${length} bytes has ${event.length}`)
  const reader = new ProtobufReader(event)
  let type = ''
  let object: Buffer | undefined
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === 0x0a) type = reader.text()
    else if (tag === 0x12) object = onlyField(reader)
    else throw new Error(`a field that events do not have: tag ${tag}`)
  }
  if (object === undefined) throw new Error('an event without an object')
  return { type, object }
}

/** The bytes of an embedded object, which is a message with one field. */
function onlyField(reader: ProtobufReader): Buffer {
  const outer = reader.enter()
  const tag = reader.tag()
  if (tag !== 0x0a) throw new Error(`a field that embedded objects do not have: tag ${tag}`)
  const raw = reader.bytes()
  reader.leave(outer)
  return raw
}
