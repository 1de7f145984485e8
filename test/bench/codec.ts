// Reading and writing one realistic pod in each encoding, beside the platform's own JSON in the same run. Reading is all that is
// done with a body: its syntax, its types, its canonical form.
import type { ValueMap } from '../../src/api/value.ts'
import { type Encoding, encodeObject } from '../../src/codec/codec.ts'
import { readDocument } from '../../src/codec/request-body.ts'
import { decodeObject } from '../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import { podOf } from './sample-pod.ts'

const ENCODINGS: readonly Encoding[] = ['json', 'protobuf', 'cbor', 'yaml']
const ROUNDS = 9
const ROUND_MILLISECONDS = 60

export async function bench(): Promise<void> {
  const kind = loadBuiltInSchema().kind({ group: '', version: 'v1', kind: 'Pod' })
  if (kind === undefined) throw new Error('there are no pods')
  const pod = decodeObject(podOf(1), kind.shape).value
  const text = Buffer.from(JSON.stringify(pod))
  const rows: Row[] = [
    {
      name: 'JSON.parse, JSON.stringify',
      bytes: text.length,
      read: () => JSON.parse(text.toString()) as ValueMap,
      write: () => Buffer.from(JSON.stringify(pod)),
    },
    ...ENCODINGS.map((encoding): Row => {
      const encoded = encodeObject(pod, kind, encoding)
      return {
        name: encoding,
        bytes: encoded.length,
        read: () => decodeObject(readDocument(encoded, encoding, kind).source, kind.shape).value,
        write: () => encodeObject(pod, kind, encoding),
      }
    }),
  ]
  const results = rows.map((row) => ({ row, read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY }))
  // In turns, so that a busy moment of the machine does not fall on one of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const result of results) {
      result.read = Math.min(result.read, microsecondsOf(result.row.read))
      result.write = Math.min(result.write, microsecondsOf(result.row.write))
    }
  }
  process.stdout.write(`one pod, processor time, best of ${ROUNDS} rounds\n`)
  for (const { row, read, write } of results) {
    const times = `read ${read.toFixed(1).padStart(7)} µs   write ${write.toFixed(1).padStart(7)} µs`
    process.stdout.write(`${row.name.padEnd(28)} ${String(row.bytes).padStart(6)} bytes   ${times}\n`)
  }
}

interface Row {
  readonly name: string
  readonly bytes: number
  readonly read: () => unknown
  readonly write: () => unknown
}

function microsecondsOf(work: () => unknown): number {
  const end = performance.now() + ROUND_MILLISECONDS
  const before = process.cpuUsage()
  let times = 0
  while (performance.now() < end) {
    for (let i = 0; i < 10; i++) work()
    times += 10
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}
