// A list of 10,000 pods of 4 KB from stored bytes to a socket, beside stringifying the same objects in the same run. The other
// end of the socket is another process that throws away what it reads.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ApiObject } from '../../src/api/object.ts'
import type { ListForm, ListItem } from '../../src/codec/list-json.ts'
import { writeProtobufList } from '../../src/codec/list-protobuf.ts'
import { writeJsonList } from '../../src/codec/list-json.ts'
import { columnsOf } from '../corpora/kind-of.ts'
import { Transcoder } from '../../src/codec/transcode.ts'
import { type BufferedWrite, WriteBuffer } from '../../src/http/write-buffer.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import { podOf } from './sample-pod.ts'

const PODS = 10_000
const ROUNDS = 7
/** The quick ones go on for as long as the slow ones take: a busy machine has quiet moments, and all shall meet some. */
const TURN_MILLISECONDS = 250
const TYPE = { apiVersion: 'v1', kind: 'PodList', itemKind: 'Pod', custom: false }
const METADATA = { resourceVersion: '123456', continue: '', remainingItemCount: undefined }

type Case = readonly [name: string, pieces: () => AsyncIterable<Buffer | readonly Buffer[]>]

export async function bench(): Promise<void> {
  const objects = Array.from({ length: PODS }, (_, i) => podOf(i))
  const items = objects.map(itemOf)
  const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0)
  console.log(`list: ${PODS} pods, ${(bytes / 1e6).toFixed(1)} MB of stored JSON, best of ${ROUNDS} rounds`)
  const form: ListForm = { kind: 'objects', type: TYPE }
  const tools = { schemas: loadBuiltInSchema(), transcoder: new Transcoder() }
  const table = {
    shape: columnsOf({ group: '', kind: 'Pod' }),
    apiVersion: 'meta.k8s.io/v1',
    include: 'Metadata',
  } as const
  const cases: readonly Case[] = [
    ['JSON.stringify', () => stringified(objects)],
    ['stored JSON', () => writeJsonList(documentOf(form, items), { pretty: false })],
    ['protobuf', () => writeProtobufList(documentOf(form, items), tools)],
    ['stored JSON, pretty', () => writeJsonList(documentOf(form, items), { pretty: true })],
    [
      'metadata only',
      () => writeJsonList(documentOf({ kind: 'metadata', apiVersion: 'meta.k8s.io/v1' }, items), { pretty: false }),
    ],
    [
      'table',
      () =>
        writeJsonList(documentOf({ kind: 'table', table: { ...table, now: Date.now() } }, items), { pretty: false }),
    ],
  ]
  const best = await bestOf(cases)
  const baseline = best.get('JSON.stringify')
  for (const [name, { wall, processor }] of best) {
    // In megabytes of stored JSON, whatever comes out of it, so that the cases compare.
    const speed = (bytes / 1000 / wall).toFixed(0)
    const ratios = baseline === undefined ? [] : [baseline.wall / wall, baseline.processor / processor]
    const [faster = '', cheaper = ''] = ratios.map((ratio) => ratio.toFixed(1).padStart(6))
    const figures = [wall, processor].map((milliseconds) => milliseconds.toFixed(1).padStart(8))
    console.log(
      `${name.padEnd(22)} ${speed.padStart(6)} MB/s ${figures[0]} ms ${faster} x  processor ${figures[1]} ms ${cheaper} x`,
    )
  }
}

function itemOf(object: ApiObject): ListItem {
  const bytes = Buffer.from(JSON.stringify(object))
  return { bytes, object: () => JSON.parse(bytes.toString()) as ApiObject }
}

function documentOf(form: ListForm, items: readonly ListItem[]) {
  return { form, metadata: METADATA, items: batchesOf(items) }
}

async function* batchesOf(items: readonly ListItem[]): AsyncGenerator<readonly ListItem[]> {
  for (let i = 0; i < items.length; i += 500) yield items.slice(i, i + 500)
}

/** What a server does that holds objects: one call, one buffer. */
async function* stringified(objects: readonly ApiObject[]): AsyncGenerator<Buffer> {
  yield Buffer.from(
    JSON.stringify({ kind: TYPE.kind, apiVersion: TYPE.apiVersion, metadata: METADATA, items: objects }),
  )
}

/** In milliseconds. Processor time is the steadier figure on a shared machine. */
interface Times {
  readonly wall: number
  readonly processor: number
}

/** The shortest times of each case, the cases taking turns: a busy moment of the machine meets all of them. */
async function bestOf(cases: readonly Case[]): Promise<ReadonlyMap<string, Times>> {
  await using sink = openSink()
  const best = new Map<string, Times>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, pieces] of cases) {
      for (const end = performance.now() + TURN_MILLISECONDS; performance.now() < end; ) {
        const start = performance.now()
        const before = process.cpuUsage()
        const gathering = new WriteBuffer(sink.write)
        for await (const piece of pieces()) {
          for (const part of [piece].flat()) if (!gathering.add(part)) await sink.drained()
        }
        if (!gathering.flush()) await sink.drained()
        const { user, system } = process.cpuUsage(before)
        const { wall, processor } = best.get(name) ?? NEVER
        best.set(name, {
          wall: Math.min(wall, performance.now() - start),
          processor: Math.min(processor, (user + system) / 1000),
        })
      }
    }
  }
  return best
}

const NEVER: Times = { wall: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY }

interface Sink extends AsyncDisposable {
  readonly write: BufferedWrite
  drained(): Promise<void>
}

function openSink(): Sink {
  const reader = spawn('sh', ['-c', 'exec cat > /dev/null'], { stdio: ['pipe', 'ignore', 'inherit'] })
  return {
    write: (piece, done) => reader.stdin.write(piece, done),
    drained: async () => void (await once(reader.stdin, 'drain')),
    async [Symbol.asyncDispose]() {
      reader.stdin.end()
      await once(reader, 'exit')
    },
  }
}

if (import.meta.main) await bench()
