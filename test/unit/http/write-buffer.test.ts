import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WriteBuffer } from '../../../src/http/write-buffer.ts'

/** Sends what it was given late: bytes that are changed before `done` are seen. */
class LateSink {
  readonly buffers = new Set<ArrayBufferLike>()
  writes = 0
  readonly #waiting: { readonly piece: Buffer; readonly done: () => void }[] = []
  readonly #sent: Buffer[] = []

  write(piece: Buffer, done: () => void): boolean {
    this.writes++
    this.buffers.add(piece.buffer)
    this.#waiting.push({ piece, done })
    return this.#waiting.length < 2
  }

  drained(): Promise<void> {
    for (const { piece, done } of this.#waiting.splice(0)) {
      this.#sent.push(Buffer.from(piece))
      done()
    }
    return Promise.resolve()
  }

  async all(): Promise<Buffer> {
    await this.drained()
    return Buffer.concat(this.#sent)
  }
}

describe('gathering pieces', () => {
  it('changes nothing, whatever their sizes', async () => {
    const sizes = fc.array(fc.oneof(fc.nat(2_000), fc.integer({ min: 100_000, max: 300_000 })), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(sizes, async (all) => {
        const pieces = all.map((size, i) => Buffer.alloc(size, i + 1))
        const sink = new LateSink()
        const gathering = new WriteBuffer((piece, done) => sink.write(piece, done))
        for (const piece of pieces) if (!gathering.add(piece)) await sink.drained()
        gathering.flush()
        expect((await sink.all()).equals(Buffer.concat(pieces))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  it('uses a few buffers again and again', async () => {
    const sink = new LateSink()
    const gathering = new WriteBuffer((piece, done) => sink.write(piece, done))
    for (let i = 0; i < 20_000; i++) if (!gathering.add(Buffer.alloc(1000, i))) await sink.drained()
    gathering.flush()
    expect(sink.writes).toBeGreaterThan(150)
    expect(sink.writes).toBeLessThan(160)
    expect(sink.buffers.size).toBeLessThanOrEqual(3)
  })
})
