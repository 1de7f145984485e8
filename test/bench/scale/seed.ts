// Many objects in a moment: what a server has stored of one sample, written straight to its etcd under other names. The texts that differ have
// the same length in all of them, so that it makes no difference whether the server stores JSON or protobuf.
import { Cluster } from '../../../src/kv/etcd/cluster.ts'
import { COMPACT, RANGE, TXN } from '../../../src/kv/gen/rpc.ts'

/** etcd takes no more operations in a transaction unless it is told to. */
const PUTS_IN_ONE = 100
const AT_ONCE = 8
const LIMIT_MS = 120_000

export interface Sample {
  /** The key of the sample in etcd. */
  readonly key: string
  /** The texts of the sample that are others in each object, in the key as in the value, and what they are in the nth. */
  readonly texts: readonly Variant[]
}

export interface Variant {
  readonly text: string
  readonly of: (index: number) => string
}

interface Spot {
  readonly at: number
  readonly of: (index: number) => string
}

/** Writes the objects from `from` up to `to`; the server had better not be running, since it would be told of each. */
export async function seed(endpoint: string, sample: Sample, from: number, to: number): Promise<void> {
  const cluster = new Cluster({ endpoints: [endpoint], prefix: '/' })
  const call = () => ({
    attemptMs: LIMIT_MS,
    deadline: performance.now() + LIMIT_MS,
    signal: new AbortController().signal,
  })
  try {
    const { kvs } = await cluster.call(RANGE, { key: sample.key }, call())
    if (kvs[0] === undefined) throw new Error(`nothing is stored under ${sample.key}`)
    const value = Buffer.from(kvs[0].value)
    const inKey = spotsOf(Buffer.from(sample.key), sample.texts)
    const inValue = spotsOf(value, sample.texts)
    let next = from
    const writer = async (): Promise<void> => {
      while (next < to) {
        const first = next
        next = Math.min(to, next + PUTS_IN_ONE)
        const success = Array.from({ length: next - first }, (_, i) => ({
          put: {
            key: made(Buffer.from(sample.key), inKey, first + i).toString(),
            value: made(Buffer.from(value), inValue, first + i),
          },
        }))
        await cluster.call(TXN, { success }, call())
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, writer))
    // As in a cluster at rest: all servers of this API compact their storage every five minutes.
    const { header } = await cluster.call(RANGE, { key: sample.key }, call())
    await cluster.call(COMPACT, { revision: header.revision }, call())
  } finally {
    cluster.close()
  }
}

function spotsOf(bytes: Buffer, texts: readonly Variant[]): readonly Spot[] {
  return texts.flatMap(({ text, of }) => {
    if (of(0).length !== text.length) throw new Error(`${of(0)} is not as long as ${text}`)
    const spots: Spot[] = []
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) spots.push({ at, of })
    return spots
  })
}

function made(bytes: Buffer, spots: readonly Spot[], index: number): Buffer {
  for (const { at, of } of spots) bytes.write(of(index), at, 'latin1')
  return bytes
}

/** Digits of one length, so that texts have one too. */
export function digits(index: number, count: number): string {
  return String(index).padStart(count, '0')
}
