import { describe, expect, it } from 'vitest'
import { EncodingMemo } from '../../../src/api/read.ts'
import type { ObjectEvent, StoredObject } from '../../../src/api/read.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError, statusOf } from '../../../src/api/status.ts'
import { parseCborSequence } from '../../../src/codec/cbor-decode.ts'
import { decodeProtobuf, decodeRaw } from '../../../src/codec/protobuf.ts'
import { columnsOf } from '../../corpora/kind-of.ts'
import { EVENT_STREAM_FRAMES, frameEncoding, JSON_FRAMES, protobufFrames } from '../../../src/codec/watch-encodings.ts'
import { Transcoder } from '../../../src/codec/transcode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { WatchFrames } from '../../../src/codec/watch-frames.ts'
import type { WatchForm, WatchFramesOptions } from '../../../src/codec/watch-frames.ts'
import { readWatchFrame } from './read-watch-frame.ts'

const TYPE = { apiVersion: 'v1', itemKind: 'ConfigMap', custom: false }
const CONFIG: ApiObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', resourceVersion: '7' },
  data: { k: '<v>' },
}

function storedOf(object: ApiObject): StoredObject {
  const bytes = Buffer.from(JSON.stringify(object))
  return { kind: 'object', namespace: 'n', name: 'a', revision: 7, bytes, object: () => object }
}

const event = (type: ObjectEvent['type'] = 'ADDED'): ObjectEvent => ({
  type,
  object: storedOf(CONFIG),
  at: 1,
  memo: new EncodingMemo(),
})

function framesOf(form: WatchForm, more: Partial<WatchFramesOptions> = {}): WatchFrames {
  return new WatchFrames({
    form,
    encoding: JSON_FRAMES,
    type: TYPE,
    now: () => Date.parse('2026-03-01T12:00:00Z'),
    ...more,
  })
}

const OBJECT: WatchForm = { kind: 'object' }
const METADATA: WatchForm = { kind: 'metadata', apiVersion: 'meta.k8s.io/v1' }
const table = (include: 'None' | 'Metadata' | 'Object' = 'None'): WatchForm => ({
  kind: 'table',
  table: { shape: columnsOf({ group: '', kind: 'ConfigMap' }), apiVersion: 'meta.k8s.io/v1', include },
})

const parsed = (frame: Buffer): unknown => JSON.parse(frame.toString())

describe('watch frames in JSON', () => {
  it.each(['ADDED', 'MODIFIED', 'DELETED'] as const)('%s is one line with the stored bytes (R-141)', (type) => {
    expect(framesOf(OBJECT).frame(event(type)).toString()).toBe(
      `{"type":"${type}","object":${JSON.stringify(CONFIG)}}\n`,
    )
  })

  it('are made once for all watchers of a form', () => {
    const shared = event()
    const frame = framesOf(OBJECT).frame(shared)
    expect(framesOf(OBJECT).frame(shared)).toBe(frame)
    expect(framesOf(METADATA).frame(shared)).not.toBe(frame)
    expect(framesOf(METADATA).frame(shared)).toBe(framesOf(METADATA).frame(shared))
    expect(framesOf({ kind: 'metadata', apiVersion: 'meta.k8s.io/v1beta1' }).frame(shared).toString()).toContain(
      'v1beta1',
    )
  })

  it('hold the object in the version asked for', () => {
    const converted = storedOf({ ...CONFIG, apiVersion: 'v2' })
    const frames = framesOf(OBJECT, { type: { ...TYPE, apiVersion: 'v2' }, convert: () => converted })
    const shared = event()
    expect(framesOf(OBJECT).frame(shared).toString()).toContain('"apiVersion":"v1"')
    expect(frames.frame(shared).toString()).toContain('"apiVersion":"v2"')
  })

  it('can hold metadata only (R-169)', () => {
    expect(parsed(framesOf(METADATA).frame(event()))).toEqual({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: CONFIG.metadata },
    })
  })

  it('as tables say their columns in the first event only (R-169)', () => {
    const frames = framesOf(table())
    const object = (definitions: unknown) => ({
      object: {
        kind: 'Table',
        metadata: { resourceVersion: '7' },
        columnDefinitions: definitions,
        rows: [{ cells: ['a', 1, '<unknown>'], object: null }],
      },
    })
    const shared = event()
    expect(parsed(frames.frame(shared))).toMatchObject(object([{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }]))
    expect(parsed(frames.frame(shared))).toMatchObject(object(null))
    expect(parsed(framesOf(table()).frame(shared))).toMatchObject(
      object([{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }]),
    )
  })

  it.each<[string, WatchForm, boolean, boolean, string]>([
    ['plain', OBJECT, false, false, '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"8"}}'],
    [
      'at the end of the initial events',
      OBJECT,
      true,
      false,
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"8","annotations":{"k8s.io/initial-events-end":"true"}}}',
    ],
    [
      'of a custom kind',
      OBJECT,
      true,
      true,
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"8"}}',
    ],
    [
      'of metadata',
      METADATA,
      false,
      false,
      '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"8"}}',
    ],
  ])('a bookmark: %s (R-153, R-154, D7)', (_name, form, initialEventsEnd, custom, object) => {
    const frames = framesOf(form, { type: { ...TYPE, custom } })
    expect(frames.frame({ type: 'BOOKMARK', revision: 8, initialEventsEnd }).toString()).toBe(
      `{"type":"BOOKMARK","object":${object}}\n`,
    )
  })

  it('a bookmark as a table keeps the mark in its row (R-169)', () => {
    const rowsOf = (initialEventsEnd: boolean) => {
      const frame = framesOf(table('None')).frame({ type: 'BOOKMARK', revision: 8, initialEventsEnd })
      return parsed(frame) as { object: { rows: readonly unknown[] } }
    }
    expect(rowsOf(false)).toMatchObject({ object: { metadata: { resourceVersion: '8' }, rows: [{ object: null }] } })
    expect(rowsOf(true)).toMatchObject({
      object: {
        rows: [
          {
            object: {
              kind: 'PartialObjectMetadata',
              metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
            },
          },
        ],
      },
    })
  })

  it('an error is a Status in every form (R-169)', () => {
    const status = statusOf(new ApiError('Expired', 'too old resource version: 1 (5)'))
    const expected =
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (5)","reason":"Expired","code":410}}\n'
    for (const form of [OBJECT, METADATA, table()]) expect(framesOf(form).error(status).toString()).toBe(expected)
  })
})

describe('watch frames in protobuf (R-166)', () => {
  const schemas = loadBuiltInSchema()
  const encoding = protobufFrames({ schemas, transcoder: new Transcoder() })

  function decoded(frame: Buffer) {
    const { type, object } = readWatchFrame(frame)
    return { type, ...decodeProtobuf(object) }
  }

  function objectOf(frame: Buffer) {
    const { type, kind, apiVersion, raw } = decoded(frame)
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const schema = schemas.kind({ group, version, kind })
    return { type, object: schema === undefined ? undefined : decodeRaw(schema, raw) }
  }

  it('hold an enveloped object, once for all', () => {
    const shared = event('MODIFIED')
    const frame = framesOf(OBJECT, { encoding }).frame(shared)
    expect(objectOf(frame)).toEqual({ type: 'MODIFIED', object: CONFIG })
    expect(framesOf(OBJECT, { encoding }).frame(shared)).toBe(frame)
    expect(framesOf(OBJECT).frame(shared)).not.toBe(frame)
  })

  it('hold metadata only', () => {
    expect(objectOf(framesOf(METADATA, { encoding }).frame(event()))).toEqual({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: CONFIG.metadata },
    })
    const branded = framesOf({ kind: 'metadata', apiVersion: 'meta.svc.io/v1' }, { encoding })
    expect(decoded(branded.frame(event()))).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.svc.io/v1',
    })
  })

  it('hold tables as JSON (D10)', () => {
    const { contentType, raw } = decoded(framesOf(table(), { encoding }).frame(event()))
    expect(contentType).toBe('application/json')
    expect(JSON.parse(raw.toString())).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 1, '<unknown>'] }] })
  })

  it('hold bookmarks and errors', () => {
    const frames = framesOf(OBJECT, { encoding })
    expect(objectOf(frames.frame({ type: 'BOOKMARK', revision: 8, initialEventsEnd: true }))).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    })
    const status = statusOf(new ApiError('Expired', 'too old'))
    for (const form of [OBJECT, METADATA, table()]) {
      expect(objectOf(framesOf(form, { encoding }).error(status))).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', apiVersion: 'v1', message: 'too old', reason: 'Expired', code: 410 },
      })
    }
  })
})

describe('watch frames in CBOR (R-167)', () => {
  const tools = { schemas: loadBuiltInSchema(), transcoder: new Transcoder() }
  const encoding = frameEncoding('cbor', tools)

  it.each<[string, WatchForm]>([
    ['objects', OBJECT],
    ['metadata', METADATA],
    ['tables', table('Object')],
  ])('make a sequence of %s', (_name, form) => {
    const json = framesOf(form)
    const cbor = framesOf(form, { encoding })
    const status = statusOf(new ApiError('Expired', 'too old'))
    const expected: unknown[] = []
    const frames: Buffer[] = []
    for (const one of [event(), event('DELETED'), { type: 'BOOKMARK', revision: 8, initialEventsEnd: true } as const]) {
      expected.push(parsed(json.frame(one)))
      frames.push(cbor.frame(one))
    }
    expected.push(parsed(json.error(status)))
    frames.push(cbor.error(status))
    expect(parseCborSequence(Buffer.concat(frames))).toEqual(expected)
  })

  it('are made for custom kinds too', () => {
    const frames = framesOf(OBJECT, { encoding, type: { apiVersion: 'x.io/v1', itemKind: 'Widget', custom: true } })
    expect(parseCborSequence(frames.frame(event()))).toEqual([{ type: 'ADDED', object: CONFIG }])
  })
})

describe('watch frames for browsers', () => {
  const frames = framesOf(OBJECT, { encoding: EVENT_STREAM_FRAMES })

  it.each(['ADDED', 'MODIFIED', 'DELETED'] as const)('%s has the version to resume after', (type) => {
    const expected = `event: ${type}\nid: 7\ndata: ${JSON.stringify(CONFIG)}\n\n`
    expect(frames.frame(event(type)).toString()).toBe(expected)
    expect(Buffer.concat(frames.parts(event(type))).toString()).toBe(expected)
  })

  it('have none in the middle of a state, and that of the state at its end', () => {
    expect(Buffer.concat(frames.parts({ ...event(), at: undefined })).toString()).toMatch(/^event: ADDED\ndata: \{/)
    const end = frames.frame({ type: 'BOOKMARK', revision: 9, initialEventsEnd: true }).toString()
    expect(end).toMatch(/^event: BOOKMARK\nid: 9\ndata: \{.*"resourceVersion":"9".*\}\n\n$/)
  })

  it('end with a Status; one that a version is too old makes the browser forget it', () => {
    const expired = frames.error(statusOf(new ApiError('Expired', 'too old'))).toString()
    expect(expired).toMatch(/^event: ERROR\nid: \ndata: \{"kind":"Status",.*"code":410\}\n\n$/)
    expect(frames.error(statusOf(new ApiError('Timeout', 'too new'))).toString()).toMatch(/^event: ERROR\ndata: \{/)
  })
})

describe('the encodings of watches', () => {
  it('have no YAML (R-168)', () => {
    const tools = { schemas: loadBuiltInSchema(), transcoder: new Transcoder() }
    expect(() => frameEncoding('yaml', tools)).toThrow('YAML')
    expect(frameEncoding('json', tools)).toBe(JSON_FRAMES)
    expect(frameEncoding('protobuf', tools).name).toBe('protobuf')
  })
})
