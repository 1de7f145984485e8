// Calls that get no answer, from members that are alive. The time limit of a call is far off in all of these tests: a call that waits
// for it fails its test.
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openEtcd } from '../../../../src/kv/etcd/etcd.ts'
import { type Kv, type WriteResult, removeKey } from '../../../../src/kv/kv.ts'
import { framed } from '../../../fakes/grpc-peer.ts'

let stop = new AbortController()
const opened: AsyncDisposable[] = []
afterEach(async () => {
  stop.abort()
  stop = new AbortController()
  for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

const NO_LEADER = 'etcdserver: no leader'

class Member implements AsyncDisposable {
  readonly #server = createServer()
  readonly transactions: ServerHttp2Stream[] = []
  term = 7
  /** Reads are refused with this text. */
  refusal: string | undefined
  answersWrites = true

  static async start(): Promise<Member> {
    const member = new Member()
    member.#server.on('stream', (stream, headers) => member.#take(stream, String(headers[':path'])))
    await new Promise<void>((resolve) => member.#server.listen(0, '127.0.0.1', resolve))
    opened.push(member)
    return member
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Says that the write was done, in the revision 5. */
  confirm(stream: ServerHttp2Stream): void {
    this.#answer(stream, [0x10, 1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.transactions) stream.close()
    this.#server.close()
  }

  #take(stream: ServerHttp2Stream, path: string): void {
    stream.on('error', () => undefined)
    if (path.endsWith('/Txn')) {
      this.transactions.push(stream)
      if (this.answersWrites) this.confirm(stream)
    } else if (this.refusal !== undefined && path.endsWith('/Range')) {
      stream.respond({ 'grpc-status': '14', 'grpc-message': this.refusal }, { endStream: true })
    } else this.#answer(stream, [])
  }

  #answer(stream: ServerHttp2Stream, rest: readonly number[]): void {
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(framed(Buffer.of(0x0a, 4, 0x18, 5, 0x20, this.term, ...rest)))
  }
}

async function open(...members: readonly Member[]): Promise<Kv> {
  const endpoints = members.map(({ url }) => url)
  const limits = { attemptTimeoutMs: 600_000, callTimeoutMs: 600_000 }
  const kv = await openEtcd({ endpoints, prefix: '/registry/', ...limits }, stop.signal)
  opened.push({ [Symbol.asyncDispose]: () => kv.close() })
  return kv
}

function change(kv: Kv): Promise<WriteResult> {
  return removeKey(kv, { key: '/registry/a', expected: 3 }, stop.signal)
}

describe('a write without an answer', () => {
  it('is sent to another member when its own member has a new leader', async () => {
    const [first, second] = [await Member.start(), await Member.start()]
    const kv = await open(first, second)
    first.answersWrites = false
    const changing = change(kv)
    await expect.poll(() => first.transactions.length).toBe(1)
    first.term = 8
    expect(await changing).toEqual({ ok: true, revision: 5 })
    expect(second.transactions).toHaveLength(1)
  })

  it('is sent to another member when its own member has lost the others', async () => {
    const [first, second] = [await Member.start(), await Member.start()]
    const kv = await open(first, second)
    first.answersWrites = false
    first.refusal = NO_LEADER
    expect(await change(kv)).toEqual({ ok: true, revision: 5 })
    expect([first.transactions.length, second.transactions.length]).toEqual([1, 1])
  })

  it('is waited for through an election that its own member comes out of, if its answer comes', async () => {
    const [first, second] = [await Member.start(), await Member.start()]
    const kv = await open(first, second)
    first.answersWrites = false
    first.refusal = NO_LEADER
    const changing = change(kv)
    setTimeout(() => first.confirm(first.transactions[0]!), 2_000)
    expect(await changing).toEqual({ ok: true, revision: 5 })
    expect([first.transactions.length, second.transactions.length]).toEqual([1, 0])
  })

  it.each([undefined, 'etcdserver: too many requests'])(
    'is waited for while the leader is the same and etcd is slow (reads: %s)',
    async (refusal) => {
      const [first, second] = [await Member.start(), await Member.start()]
      const kv = await open(first, second)
      first.answersWrites = false
      first.refusal = refusal
      const changing = change(kv)
      setTimeout(() => first.confirm(first.transactions[0]!), 4_500)
      expect(await changing).toEqual({ ok: true, revision: 5 })
      expect([first.transactions.length, second.transactions.length]).toEqual([1, 0])
    },
  )
})
