import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { LoginCodes } from '../../../src/console/login-codes.ts'
import { seal } from '../../../src/console/sealed.ts'
import type { SessionId } from '../../../src/console/sessions.ts'
import type { HttpRequest } from '../../../src/http/http.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()
const USER = { name: 'jane', uid: '', groups: [], extra: {} }

function codesWith(clock = new ManualClock(), key = randomBytes(32)): LoginCodes {
  const known = new Set<string>()
  const ended = {
    has: async ({ id }: SessionId) => known.has(id),
    add: async ({ id }: SessionId) => known.size < known.add(id).size,
  }
  return new LoginCodes({ key: { find: async () => key, make: async () => key }, ended, clock })
}

function requestAt(host: string, isLoopback = true): HttpRequest {
  return { host, remote: { isLoopback }, signal } as unknown as HttpRequest
}

const HERE = requestAt('127.0.0.1:6443')

it('a code stands for its token once', async () => {
  const codes = codesWith()
  const { code } = await codes.make(HERE, USER, 'secret')
  expect(Buffer.from(code, 'base64url').toString('latin1')).not.toContain('secret')
  const opened = await codes.open(HERE, code)
  expect(opened.token).toBe('secret')
  await codes.use(opened, signal)
  await expect(codes.use(await codes.open(HERE, code), signal)).rejects.toThrow('the code was used')
})

it('a code is valid for two minutes', async () => {
  const clock = new ManualClock()
  const codes = codesWith(clock)
  const { code, validSeconds } = await codes.make(HERE, USER, 'secret')
  expect(validSeconds).toBe(120)
  clock.advance(119_999)
  expect(await codes.open(HERE, code)).toMatchObject({ token: 'secret' })
  clock.advance(1)
  await expect(codes.open(HERE, code)).rejects.toThrow('too old')
})

it.each([
  ['another machine', requestAt('127.0.0.1:6443', false)],
  ['a proxy on this machine, for another host', requestAt('api.example.com')],
  ['a name that begins like a loopback address', requestAt('127.0.0.1.example.com:6443')],
  ['no host', requestAt('')],
])('a code is neither made nor used through %s', async (_title, request) => {
  const codes = codesWith()
  const { code } = await codes.make(HERE, USER, 'secret')
  await expect(codes.make(request, USER, 'secret')).rejects.toThrow('only for browsers on the machine of the server')
  await expect(codes.open(request, code)).rejects.toThrow('only for browsers on the machine of the server')
})

it('a code is valid at the address that it was made for alone', async () => {
  const codes = codesWith()
  for (const host of ['localhost:6443', '[::1]:6443', '127.0.0.1:6444']) {
    const { code } = await codes.make(requestAt(host), USER, 'secret')
    expect(await codes.open(requestAt(host), code)).toMatchObject({ token: 'secret' })
    await expect(codes.open(HERE, code)).rejects.toThrow('for another server')
  }
})

it('only the server can make a code, and the cookie of a session is none', async () => {
  const key = randomBytes(32)
  const { code } = await codesWith(undefined, key).make(HERE, USER, 'secret')
  const cookie = seal(key, '__Secure-quarterdeck', JSON.stringify({ token: 'secret' }))
  const forged = [code.slice(0, -1), `${code.slice(0, -5)}AAAAA`, '', 'A'.repeat(200), cookie]
  for (const other of forged) await expect(codesWith(undefined, key).open(HERE, other)).rejects.toThrow('the code')
  await expect(codesWith().open(HERE, code)).rejects.toThrow('the code')
})
