// Clients of a server whose time is moved by hand: what they do by time happens when it is moved, without anybody waiting for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Client, k8s, LeadershipLostError, systemClock } from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'

const LEASE = { namespace: 'default', name: 'lead' }

/** Leads until its signal fires. */
function reign(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** A candidate for the lease, what became of it, and when that was in seconds of the server's time. */
function campaign(server: Server, identity: string, client = server.client()) {
  const began = server.clock.now()
  const told: string[] = []
  const tell = (what: string): void => void told.push(`${what} at ${(server.clock.now() - began) / 1000}`)
  const stop = new AbortController()
  const ended = client
    .runAsLeader({ ...LEASE, identity, signal: stop.signal }, async (signal) => {
      tell('leads')
      await reign(signal)
    })
    .then(
      () => tell('ends'),
      (error: unknown) => tell(error instanceof LeadershipLostError ? 'lost' : 'failed'),
    )
  return {
    told,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }
}

function holderOf(server: Server) {
  const leases = server.client().resource(k8s.Lease).inNamespace(LEASE.namespace)
  return async () => (await leases.get(LEASE.name)).spec
}

describe('leader election', () => {
  it('keeps the lease however far time is moved', async () => {
    await using server = await startServer({ clock: 'virtual' })
    await using first = campaign(server, 'first')
    await expect.poll(() => first.told).toEqual(['leads at 0'])
    await using second = campaign(server, 'second')
    await server.clock.advance('1m')
    expect([first.told, second.told]).toEqual([['leads at 0'], []])
    const { renewTime = '' } = (await holderOf(server)()) ?? {}
    expect(server.clock.now() - Date.parse(renewTime)).toBeLessThanOrEqual(2000)
  })

  it('has a leader that cannot renew end before another begins', async () => {
    await using server = await startServer({ clock: 'virtual', users: [{ name: 'ann', groups: ['system:masters'] }] })
    await using first = campaign(server, 'first', server.client('ann'))
    await expect.poll(() => first.told).toEqual(['leads at 0'])
    await using second = campaign(server, 'second')
    await server.clock.advance('4s')
    server.faults.fail({ user: 'ann', verb: 'update', resource: 'leases' }, { status: 500, times: 'always' })
    const began = performance.now()
    await server.clock.advance('9s')
    expect([first.told, second.told]).toEqual([['leads at 0'], []])
    await server.clock.advance('20s')
    expect(first.told).toEqual(['leads at 0', 'lost at 14'])
    expect(second.told).toEqual([expect.stringMatching(/^leads at (19|2[0-3])/)])
    // Nobody has waited for it.
    expect(performance.now() - began).toBeLessThan(29_000)
    expect(await holderOf(server)()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 })
  })

  it('does not wait for a renewal that hangs', async () => {
    await using server = await startServer({ clock: 'virtual', users: [{ name: 'ann', groups: ['system:masters'] }] })
    await using first = campaign(server, 'first', server.client('ann'))
    await expect.poll(() => first.told).toEqual(['leads at 0'])
    using _held = server.faults.hold({ user: 'ann', verb: 'update', resource: 'leases' })
    await server.clock.advance('30s')
    expect(first.told).toEqual(['leads at 0', 'lost at 10'])
  })

  it('takes over from one that is gone without a word', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const leases = server.client().resource(k8s.Lease).inNamespace(LEASE.namespace)
    await leases.create({
      metadata: { name: LEASE.name },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 60 },
    })
    await using next = campaign(server, 'next')
    await server.clock.advance('59s')
    expect(next.told).toEqual([])
    await server.clock.advance('5s')
    expect(next.told).toEqual([expect.stringMatching(/^leads at 6[0-4]/)])
  })

  it('goes by the system where it is told to', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const { url, ca = '', token } = server.credentials()
    using client = new Client({ url, ca, token })
    await using first = campaign(server, 'first', client)
    await expect.poll(() => first.told).toEqual(['leads at 0'])
    await server.clock.advance('1m')
    const { renewTime = '' } = (await holderOf(server)()) ?? {}
    expect(Math.abs(Date.parse(renewTime) - systemClock.timeOfDay())).toBeLessThan(60_000)
  })
})

describe('an informer', () => {
  it('resyncs when time is moved, as often as it would have, and at no other time', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
    await maps.create({ metadata: { name: 'a' } })
    const told: string[] = []
    await using informer = maps.informer({ resyncMs: 60_000, fieldSelector: { 'metadata.name': 'a' } })
    const registration = informer.addHandler({
      update: async (old, { metadata }) => {
        // Whoever moves the time waits for it.
        await sleep(5)
        told.push(`${metadata.name} ${old.metadata.resourceVersion === metadata.resourceVersion}`)
      },
    })
    informer.start()
    await registration.waitForSync()
    await server.clock.advance('59s')
    expect(told).toEqual([])
    await server.clock.advance('1s')
    expect(told).toEqual(['a true'])
    await server.clock.advance('6m')
    expect(told).toHaveLength(7)
    await informer.stop()
    await server.clock.advance('2m')
    expect(told).toHaveLength(7)
  })

  it('tries again when time is moved, or as soon as it would have anyhow', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const refusals = { status: 503, retryAfterSeconds: 3600, times: 1 } as const
    const errors: unknown[] = []
    server.faults.fail({ verb: 'watch', resource: 'configmaps' }, refusals)
    const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
    await using informer = maps.informer({ onError: (error) => errors.push(error) }).start()
    await expect.poll(() => errors).toHaveLength(1)
    expect(informer.hasSynced).toBe(false)
    await server.clock.advance('1h')
    await informer.waitForSync(AbortSignal.timeout(60_000))
    expect(server.faults.watches({ resource: 'configmaps' }).cut().hits).toBe(1)
    await maps.create({ metadata: { name: 'late' } })
    await expect.poll(() => informer.get('late', 'default')).toBeDefined()
  })
})
