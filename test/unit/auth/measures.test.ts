import { expect, it } from 'vitest'
import type { Authentication } from '../../../src/auth/authenticator.ts'
import type { Distribution } from '../../../src/lib/measure.ts'
import type { MaybePromise } from '../../../src/lib/maybe-promise.ts'
import { NO_HEADERS } from '../../fakes/no-headers.ts'
import { AuthMeasures, measureAuthenticator } from '../../../src/auth/measures.ts'

const NOTHING = { bearerToken: undefined, certificate: undefined, sent: NO_HEADERS }
const user = (name: string): Authentication => ({ kind: 'user', user: { name, uid: undefined, groups: [], extra: {} } })

type Answering = (answer: Authentication) => MaybePromise<Authentication>

it.each<[string, Answering]>([
  ['at once', (answer) => answer],
  ['later', (answer) => Promise.resolve(answer)],
])(
  'callers who are known %s are counted by what became of them, and by names that nobody makes up (P-018)',
  async (_, as) => {
    const measures = new AuthMeasures()
    const ask = async (answer: Authentication): Promise<void> => {
      const measured = measureAuthenticator({ authenticate: () => as(answer) }, measures)
      await measured.authenticate(NOTHING, new AbortController().signal)
    }
    for (const name of ['admin', 'jane@x.org', 'joe@x.org', 'jane', 'system:serviceaccount:kube-system:default']) {
      await ask(user(name))
    }
    await ask({ kind: 'none' })
    await ask({ kind: 'refused', problem: 'invalid bearer token' })
    const counted = (family: AuthMeasures['users']): unknown =>
      Object.fromEntries([...family.all()].map(({ values, series }) => [values.join(), series.value]))
    expect(counted(measures.users)).toEqual({
      admin: 1,
      email_id: 2,
      other: 1,
      'system:serviceaccount:kube-system:default': 1,
    })
    expect(counted(measures.attempts)).toEqual({ success: 5, failure: 1, error: 1 })
  },
)

it('the lifetimes of certificates are counted up to half an hour, hours and days (P-018)', () => {
  const [{ series }] = [...new AuthMeasures().expiry.all()] as unknown as [{ series: Distribution }]
  const days = [1, 2, 4, 7, 30, 90, 180, 360]
  expect(series.bounds.map((seconds) => seconds / 3600)).toEqual([0, 0.5, 1, 2, 6, 12, ...days.map((day) => day * 24)])
})
