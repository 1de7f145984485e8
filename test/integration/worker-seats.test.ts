// Seats of flow control that workers lend each other: a busy one has those of an idle one, and never do more requests run than may.
import { writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { newHome, type ServerProcess, startServerProcess } from '../fakes/server-process.ts'
import { ALLOW, openWebhookServer, type WebhookServer } from '../fakes/webhook-server.ts'

const SEATS = 40
const LIMITS = ['--max-requests-inflight', `${SEATS / 2}`, '--max-mutating-requests-inflight', `${SEATS / 2}`]

/** Creates that have begun, and are held until somebody lets them go. */
class HeldCreates {
  readonly #held: { readonly name: string; readonly letGo: () => void }[] = []
  most = 0

  hold(name: string, letGo: () => void): void {
    this.#held.push({ name, letGo })
    this.most = Math.max(this.most, this.#held.length)
  }

  count(prefix: string): number {
    return this.#held.filter(({ name }) => name.startsWith(prefix)).length
  }

  release(prefix: string): void {
    for (const held of this.#held.filter(({ name }) => name.startsWith(prefix))) {
      this.#held.splice(this.#held.indexOf(held), 1)
      held.letGo()
    }
  }
}

async function configure(server: ServerProcess, hooks: WebhookServer): Promise<void> {
  const admin = new Client({ kubeconfig: server.kubeconfigFile })
  onTestFinished(() => admin.close())
  const flow = '/apis/flowcontrol.apiserver.k8s.io/v1'
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 1000 }
  const limited = { nominalConcurrencyShares: 1_000_000, limitResponse: { type: 'Queue', queuing } }
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }
  const webhook = {
    name: 'hold.example.com',
    clientConfig: { url: `${hooks.url}/hold`, caBundle: hooks.caBundle },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
  }
  const objects: readonly (readonly [string, object])[] = [
    [`${flow}/prioritylevelconfigurations`, { spec: { type: 'Limited', limited } }],
    [
      `${flow}/flowschemas`,
      {
        spec: {
          priorityLevelConfiguration: { name: 'held' },
          matchingPrecedence: 2,
          rules: [{ subjects: [{ kind: 'User', user: { name: 'ann' } }], resourceRules: [rule] }],
        },
      },
    ],
    ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { webhooks: [webhook] }],
  ]
  for (const [target, object] of objects) {
    await admin.request({ method: 'POST', path: target, body: { metadata: { name: 'held' }, ...object } })
  }
  // Both workers go by it as soon as they have seen it.
  await expect
    .poll(async () => {
      const page = '/debug/api_priority_and_fairness/dump_priority_levels'
      return (await admin.request({ method: 'GET', path: page })).text.match(/^held,/gm)?.length
    })
    .toBe(2)
}

/** A connection of its own, and thus the worker that has fewer. */
function connect(server: ServerProcess): (name: string) => void {
  const session = http2.connect(server.url, { rejectUnauthorized: false })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return (name) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/api/v1/namespaces/default/configmaps',
      authorization: 'Bearer anns',
      'content-type': 'application/json',
    })
    stream.on('error', () => {})
    stream.resume()
    stream.end(JSON.stringify({ metadata: { name } }))
  }
}

it('are lent to a worker that is busy, and had back by one that becomes so', async () => {
  const home = await newHome()
  const tokens = path.join(home, 'tokens.csv')
  writeFileSync(tokens, 'anns,ann,1,developers\n')
  const hooks = await openWebhookServer()
  onTestFinished(() => hooks[Symbol.asyncDispose]())
  const creates = new HeldCreates()
  hooks.on('/hold', (review, response) => {
    const metadata = review.request.object?.['metadata'] as { readonly name: string } | undefined
    creates.hold(metadata?.name ?? '', () => ALLOW(review, response))
  })
  const access = ['--token-auth-file', tokens, '--authorization-mode', 'AlwaysAllow', '--dev']
  const server = await startServerProcess(['--workers', '2', '--in-memory', ...access, ...LIMITS], home)
  await configure(server, hooks)
  const [one, other] = [connect(server), connect(server)]
  for (let i = 0; i < 90; i++) one(`one-${i}`)
  await expect.poll(() => creates.count('one')).toBe(35)
  for (let i = 0; i < 90; i++) other(`other-${i}`)
  await expect.poll(() => creates.count('other')).toBe(5)
  creates.release('one')
  await expect.poll(() => [creates.count('one'), creates.count('other')]).toEqual([20, 20])
  expect(creates.most).toBe(SEATS)
})
