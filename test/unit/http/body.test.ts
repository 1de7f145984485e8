import { describe, expect, it } from 'vitest'
import { BoundedBody, MAX_BODY_BYTES } from '../../../src/http/body.ts'
import type { BodyListener, WireRequest } from '../../../src/wire/request-response.ts'

function wireRequest(pieces: readonly Buffer[], headers: WireRequest['headers'] = {}): WireRequest {
  const listen = ({ onData, onEnd }: BodyListener): void => {
    for (const piece of pieces) onData(piece)
    onEnd()
  }
  return { method: 'POST', target: '/', headers, rawHeaders: [], body: { listen, mute: () => {} } }
}

describe('a body', () => {
  it('is read whole, and said to be so long', async () => {
    const seen: Buffer[] = []
    const signal = new AbortController().signal
    const body = new BoundedBody(wireRequest([Buffer.from('ab'), Buffer.from('c')]), { signal, resume: () => {} })
    body.onRead = (bytes) => void seen.push(bytes)
    expect((await body.read()).toString()).toBe('abc')
    expect(body.length).toBe(3)
    expect(seen.map(String)).toEqual(['abc'])
  })

  it.each([
    ['as announced', wireRequest([], { 'content-length': `${MAX_BODY_BYTES + 1}` })],
    ['as it came', wireRequest([Buffer.alloc(MAX_BODY_BYTES), Buffer.alloc(1)])],
  ])('is refused where it is too long: %s', async (_name, request) => {
    const body = new BoundedBody(request, { signal: new AbortController().signal, resume: () => {} })
    await expect(body.read()).rejects.toMatchObject({ reason: 'RequestEntityTooLarge' })
  })
})
