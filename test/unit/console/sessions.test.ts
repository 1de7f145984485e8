import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { type SessionId, Sessions } from '../../../src/console/sessions.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()
const HOUR_MS = 3_600_000

function sessionsWith(key: Buffer | undefined, clock = new ManualClock()): Sessions {
  const known = new Set<string>()
  const ended = {
    has: async ({ id }: SessionId) => known.has(id),
    add: async ({ id }: SessionId) => known.size < known.add(id).size,
  }
  return new Sessions({ key: { find: async () => key, make: async () => key ?? randomBytes(32) }, ended, clock })
}

const cookieIn = (header: string | undefined): string => header?.split(';', 1)[0] ?? ''

it.each([{ kind: 'token', token: 'secret' }, { kind: 'certificate' }] as const)(
  'a session by $kind is found again',
  async (credential) => {
    const sessions = sessionsWith(randomBytes(32))
    const cookie = cookieIn(await sessions.begin('jane', credential, signal))
    expect(await sessions.find([`a=b; ${cookie}`, 'c=d'], signal)).toMatchObject({ credential })
    expect(await sessions.find(['a=b', cookie], signal)).toMatchObject({ credential })
  },
)

it('a session lasts for twelve hours', async () => {
  const clock = new ManualClock()
  const sessions = sessionsWith(randomBytes(32), clock)
  const cookie = cookieIn(await sessions.begin('jane', { kind: 'token', token: 'secret' }, signal))
  clock.advance(12 * HOUR_MS - 1)
  expect(await sessions.find([cookie], signal)).toBeDefined()
  clock.advance(1)
  expect(await sessions.find([cookie], signal)).toBeUndefined()
})

it('a session is sealed anew each time, and opened by its own key alone', async () => {
  const key = randomBytes(32)
  const begin = async (): Promise<string> =>
    cookieIn(await sessionsWith(key).begin('jane', { kind: 'token', token: 'secret' }, signal))
  const cookie = await begin()
  expect(await begin()).not.toBe(cookie)
  for (const other of [undefined, randomBytes(32)])
    expect(await sessionsWith(other).find([cookie], signal)).toBeUndefined()
})

it('a session is not begun that no browser would keep', async () => {
  const sessions = sessionsWith(randomBytes(32))
  expect(await sessions.begin('jane', { kind: 'token', token: 'x'.repeat(4000) }, signal)).toBeUndefined()
  expect(await sessions.begin('jane', { kind: 'token', token: 'x'.repeat(2900) }, signal)).toBeDefined()
})

it('a session that was ended is not found, and the next one has another id', async () => {
  const sessions = sessionsWith(randomBytes(32))
  const begin = async (user: string): Promise<string> =>
    cookieIn(await sessions.begin(user, { kind: 'token', token: 'secret' }, signal))
  const cookies = [await begin('jane'), await begin('jane'), await begin('joe')]
  const found = await Promise.all(cookies.map((cookie) => sessions.find([cookie], signal)))
  expect(new Set(found.map((session) => session?.id)).size).toBe(3)
  expect(new Set(found.map((session) => session?.owner)).size).toBe(2)
  await sessions.end(found[0]!, signal)
  const after = await Promise.all(cookies.map((cookie) => sessions.find([cookie], signal)))
  expect(after).toEqual([undefined, found[1], found[2]])
})
