// The encodings of watch events: from an event's type and its object's JSON to a frame.
import { parseGroupVersion } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { encodeCbor, encodeCborEvent, encodeCborValue } from './cbor-encode.ts'
import type { Encoding } from './codec.ts'
import type { EncodingTools } from './list-protobuf.ts'
import { encodeEnvelope, encodeWatchFrame } from './protobuf.ts'
import type { TypeNames } from './protobuf.ts'
import { parseStoredJson } from './stored-json.ts'

export interface FrameEncoding {
  /** Encodings with the same name make the same frames. */
  readonly name: string
  /** The frame of an event. `form` names the kind of the object, or of the form to which it was converted. `object` is JSON. */
  frame(type: string, form: TypeNames, object: Buffer, resume?: Resume): Buffer
  /** The frame in parts. Absent: parts would not cost less. */
  parts?(type: string, object: Buffer, resume?: Resume): readonly Buffer[]
}

/** The revision from which a client resumes after a frame. `anew`: from the beginning. Undefined: the same as before the frame. */
export type Resume = number | 'anew' | undefined

const END = Buffer.from('}\n')

/** One line for each event. */
export const JSON_FRAMES: FrameEncoding = {
  name: 'json',
  frame: (type, _form, object) => Buffer.concat(jsonParts(type, object)),
  parts: jsonParts,
}

const ADDED = jsonHead('ADDED')

function jsonHead(type: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":`)
}

function jsonParts(type: string, object: Buffer): readonly Buffer[] {
  return [type === 'ADDED' ? ADDED : jsonHead(type), object, END]
}

const EVENT_END = Buffer.from('\n\n')

/** For `EventSource` in browsers, which sends the last `id` when it reconnects. An empty `id` makes it forget the earlier `id`. */
export const EVENT_STREAM_FRAMES: FrameEncoding = {
  name: 'event-stream',
  frame: (type, _form, object, resume) => Buffer.concat(eventParts(type, object, resume)),
  parts: eventParts,
}

function eventParts(type: string, object: Buffer, resume: Resume): readonly Buffer[] {
  const id = resume === undefined ? '' : `id: ${resume === 'anew' ? '' : resume}\n`
  return [Buffer.from(`event: ${type}\n${id}data: `), object, EVENT_END]
}

/** Each frame has a length, and an event with the object in an envelope. Tables are JSON in the envelope (D10). */
export function protobufFrames({ schemas, transcoder }: EncodingTools): FrameEncoding {
  return {
    name: 'protobuf',
    frame(type, form, object) {
      if (form.kind === 'Table') return encodeWatchFrame(type, encodeEnvelope(form, object, 'application/json'))
      const kind = kindOf(form, schemas)
      if (kind === undefined) throw new InvariantError(`${form.kind} has no protobuf form`)
      return encodeWatchFrame(type, transcoder.enveloped(kind.shape, form, object))
    },
  }
}

/** One item of a CBOR sequence for each event. */
function cborFrames(schemas: SchemaTable): FrameEncoding {
  return {
    name: 'cbor',
    frame(type, form, object) {
      const value = parseStoredJson(object) as ValueMap
      const kind = form.kind === 'Table' ? undefined : kindOf(form, schemas)
      return encodeCborEvent(type, kind === undefined ? encodeCborValue(value) : encodeCbor(value, kind))
    },
  }
}

/** The frames of an encoding. YAML has no frames: negotiation does not offer YAML for watches. */
export function frameEncoding(encoding: Encoding, tools: EncodingTools): FrameEncoding {
  switch (encoding) {
    case 'json':
      return JSON_FRAMES
    case 'protobuf':
      return protobufFrames(tools)
    case 'cbor':
      return cborFrames(tools.schemas)
    case 'yaml':
      throw new InvariantError('a watch has no YAML')
  }
}

/** The kind of an object. Metadata-only forms of every brand and version have one shape. Undefined: the kind is custom. */
function kindOf({ apiVersion, kind }: TypeNames, schemas: SchemaTable): KindSchema | undefined {
  const version = kind === 'PartialObjectMetadata' ? META : parseGroupVersion(apiVersion)
  return version === undefined ? undefined : schemas.kind({ ...version, kind })
}

const META = { group: 'meta.k8s.io', version: 'v1' } as const
