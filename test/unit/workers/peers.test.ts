import { expect, it } from 'vitest'
import type { HealthCheck } from '../../../src/handlers/health.ts'
import { answerPeer, checksOfWorkers, type PeerQuestion, type Peers } from '../../../src/workers/peers.ts'

const good = (name: string): HealthCheck => ({ name, check: () => {} })
const bad = (name: string): HealthCheck => ({
  name,
  check: () => {
    throw new Error('the disk is on fire')
  },
})
const checksOf = (...all: readonly HealthCheck[]) => ({ healthz: all, livez: all, readyz: all })

/** The check of a worker that the other has these. */
function workersCheck(...others: readonly HealthCheck[]): HealthCheck {
  const answering = { checks: checksOf(...others) } as unknown as Parameters<typeof answerPeer>[1]
  const peers = {
    ask: async (question: PeerQuestion) => [{ worker: '2', answer: await answerPeer(question, answering) }],
  } as Peers
  return checksOfWorkers(checksOf(good('ping')), peers).livez.find(({ name }) => name === 'workers')!
}

const { signal } = new AbortController()

it('a worker fails with another, and says which check of which it was', async () => {
  await workersCheck(good('ping'), good('etcd')).check(signal, new Set())
  const failing = workersCheck(good('ping'), bad('etcd')).check(signal, new Set())
  await expect(failing).rejects.toThrow('failed: etcd of worker 2')
})

it('what is excluded is left out by the others too', async () => {
  const check = workersCheck(bad('ping'), bad('etcd'))
  await check.check(signal, new Set(['etcd', 'ping']))
  await expect(check.check(signal, new Set(['etcd']))).rejects.toThrow('failed: ping of worker 2')
})
