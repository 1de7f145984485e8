import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { parseCbor } from '../../../src/codec/cbor-decode.ts'
import { encodeCbor, encodeCborValue } from '../../../src/codec/cbor-encode.ts'
import type { ListForm, ListItem, ListMetadata, ListType } from '../../../src/codec/list-json.ts'
import { writeJsonList } from '../../../src/codec/list-json.ts'
import type { WriteElsewhere } from '../../../src/codec/large-values.ts'
import { writeList } from '../../../src/codec/list-writer.ts'
import { writeOtherForm } from '../../../src/codec/other-form.ts'
import { type EncodingTools, listKindOf, writeProtobufList } from '../../../src/codec/list-protobuf.ts'
import { decodeProtobuf, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { canonicalOf, columnsOf } from '../../corpora/kind-of.ts'
import { Transcoder } from '../../../src/codec/transcode.ts'
import { emitYaml } from '../../../src/codec/yaml-emit.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const PODS: ListType = { apiVersion: 'v1', kind: 'PodList', itemKind: 'Pod', custom: false }
const WIDGETS: ListType = { apiVersion: 'x.io/v1', kind: 'WidgetList', itemKind: 'Widget', custom: true }
const COMPLETE: ListMetadata = { resourceVersion: '9', continue: '', remainingItemCount: undefined }

function itemOf(object: ValueMap): ListItem {
  return { bytes: Buffer.from(JSON.stringify(object)), object: () => object }
}

function pod(name: string, more: ValueMap = {}): ListItem {
  return itemOf({ kind: 'Pod', apiVersion: 'v1', metadata: { name, resourceVersion: '5' }, ...more })
}

async function* batchesOf(...batches: readonly (readonly ListItem[])[]): AsyncGenerator<readonly ListItem[]> {
  yield* batches
}

async function written(
  type: ListType | ListForm,
  batches: AsyncIterable<readonly ListItem[]>,
  { metadata = COMPLETE, pretty = false }: { metadata?: ListMetadata; pretty?: boolean } = {},
): Promise<{ text: string; pieces: readonly Buffer[] }> {
  const form: ListForm = 'custom' in type ? { kind: 'objects', type } : type
  const pieces: Buffer[] = []
  for await (const piece of writeJsonList({ form, metadata, items: batches }, { pretty }))
    pieces.push(Buffer.concat(piece))
  return { text: Buffer.concat(pieces).toString(), pieces }
}

describe('a list in JSON', () => {
  it('of a built-in kind has the order of the reference, and items without a kind (R-109 to R-111, D4)', async () => {
    const { text } = await written(PODS, batchesOf([pod('a')], [], [pod('b')]))
    expect(text).toBe(
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":""},"items":[' +
        '{"metadata":{"name":"a","resourceVersion":"5"}},{"metadata":{"name":"b","resourceVersion":"5"}}]}\n',
    )
  })

  it('says what remains (R-109)', async () => {
    const metadata = { resourceVersion: '9', continue: 'x<y', remainingItemCount: 3 }
    expect((await written(PODS, batchesOf(), { metadata })).text).toBe(
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"x\\u003cy","remainingItemCount":3},"items":[]}\n',
    )
    expect((await written(WIDGETS, batchesOf(), { metadata })).text).toBe(
      '{"apiVersion":"x.io/v1","items":[],"kind":"WidgetList","metadata":{"continue":"x\\u003cy","remainingItemCount":3,"resourceVersion":"9"}}\n',
    )
  })

  it('of a custom kind has its members sorted, and items with a kind (R-109, R-110)', async () => {
    const widget = itemOf({ apiVersion: 'x.io/v1', kind: 'Widget', metadata: { name: 'a' } })
    expect((await written(WIDGETS, batchesOf([widget, widget]))).text).toBe(
      `{"apiVersion":"x.io/v1","items":[${widget.bytes.toString()},${widget.bytes.toString()}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"9"}}\n`,
    )
  })

  it('leaves kind and version out of items wherever they stand', async () => {
    const odd = itemOf({ metadata: { name: 'a' }, apiVersion: 'v1', spec: { kind: 'x' }, kind: 'Pod' })
    const { text } = await written(PODS, batchesOf([odd]))
    expect(text).toContain('"items":[{"metadata":{"name":"a"},"spec":{"kind":"x"}}]')
  })

  it('of metadata has items with a kind of their own (R-371, D4)', async () => {
    const form = { kind: 'metadata', apiVersion: 'meta.k8s.io/v1' } as const
    expect((await written(form, batchesOf([pod('a', { spec: { x: 1 } })]))).text).toBe(
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":""},"items":[' +
        '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"5"}}]}\n',
    )
  })

  it('as a table has a row an item', async () => {
    const kind = { group: '', kind: 'Namespace' }
    const namespaces = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, status: { phase: 'P' } }]
    const table = {
      shape: columnsOf(kind),
      apiVersion: 'meta.k8s.io/v1',
      include: 'None',
      now: 0,
    } as const
    const { text } = await written(
      { kind: 'table', table },
      batchesOf(namespaces.map((object) => itemOf(canonicalOf(kind, object)))),
    )
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '9', continue: '' },
      columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Age' }],
      rows: [
        { cells: ['a', '', '<unknown>'], object: null },
        { cells: ['b', 'P', '<unknown>'], object: null },
      ],
    })
    expect(text.endsWith(']}\n')).toBe(true)
  })

  it('comes in bundles of some size, and copies no item', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => pod(`p${i}`, { spec: { filling: 'x'.repeat(1000) } }))
    const list = { form: { kind: 'objects', type: PODS }, metadata: COMPLETE, items: batchesOf(items) } as const
    const bundles: (readonly Buffer[])[] = []
    for await (const bundle of writeJsonList(list, { pretty: false })) bundles.push(bundle)
    const text = Buffer.concat(bundles.flat()).toString()
    expect((JSON.parse(text) as { items: readonly unknown[] }).items).toHaveLength(1000)
    expect(bundles.length).toBeLessThan(25)
    const memory = new Set(bundles.flat().map(({ buffer }) => buffer))
    expect(items.every(({ bytes }) => memory.has(bytes.buffer))).toBe(true)
  })

  it('reads no further than it is read', async () => {
    let served = 0
    async function* endless(): AsyncGenerator<readonly ListItem[]> {
      for (;;) {
        served++
        yield [pod(`p${served}`, { spec: { filling: 'x'.repeat(1000) } })]
      }
    }
    const pieces = writeJsonList(
      { form: { kind: 'objects', type: PODS }, metadata: COMPLETE, items: endless() },
      { pretty: false },
    )
    await pieces.next()
    expect(served).toBeLessThan(80)
    await pieces.return(undefined)
  })

  it('lets faults of the items through', async () => {
    async function* faulty(): AsyncGenerator<readonly ListItem[]> {
      yield [pod('a')]
      throw new Error('gone')
    }
    await expect(written(PODS, faulty())).rejects.toThrow('gone')
  })

  it('is pretty where asked, without a last line end', async () => {
    const { text } = await written(PODS, batchesOf([pod('a'), pod('b', { spec: { l: [], m: {}, t: 'a,{"' } })]), {
      pretty: true,
    })
    expect(text).toBe(JSON.stringify(JSON.parse(text), undefined, 2))
    expect((await written(PODS, batchesOf(), { pretty: true })).text).toContain('"items": []\n}')
  })
})

describe('a list in protobuf', () => {
  const schemas = loadBuiltInSchema()
  const transcoder = new Transcoder()
  const tools = { schemas, transcoder }
  const metadata: ListMetadata = { resourceVersion: '9', continue: 'x', remainingItemCount: 3 }

  async function bytesOf(form: ListForm, items: readonly ListItem[], heldBytes?: number): Promise<Buffer> {
    const list = { form, metadata, items: batchesOf(items) }
    const pieces: Buffer[] = []
    for await (const piece of writeProtobufList(list, {
      ...tools,
      ...(heldBytes === undefined ? {} : { heldBytes }),
    })) {
      pieces.push(Buffer.from(piece))
    }
    return Buffer.concat(pieces)
  }

  function encoded(object: ValueMap & { kind: string }, kind: string, version = { group: '', version: 'v1' }): Buffer {
    const schema = schemas.kind({ ...version, kind })
    if (schema === undefined) throw new Error(`no ${kind}`)
    return encodeProtobuf(schema, object)
  }

  const pods = Array.from({ length: 300 }, (_, i) =>
    pod(`p${i}`, { spec: { containers: [{ name: 'c', image: 'i'.repeat(i) }] } }),
  )

  it.each([
    ['held until it can be sent', undefined],
    ['encoded twice beyond what may be held', 10_000],
    ['encoded twice from the start', 0],
  ])('is the encoding of the whole, %s', async (_name, heldBytes) => {
    const whole = { kind: 'PodList', apiVersion: 'v1', metadata: listMeta(), items: pods.map((item) => item.object()) }
    const bytes = await bytesOf({ kind: 'objects', type: PODS }, pods, heldBytes)
    expect(bytes.equals(encoded(whole, 'PodList'))).toBe(true)
  })

  it.each([
    ['by all', () => true],
    ['by some', (at: number) => at % 3 === 0],
    ['by the last', (at: number) => at > 200],
  ])('is the same where lengths are remembered %s', async (_name, remembers) => {
    const form = { kind: 'objects', type: PODS } as const
    const long = pod('long', { spec: { containers: [{ name: 'c', image: 'i'.repeat(200_000) }] } })
    const items = [...pods, long, ...pods].map((item, at): ListItem => {
      const plain = { bytes: item.bytes, object: () => item.object() }
      return remembers(at) ? { ...plain, measured: undefined } : plain
    })
    const first = await bytesOf(form, items)
    expect(items.every((item, at) => (item.measured !== undefined) === remembers(at))).toBe(true)
    expect((await bytesOf(form, items)).equals(first)).toBe(true)
    expect((await bytesOf(form, items.toReversed())).length).toBe(first.length)
  })

  it('may be empty', async () => {
    const whole = { kind: 'PodList', apiVersion: 'v1', metadata: listMeta(), items: [] }
    expect((await bytesOf({ kind: 'objects', type: PODS }, [])).equals(encoded(whole, 'PodList'))).toBe(true)
  })

  it('of metadata says the brand and version asked for', async () => {
    const apiVersion = 'meta.svc.io/v1beta1'
    const items = pods.map((item) => ({ metadata: item.object()['metadata'] ?? null }))
    const whole = { kind: 'PartialObjectMetadataList', apiVersion, metadata: listMeta(), items }
    const bytes = await bytesOf({ kind: 'metadata', apiVersion }, pods)
    const expected = encoded(whole, 'PartialObjectMetadataList', { group: 'meta.k8s.io', version: 'v1' })
    expect(bytes.equals(expected)).toBe(true)
  })

  it('as a table is JSON in an envelope (R-225, D10)', async () => {
    const kind = { group: '', kind: 'Pod' }
    const shape = columnsOf(kind)
    const items = pods.slice(0, 2).map((item) => itemOf(canonicalOf(kind, item.object())))
    const table = { shape, apiVersion: 'meta.k8s.io/v1', include: 'None', now: 0 } as const
    const envelope = decodeProtobuf(await bytesOf({ kind: 'table', table }, items))
    expect(envelope).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', contentType: 'application/json' })
    expect(JSON.parse(envelope.raw.toString())).toMatchObject({ kind: 'Table', metadata: listMeta(), rows: [{}, {}] })
  })

  function listMeta(): ValueMap {
    return { resourceVersion: '9', continue: 'x', remainingItemCount: 3 }
  }
})

describe('a list in the other encodings', () => {
  const tools = { schemas: loadBuiltInSchema(), transcoder: new Transcoder() }
  const metadata: ListMetadata = { resourceVersion: '9', continue: '', remainingItemCount: undefined }
  const table = {
    shape: columnsOf({ group: '', kind: 'Secret' }),
    apiVersion: 'meta.k8s.io/v1',
    include: 'None',
    now: 0,
  } as const
  const SECRETS: ListType = { apiVersion: 'v1', kind: 'SecretList', itemKind: 'Secret', custom: false }
  const secret = (name: string) =>
    itemOf({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name, annotations: { text: `${'long words '.repeat(20)}\nand lines` } },
      data: { k: 'dmFsdWU=' },
      type: 'Opaque',
    })
  const FORMS: readonly (readonly [string, ListForm, string])[] = [
    ['objects', { kind: 'objects', type: SECRETS }, 'items'],
    ['custom objects', { kind: 'objects', type: WIDGETS }, 'items'],
    ['metadata', { kind: 'metadata', apiVersion: 'meta.k8s.io/v1' }, 'items'],
    ['a table', { kind: 'table', table }, 'rows'],
  ]

  async function bytesOf(
    form: ListForm,
    items: readonly ListItem[],
    encoding: 'json' | 'yaml' | 'cbor',
  ): Promise<Buffer> {
    const pieces: Buffer[] = []
    const list = { form, metadata, items: batchesOf(items) }
    for await (const piece of writeList(list, { encoding, pretty: false }, tools)) pieces.push(...[piece].flat())
    return Buffer.concat(pieces)
  }

  const cases = FORMS.flatMap(([name, form, key]) =>
    [[], [secret('a')], [secret('a'), secret('b')]].map((items) => [items.length, name, form, key, items] as const),
  )

  it.each(cases)('%d items as %s in YAML are the YAML of the whole', async (_count, _name, form, _key, items) => {
    const value = JSON.parse((await bytesOf(form, items, 'json')).toString()) as Value
    expect((await bytesOf(form, items, 'yaml')).toString()).toBe(emitYaml(value))
  })

  it.each(cases)('%d items as %s in CBOR say the same as in JSON', async (_count, _name, form, key, items) => {
    const value = JSON.parse((await bytesOf(form, items, 'json')).toString()) as Value
    const decoded = parseCbor(await bytesOf(form, items, 'cbor')) as ValueMap
    expect(decoded).toEqual(value)
    expect(decoded[key]).toHaveLength(items.length)
  })

  it.each(cases)('%d items as %s in CBOR are the bytes of the whole', async (_count, _name, form, _key, items) => {
    const value = JSON.parse((await bytesOf(form, items, 'json')).toString()) as ValueMap
    const isTyped = form.kind === 'metadata' || (form.kind === 'objects' && !form.type.custom)
    const whole = isTyped ? encodeCbor(value, listKindOf(form, tools.schemas)) : encodeCborValue(value)
    expect(await bytesOf(form, items, 'cbor')).toEqual(whole)
  })

  it('of many items are written in turns, the same', async () => {
    const many = Array.from({ length: 500 }, (_, i) => secret(`s${i}`))
    const form: ListForm = { kind: 'objects', type: SECRETS }
    for (const encoding of ['yaml', 'cbor'] as const) {
      const pieces: Buffer[] = []
      const list = { form, metadata, items: batchesOf(many) }
      const inTurns = writeList(list, { encoding, pretty: false }, { ...tools, turns: new Turns() })
      for await (const piece of inTurns) pieces.push(...[piece].flat())
      expect(Buffer.concat(pieces).equals(await bytesOf(form, many, encoding))).toBe(true)
    }
  })

  const large = Array.from({ length: 3 }, (_, i) => {
    const data = Object.fromEntries(Array.from({ length: 5000 }, (__, at) => [`k${at}`, 'dmFsdWU=']))
    return itemOf({ kind: 'Secret', apiVersion: 'v1', metadata: { name: `large${i}` }, data, type: 'Opaque' })
  })

  it.each(['json', 'yaml', 'cbor', 'protobuf'] as const)(
    'of large items in %s takes another turn before each but the first',
    async (encoding) => {
      const turns = { isOver: true, taken: 0, next: async () => void turns.taken++ }
      for (const [name, form] of FORMS) {
        if (encoding === 'protobuf' && name === 'custom objects') continue
        turns.taken = 0
        const list = { form, metadata, items: batchesOf(large) }
        const more = { ...tools, turns: turns as unknown as Turns }
        for await (const _ of writeList(list, { encoding, pretty: false }, more));
        expect(turns.taken).toBe(large.length - 1)
      }
    },
  )

  it.each(['yaml', 'cbor', 'protobuf'] as const)('of large items in %s is the same from a thread', async (encoding) => {
    for (const [name, form] of FORMS) {
      if (encoding === 'protobuf' && name !== 'objects') continue
      let sent = 0
      const writeElsewhere: WriteElsewhere = async (json, other) => {
        sent++
        return Buffer.from(writeOtherForm(tools, json, structuredClone(other)))
      }
      const write = async (more: Partial<EncodingTools>): Promise<Buffer> => {
        const pieces: Buffer[] = []
        const list = { form, metadata, items: batchesOf(large) }
        for await (const piece of writeList(list, { encoding, pretty: false }, { ...tools, ...more })) {
          pieces.push(...[piece].flat().map((bytes) => Buffer.from(bytes)))
        }
        return Buffer.concat(pieces)
      }
      expect((await write({ writeElsewhere })).equals(await write({}))).toBe(true)
      expect(sent).toBe(form.kind === 'objects' ? large.length : 0)
    }
  })
})
