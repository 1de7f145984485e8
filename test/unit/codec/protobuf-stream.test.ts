import { describe, expect, it } from 'vitest'
import { ProtobufError } from '../../../src/wire/protobuf-error.ts'
import {
  decodeProtobuf,
  decodeRaw,
  encodeListHead,
  encodeProtobuf,
  encodeWatchFrame,
  ENVELOPE_TAIL,
} from '../../../src/codec/protobuf.ts'
import { Transcoder } from '../../../src/codec/transcode.ts'
import { readWatchFrame } from './read-watch-frame.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

describe('a list in pieces', () => {
  it.each([
    ['of none', kindOf('PodList'), kindOf('Pod'), []],
    ['of pods', kindOf('PodList'), kindOf('Pod'), ['a', 'b', 'c']],
    [
      'of metadata alone',
      kindOf('PartialObjectMetadataList', 'meta.k8s.io'),
      kindOf('PartialObjectMetadata', 'meta.k8s.io'),
      ['a', 'b'],
    ],
  ])('%s is the same as a whole one', (_, kind, itemKind, names) => {
    const head = { kind: kind.kind, apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'x' } }
    const items = names.map((name) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, labels: { a: 'b' } } }))
    const transcoder = new Transcoder()
    const pieces = items.map((item) =>
      Buffer.from(transcoder.field(2, itemKind.shape, Buffer.from(JSON.stringify(item)))),
    )
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const whole = Buffer.concat([encodeListHead(kind, head, length), ...pieces, ENVELOPE_TAIL])
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
    expect(readWatchFrame(frame)).toEqual({ type: 'ADDED', object })
  })

  it('is the message of a WatchEvent, byte for byte', () => {
    const frame = encodeWatchFrame('MODIFIED', object)
    const event = kindOf('WatchEvent').shape
    expect(event.wire?.map(({ number }) => number)).toEqual([1, 2])
    const inner = frame.subarray(4)
    expect(inner.indexOf(object)).toBe(inner.length - object.length)
  })
})
