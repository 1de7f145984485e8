// Threads are shared fairly: somebody's large requests delay nobody else's writes by much.
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import https from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configMap, MAPS } from '../corpora/large-bodies.ts'
import { Majority } from '../rigs/majority.ts'
import { NobodyServer } from '../rigs/nobody-server.ts'
import { NOBODY_TOKEN } from '../fakes/hostile-client.ts'
import { rowsOf } from '../rigs/whole.ts'
import { quantileOf } from '../rigs/hostile-load.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const ATTACK_BYTES = 2_800_000
const AT_ONCE = 8
const APPLY_BYTES = 100_000
/** As many times longer than alone. */
const MOST = 3

let nobodys: NobodyServer
beforeAll(async () => {
  nobodys = await NobodyServer.start()
})
afterAll(() => nobodys?.[Symbol.asyncDispose]())

const annotations = configMap('x', ATTACK_BYTES)['data'] as Readonly<Record<string, string>>
const BODIES = {
  JSON: JSON.stringify({ kind: 'SelfSubjectAccessReview', metadata: { annotations }, spec: {} }),
  YAML: [
    'kind: SelfSubjectAccessReview',
    'metadata:',
    '  annotations:',
    ...Object.entries(annotations).map(([name, value]) => `    ${name}: ${value}`),
    'spec: {}',
    '',
  ].join('\n'),
}

/** Applies another value each time, for so many milliseconds; what each took. */
async function applied(forMs: number): Promise<readonly number[]> {
  const taken: number[] = []
  for (const end = performance.now() + forMs; performance.now() < end || taken.length < 5; ) {
    const began = performance.now()
    const { status } = await nobodys.server.request(`${MAPS}/applied?fieldManager=m&force=true`, {
      method: 'PATCH',
      token: nobodys.server.adminToken,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(configMap('applied', APPLY_BYTES, `v${taken.length}`)),
    })
    expect(status).toBeLessThan(300)
    taken.push(performance.now() - began)
  }
  return taken
}

/** Posts the body again and again, as somebody without rights, until the signal fires. */
async function attack(type: string, body: string, signal: AbortSignal): Promise<void> {
  const { hostname: host, port } = new URL(nobodys.url)
  const headers = { authorization: `Bearer ${NOBODY_TOKEN}`, 'content-type': type }
  while (!signal.aborted) {
    const sent = https.request({
      host,
      port,
      path: REVIEWS,
      method: 'POST',
      headers,
      rejectUnauthorized: false,
      signal,
    })
    sent.end(body)
    // The last ones are broken off.
    const answered = await Promise.race([once(sent, 'response'), once(sent, 'error')]).catch(() => [])
    const [answer] = answered as [unknown]
    if (answer instanceof IncomingMessage) await once(answer.resume(), 'end')
  }
}

async function appliedBeside(type: string, body: string): Promise<readonly number[]> {
  const over = new AbortController()
  const attackers = Array.from({ length: AT_ONCE }, () => attack(type, body, over.signal))
  const taken = await applied(4000)
  over.abort()
  await Promise.all(attackers)
  return taken
}

const TYPES = { YAML: 'application/yaml', JSON: 'application/json' } as const

it.each(rowsOf(TYPES, ['YAML']))(
  'an apply does not wait for large reviews in %s of somebody else',
  async (name, type) => {
    await applied(2000)
    await appliedBeside(type, BODIES[name as keyof typeof BODIES])
    const tries = new Majority(3)
    while (!tries.isDecided) {
      const alone = quantileOf(await applied(1000), 0.5)
      const beside = quantileOf(await appliedBeside(type, BODIES[name as keyof typeof BODIES]), 0.5)
      tries.add(beside <= MOST * alone ? undefined : `${beside.toFixed(0)} ms, alone ${alone.toFixed(0)}`)
    }
    expect(tries.faults).toEqual([])
  },
)
