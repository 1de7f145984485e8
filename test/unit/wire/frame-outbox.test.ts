import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameOutbox, OutboxBuffers } from '../../../src/wire/frame-outbox.ts'
import { DEFAULT_FRAME_BYTES, HEAD_BYTES } from '../../../src/wire/http2-frames.ts'

/** Keeps what is written; `letGo` says that it is on its way. */
class HeldSocket extends Writable {
  readonly writes: Buffer[] = []
  letGo: () => void = () => {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.writes.push(Buffer.from(chunk))
    this.letGo = done
  }
}

const frameOf = (length: number, fill: number) => ({
  type: 0,
  flags: 0,
  stream: 1,
  content: Buffer.alloc(length, fill),
})

it('frames of one turn are one write, in their order, whatever their sizes', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: DEFAULT_FRAME_BYTES }), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(lengths, async (given) => {
      const socket = new HeldSocket()
      const outbox = new FrameOutbox({ socket, buffers: new OutboxBuffers() })
      for (const [i, length] of given.entries()) outbox.add(frameOf(length, i))
      const all = given.reduce((sum, length) => sum + HEAD_BYTES + length, 0)
      expect(outbox.waitingBytes).toBe(all)
      while (outbox.waitingBytes > 0) {
        await setImmediate()
        socket.letGo()
      }
      const sent = Buffer.concat(socket.writes)
      expect(sent).toHaveLength(all)
      let at = 0
      for (const [i, length] of given.entries()) {
        expect(sent.readUIntBE(at, 3)).toBe(length)
        expect(sent.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length).every((byte) => byte === i)).toBe(true)
        at += HEAD_BYTES + length
      }
      // Each but the last is so full that one more frame might not have fitted.
      for (const write of socket.writes.slice(0, -1)) expect(write.length).toBeGreaterThan(7 * DEFAULT_FRAME_BYTES)
    }),
    { numRuns: 50 },
  )
})

it('an event for a thousand connections at once takes the memory of an event for each', async () => {
  const buffers = new OutboxBuffers()
  const sockets = Array.from({ length: 1000 }, () => new HeldSocket())
  const outboxes = sockets.map((socket) => new FrameOutbox({ socket, buffers }))
  const tell = async (): Promise<void> => {
    for (const outbox of outboxes) outbox.add(frameOf(1000, 1))
    await setImmediate()
  }
  const before = process.memoryUsage().arrayBuffers
  await tell()
  const held = process.memoryUsage().arrayBuffers - before
  expect(held).toBeLessThan(16 * 1024 * 1024)
  for (const socket of sockets) socket.letGo()
  // Those that are free again are used again.
  await tell()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(held + 8 * 1024 * 1024)
  for (const socket of sockets) expect(socket.writes.map(({ length }) => length)).toEqual([1009, 1009])
})
