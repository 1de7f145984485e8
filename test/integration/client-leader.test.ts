// Leader election of `quarterdeck/client`: one leads at a time, and another when that one is gone.
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, k8s, LeadershipLostError } from '../../src/client/client.ts'
import { openServer } from '../rigs/running-server.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'

const TIMES = { leaseDurationMs: 1000, renewDeadlineMs: 600, retryPeriodMs: 50 } as const

async function newScene() {
  const server = await openServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const proxy = await startTcpProxy(Number(new URL(server.url).port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const access = { ca: server.authority, token: server.adminToken }
  const near = new Client({ url: server.url, ...access })
  const far = new Client({ url: `https://127.0.0.1:${proxy.port}`, ...access })
  onTestFinished(() => [near, far].forEach((client) => client.close()))
  return { proxy, near, far }
}

function options(identity: string, signal?: AbortSignal) {
  return { namespace: 'default', name: 'lead', identity, ...TIMES, ...(signal === undefined ? {} : { signal }) }
}

/** Leads until its signal fires. */
function reign(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

describe('candidates', () => {
  it('lead one at a time, and give the lease back', async () => {
    const { near } = await newScene()
    const leads: string[] = []
    let leading = 0
    const campaign = (identity: string) =>
      near.runAsLeader(options(identity), async () => {
        expect(++leading).toBe(1)
        leads.push(identity)
        await new Promise((resolve) => setTimeout(resolve, 150))
        leading--
        return identity
      })
    expect(await Promise.all(['a', 'b', 'c'].map(campaign))).toEqual(['a', 'b', 'c'])
    expect(leads.toSorted()).toEqual(['a', 'b', 'c'])
    const { spec } = await near.resource(k8s.Lease).inNamespace('default').get('lead')
    expect(spec).toMatchObject({ holderIdentity: '', leaseTransitions: 2 })
  })

  it('stop before another begins where they are cut off', async () => {
    const { proxy, near, far } = await newScene()
    const events: string[] = []
    const begun = Promise.withResolvers<void>()
    const first = far.runAsLeader(options('first'), async (signal) => {
      begun.resolve()
      await reign(signal)
      events.push('first ends')
    })
    await begun.promise
    const stop = new AbortController()
    const leaders: string[] = []
    const second = near.runAsLeader(
      { ...options('second', stop.signal), onNewLeader: (identity) => leaders.push(identity) },
      async (signal) => {
        events.push('second begins')
        await reign(signal)
      },
    )
    await expect.poll(() => leaders).toEqual(['first'])
    proxy.refuse()
    await expect(first).rejects.toBeInstanceOf(LeadershipLostError)
    await expect.poll(() => events).toEqual(['first ends', 'second begins'])
    expect(leaders).toEqual(['first', 'second'])
    stop.abort()
    await second
  })

  it('end while they wait, with the reason', async () => {
    const { near } = await newScene()
    const stop = new AbortController()
    const first = near.runAsLeader(options('first', stop.signal), reign)
    const leases = near.resource(k8s.Lease).inNamespace('default')
    await expect.poll(async () => (await leases.list()).items.length).toBe(1)
    const enough = new AbortController()
    const waiting = near.runAsLeader(options('second', enough.signal), reign)
    const reason = new Error('enough')
    enough.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    stop.abort()
    await first
  })

  it('are told where they may not', async () => {
    const { near } = await newScene()
    const nowhere = near.runAsLeader({ ...options('a'), namespace: 'nowhere' }, reign)
    await expect(nowhere).rejects.toMatchObject({ code: 404, reason: 'NotFound' })
    const long = { ...options('a'), renewDeadlineMs: 1000 }
    await expect(near.runAsLeader(long, reign)).rejects.toThrow('renewDeadlineMs must be less than leaseDurationMs')
  })
})
