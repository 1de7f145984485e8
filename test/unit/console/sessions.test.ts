import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { Sessions } from '../../../src/console/sessions.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()
const HOUR_MS = 3_600_000

function sessionsWith(key: Buffer | undefined, clock = new ManualClock()): Sessions {
  return new Sessions({ key: { find: async () => key, make: async () => key ?? randomBytes(32) }, clock })
}

const cookieIn = (header: string | undefined): string => header?.split(';', 1)[0] ?? ''

it.each([{ kind: 'token', token: 'secret' }, { kind: 'certificate' }] as const)(
  'a session by $kind is found again',
  async (session) => {
    const sessions = sessionsWith(randomBytes(32))
    const cookie = cookieIn(await sessions.begin(session, signal))
    expect(await sessions.find([`a=b; ${cookie}`, 'c=d'], signal)).toEqual(session)
    expect(await sessions.find(['a=b', cookie], signal)).toEqual(session)
  },
)

it('a session lasts for twelve hours', async () => {
  const clock = new ManualClock()
  const sessions = sessionsWith(randomBytes(32), clock)
  const cookie = cookieIn(await sessions.begin({ kind: 'token', token: 'secret' }, signal))
  clock.advance(12 * HOUR_MS - 1)
  expect(await sessions.find([cookie], signal)).toBeDefined()
  clock.advance(1)
  expect(await sessions.find([cookie], signal)).toBeUndefined()
})

it('a session is sealed anew each time, and opened by its own key alone', async () => {
  const key = randomBytes(32)
  const begin = async (): Promise<string> =>
    cookieIn(await sessionsWith(key).begin({ kind: 'token', token: 'secret' }, signal))
  const cookie = await begin()
  expect(await begin()).not.toBe(cookie)
  for (const other of [undefined, randomBytes(32)])
    expect(await sessionsWith(other).find([cookie], signal)).toBeUndefined()
})

it('a session is not begun that no browser would keep', async () => {
  const sessions = sessionsWith(randomBytes(32))
  expect(await sessions.begin({ kind: 'token', token: 'x'.repeat(4000) }, signal)).toBeUndefined()
  expect(await sessions.begin({ kind: 'token', token: 'x'.repeat(2900) }, signal)).toBeDefined()
})
