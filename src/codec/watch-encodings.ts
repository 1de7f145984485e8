// The encodings of watch events: from an event's type and the JSON of its object to a frame of the stream.
import { parseGroupVersion } from '../api/object.ts'
import { InvariantError } from '../lib/errors.ts'
import type { ObjectShape } from '../schema/table.ts'
import type { ProtobufTools } from './list-protobuf.ts'
import { encodeWatchFrame } from './protobuf-stream.ts'
import { encodeEnvelope } from './protobuf.ts'
import type { TypeNames } from './protobuf.ts'

/** What the object of an event is: its own kind, or that of the form it was turned into. */
export type FramedForm = TypeNames

export interface FrameEncoding {
  /** Frames of one name are interchangeable. */
  readonly name: string
  /** `object` is JSON. */
  frame(type: string, form: FramedForm, object: Buffer): Buffer
}

const END = Buffer.from('}\n')

/** A line an event. */
export const JSON_FRAMES: FrameEncoding = {
  name: 'json',
  frame: (type, _form, object) => Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END]),
}

/** A length and an event around an enveloped object; Tables stay JSON within (D10). */
export function protobufFrames({ schemas, transcoder }: ProtobufTools): FrameEncoding {
  return {
    name: 'protobuf',
    frame(type, form, object) {
      if (form.kind === 'Table') return encodeWatchFrame(type, encodeEnvelope(form, object, 'application/json'))
      return encodeWatchFrame(type, transcoder.enveloped(shapeOf(form, schemas), form, object))
    },
  }
}

/** Metadata-only forms have one shape, whatever their brand and version. */
function shapeOf({ apiVersion, kind }: FramedForm, schemas: ProtobufTools['schemas']): ObjectShape {
  const version = kind === 'PartialObjectMetadata' ? META : parseGroupVersion(apiVersion)
  const found = version === undefined ? undefined : schemas.kind({ ...version, kind })
  if (found === undefined) throw new InvariantError(`${kind} has no protobuf form`)
  return found.shape
}

const META = { group: 'meta.k8s.io', version: 'v1' } as const
