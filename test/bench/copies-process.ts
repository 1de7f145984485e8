// One of the processes that `copies.ts` measures.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, open } from 'lmdb'
import { SlabAllocator, type SlabItem } from '../../src/cache/slab.ts'
import { podOf } from './sample-pod.ts'

/** Where the bytes are: in buffers of each process, or in a mapped file. */
export type Way = 'each' | 'one'

export interface CopiesOrder {
  readonly way: Way
  readonly role: 'writer' | 'follower'
  readonly count: number
  readonly followers: number
  readonly folder: string
}

export interface CopiesReport {
  /** What several processes have in common is divided among them. */
  readonly megabytes: number
  readonly readMicroseconds: number
  readonly changeMicroseconds: number
}

const READS = 200_000
const CHANGES = 20_000
/** As many as come together under load. */
const AT_ONCE = 16
/** Index and revision, then the length of the bytes that follow, or zero. */
const HEAD_BYTES = 12
/** What is old may be read for a while; then it is taken away. */
const KEPT_REVISIONS = 1000
const SETTLE_MS = 5000

type Table = Database<Buffer, number>

/** Everything by index. */
interface Objects {
  add(index: number, revision: number, bytes: Buffer): void
  /** Writes it at the beginning of the target and returns its length. */
  read(index: number, target: Buffer): number
  /** Bytes that followers are to be sent. */
  readonly sendsBytes: boolean
  /** Resolves when others can read what was added. */
  visible(): Promise<unknown>
}

class OwnCopies implements Objects {
  readonly sendsBytes = true
  readonly #slabs = new SlabAllocator()
  readonly #items: SlabItem[] = []

  add(index: number, revision: number, bytes: Buffer): void {
    const { slab, offset } = this.#slabs.reserve(bytes.length)
    bytes.copy(slab.buffer, offset)
    const item: SlabItem = { slab, offset, length: bytes.length, isCurrent: true }
    const old = this.#items[index]
    this.#items[index] = item
    this.#slabs.settle(item)
    if (old === undefined) return
    this.#slabs.retire(old, revision)
    this.#slabs.compact(revision)
  }

  read(index: number, target: Buffer): number {
    const { slab, offset, length } = this.#items[index]!
    return slab.buffer.copy(target, 0, offset, offset + length)
  }

  visible(): Promise<void> {
    return Promise.resolve()
  }
}

class MappedFile implements Objects {
  readonly sendsBytes = false
  readonly #table: Table
  readonly #isWriter: boolean
  readonly #revisions: number[] = []
  readonly #old: number[] = []

  constructor(folder: string, isWriter: boolean) {
    this.#isWriter = isWriter
    this.#table = open({
      path: path.join(folder, 'objects.mdb'),
      encoding: 'binary',
      keyEncoding: 'uint32',
      noSync: true,
      mapSize: 8 * 1024 ** 3,
      readOnly: !isWriter,
    })
  }

  add(index: number, revision: number, bytes: Buffer): void {
    const old = this.#revisions[index]
    this.#revisions[index] = revision
    if (!this.#isWriter) return
    void this.#table.put(revision, bytes)
    if (old === undefined) return
    this.#old.push(old)
    if (this.#old.length > KEPT_REVISIONS) void this.#table.remove(this.#old.shift()!)
  }

  read(index: number, target: Buffer): number {
    const bytes = this.#table.getBinaryFast(this.#revisions[index]!)!
    return bytes.copy(target, 0, 0, bytes.length)
  }

  visible(): Promise<unknown> {
    return this.#table.committed
  }
}

const order = JSON.parse(process.argv[2]!) as CopiesOrder
const objects: Objects = order.way === 'each' ? new OwnCopies() : new MappedFile(order.folder, order.role === 'writer')
const socketPath = path.join(order.folder, 'changes.sock')
if (order.role === 'writer') await write()
else await follow()

async function write(): Promise<void> {
  const sockets: Socket[] = []
  const { promise: allThere, resolve } = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.push(socket)
    if (sockets.length === order.followers) resolve()
  })
  await new Promise<void>((done) => void server.listen(socketPath, done))
  process.send!('listening')
  await allThere
  let revision = 1
  const send = async (indexes: readonly number[]): Promise<void> => {
    const parts: Buffer[] = []
    for (const index of indexes) {
      const bytes = podBytes(index)
      objects.add(index, revision, bytes)
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt32LE(index, 0)
      head.writeUInt32LE(revision++, 4)
      head.writeUInt32LE(objects.sendsBytes ? bytes.length : 0, 8)
      parts.push(head, ...(objects.sendsBytes ? [bytes] : []))
    }
    await objects.visible()
    const message = Buffer.concat(parts)
    await Promise.all(sockets.map((socket) => new Promise((sent) => socket.write(message, sent))))
  }
  for (let at = 0; at < order.count; at += AT_ONCE) await send(indexesFrom(at))
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  const changed = Array.from({ length: CHANGES / AT_ONCE }, (_, i) => indexesFrom((i * 7919 * AT_ONCE) % order.count))
  // Who makes the object and writes it as text is the same in both cases.
  const making = timed(() => changed.forEach((indexes) => indexes.forEach(podBytes)))
  const before = process.cpuUsage()
  for (const indexes of changed) await send(indexes)
  const changeMicroseconds = (spentSince(before) - making) / CHANGES
  for (const socket of sockets) socket.end()
  const readMicroseconds = timedReads()
  process.send!({ megabytes: await settledMegabytes(), readMicroseconds, changeMicroseconds } satisfies CopiesReport)
}

async function follow(): Promise<void> {
  const socket = connect(socketPath)
  let taken = 0
  let before = process.cpuUsage()
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (data.length - at >= HEAD_BYTES) {
      const length = data.readUInt32LE(at + 8)
      if (data.length - at < HEAD_BYTES + length) break
      const bytes = data.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length)
      objects.add(data.readUInt32LE(at), data.readUInt32LE(at + 4), bytes)
      at += HEAD_BYTES + length
      if (++taken === order.count) void settled()
    }
    rest = data.subarray(at)
  })
  const settled = async (): Promise<void> => {
    timedReads()
    await sleep(1000)
    before = process.cpuUsage()
    socket.write('settled')
  }
  await once(socket, 'end')
  const changeMicroseconds = spentSince(before) / (taken - order.count)
  const readMicroseconds = timedReads()
  process.send!({ megabytes: await settledMegabytes(), readMicroseconds, changeMicroseconds } satisfies CopiesReport)
}

function indexesFrom(at: number): readonly number[] {
  return Array.from({ length: Math.min(AT_ONCE, order.count - at) }, (_, i) => at + i)
}

function podBytes(index: number): Buffer {
  return Buffer.from(JSON.stringify(podOf(index)))
}

/** Of any object, into one buffer, as an answer is made. */
function timedReads(): number {
  const target = Buffer.alloc(1 << 20)
  const spent = timed(() => {
    for (let i = 0; i < READS; i++) objects.read((i * 7919) % order.count, target)
  })
  return spent / READS
}

function timed(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return spentSince(before)
}

/** Microseconds of processor time. */
function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Once all processes have read everything: only then are pages of a mapped file counted for each. */
async function settledMegabytes(): Promise<number> {
  await sleep(SETTLE_MS)
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))?.[1]) / 1024
}
