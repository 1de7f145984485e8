import { describe, expect, it } from 'vitest'
import { ProtobufError } from '../../../src/codec/protobuf-error.ts'
import {
  decodeWatchFrame,
  encodeListHead,
  encodeListItem,
  encodeWatchFrame,
  LIST_TAIL,
} from '../../../src/codec/protobuf-stream.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { KindSchema } from '../../../src/schema/table.ts'

const table = loadBuiltInSchema()

function kindOf(kind: string, group = '', version = 'v1'): KindSchema {
  const found = table.kind({ group, version, kind })
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

describe('a list in pieces', () => {
  it.each([
    ['of none', kindOf('PodList'), []],
    ['of pods', kindOf('PodList'), ['a', 'b', 'c']],
    ['of metadata alone', kindOf('PartialObjectMetadataList', 'meta.k8s.io'), ['a', 'b']],
  ])('%s is the same as a whole one', (_, kind, names) => {
    const head = { kind: kind.kind, apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'x' } }
    const items = names.map((name) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, labels: { a: 'b' } } }))
    const pieces = items.map((item) => encodeListItem(kind, item))
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const whole = Buffer.concat([encodeListHead(kind, head, length), ...pieces, LIST_TAIL])
    expect(whole.equals(encodeProtobuf(kind, { ...head, items }))).toBe(true)
    const { raw } = decodeProtobuf(whole)
    expect(decodeRaw(kind, raw)).toMatchObject({ metadata: { resourceVersion: '7', continue: 'x' } })
  })

  it('is not made of what is no list', () => {
    expect(() => encodeListHead(kindOf('Pod'), {}, 0)).toThrow(ProtobufError)
  })
})

describe('a watch event', () => {
  const object = encodeProtobuf(kindOf('ConfigMap'), { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } })

  it('is a frame: length, type, and the enveloped object', () => {
    const frame = encodeWatchFrame('ADDED', object)
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\x05ADDED')
    expect(decodeWatchFrame(frame, 0)).toEqual({ type: 'ADDED', object, end: frame.length })
  })

  it('is the message of a WatchEvent, byte for byte', () => {
    const frame = encodeWatchFrame('MODIFIED', object)
    const event = kindOf('WatchEvent').shape
    expect(event.wire?.map(({ number }) => number)).toEqual([1, 2])
    const inner = frame.subarray(4)
    expect(inner.indexOf(object)).toBe(inner.length - object.length)
  })

  it('waits for the rest of itself', () => {
    const frames = Buffer.concat([encodeWatchFrame('ADDED', object), encodeWatchFrame('DELETED', object)])
    const first = decodeWatchFrame(frames, 0)
    expect(decodeWatchFrame(frames, first?.end ?? 0)?.type).toBe('DELETED')
    expect(decodeWatchFrame(frames.subarray(0, 3), 0)).toBeUndefined()
    expect(decodeWatchFrame(frames.subarray(0, 20), 0)).toBeUndefined()
    expect(() => decodeWatchFrame(Buffer.from([0, 0, 0, 2, 0x0a, 0x00]), 0)).toThrow(ProtobufError)
  })
})
