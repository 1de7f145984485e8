// Informers under faults of every kind, and programs in other languages that inject them over HTTP.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fault, Server } from '../../src/index.ts'
import { dice } from '../corpora/dice.ts'
import { buildGoClient, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { FollowedCommand, Kubectl } from '../rigs/kubectl.ts'
import { MAPS, mapsOf, newServer, plain } from '../rigs/library-server.ts'
import { SEED } from '../rigs/seed.ts'
import { newHome, runCommand } from '../rigs/server-process.ts'

/** Who is made to suffer; the test itself is somebody else. */
const INFORMED = { name: 'informed', groups: ['system:masters'] }

describe('an informer', () => {
  it('has exactly the state of the server after ten seconds of all faults at random', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    const informer = mapsOf(server, INFORMED)
      .informer({ onError: () => undefined })
      .start()
    onTestFinished(() => informer.stop())
    /** What a handler believes to be there, from nothing but what it was told. */
    const believed = new Map<string, string>()
    const wrong: string[] = []
    const expectKnown = (name: string, isKnown: boolean): void => {
      if (believed.has(name) !== isKnown) wrong.push(name)
    }
    informer.addHandler({
      add: ({ metadata: { name, resourceVersion } }) => {
        expectKnown(name, false)
        believed.set(name, resourceVersion)
      },
      update: (old, { metadata: { name, resourceVersion } }) => {
        if (believed.get(name) !== old.metadata.resourceVersion) wrong.push(name)
        believed.set(name, resourceVersion)
      },
      delete: ({ metadata: { name } }) => {
        expectKnown(name, true)
        believed.delete(name)
      },
    })
    await informer.waitForSync()
    const roll = dice(SEED)
    const until = performance.now() + 10_000
    let written = 0
    const writing = (async () => {
      while (performance.now() < until) {
        const name = `m-${roll(40)}`
        const change = [
          () =>
            maps.apply({ metadata: { name }, data: { at: String(written) } }, { fieldManager: 'test', force: true }),
          () => maps.delete(name),
        ][roll(3) === 0 ? 1 : 0]!
        // Refused while the store is away, and where there is nothing to delete.
        await change().then(
          () => written++,
          () => sleep(5),
        )
      }
    })()
    const faults = ways(server, roll)
    const hits = new Map<string, number>()
    let names = Object.keys(faults)
    while (performance.now() < until) {
      if (names.length === 0) names = Object.keys(faults)
      // First each by itself, then several at once.
      const several = hits.size < Object.keys(faults).length ? 1 : 1 + roll(3)
      const chosen = Array.from({ length: several }, () => names.splice(roll(names.length), 1)).flat()
      const standing = chosen.map((name) => ({ name, fault: faults[name]!() }))
      const met = standing.map(({ fault }) => fault.whenHit().catch(() => undefined))
      await Promise.race([Promise.all(met), sleep(300)])
      await sleep(roll(30))
      for (const { name, fault } of standing) hits.set(name, (hits.get(name) ?? 0) + fault.hits)
      server.faults.clear()
      // It hears something again before the next ones.
      const { resourceVersion } = informer
      const isHeard = (): boolean => informer.resourceVersion !== resourceVersion || performance.now() > until
      await expect.poll(isHeard, { interval: 5, timeout: 5000 }).toBe(true)
    }
    await writing
    server.faults.clear()
    const { items } = await maps.list()
    const wanted = new Map(items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]))
    const sorted = (entries: Iterable<[string, string]>) => [...entries].map(String).sort()
    await expect.poll(() => sorted(believed), { timeout: 20_000 }).toEqual(sorted(wanted))
    expect(new Set(informer.list().map(({ metadata }) => metadata.name))).toEqual(new Set(wanted.keys()))
    expect(wrong).toEqual([])
    expect(written).toBeGreaterThan(100)
    // None of the ways was there for nothing.
    expect(Object.keys(faults).filter((name) => (hits.get(name) ?? 0) === 0)).toEqual([])
  }, 60_000)
})

/** Everything that can go wrong for the informer. */
function ways({ faults }: Server, roll: (sides: number) => number): Readonly<Record<string, () => Fault>> {
  const match = { user: INFORMED.name }
  const watches = faults.watches(match)
  const requests = { ...match, verb: ['list', 'watch'] } as const
  /** Whoever follows has to come back to meet it. */
  const meeting = (inject: () => Fault) => (): Fault => {
    const fault = inject()
    watches.cut()
    return fault
  }
  return {
    cutWatches: () => watches.cut(),
    freeze: () => watches.freeze(),
    slow: () => watches.slow({ milliseconds: roll(20) }),
    dropEvents: () => watches.dropEvents({ events: 1 + roll(2) }),
    unavailable: meeting(() => faults.fail(requests, { status: 503, retryAfterSeconds: 0 })),
    tooMany: meeting(() => faults.fail(requests, { status: 429, retryAfterSeconds: 0 })),
    broken: meeting(() => faults.fail(requests, { status: 500 })),
    late: meeting(() => faults.fail(requests, { status: 504 })),
    expired: meeting(() => faults.fail(requests, { status: 410 })),
    cut: meeting(() => faults.cut(requests)),
    delay: meeting(() => faults.delay(requests, { milliseconds: roll(30) })),
    hold: meeting(() => faults.hold(requests)),
    staleReplica: () => faults.staleReplica(),
    storeOutage: () => faults.storeOutage(),
  }
}

/** Starts an informer of the config maps as `INFORMED`; what it gives tells which ones it believes to be there. */
type StartInformer = (server: Server) => Promise<() => readonly string[]>

const startNodeInformer: StartInformer = async (server) => {
  const config = new KubeConfig()
  config.loadFromString(JSON.stringify(server.kubeconfig(INFORMED)))
  const core = config.makeApiClient(CoreV1Api)
  const informer = makeInformer(config, MAPS, () => core.listNamespacedConfigMap({ namespace: 'default' }))
  const there = new Set<string>()
  informer.on('add', ({ metadata }) => void there.add(metadata?.name ?? ''))
  informer.on('delete', ({ metadata }) => void there.delete(metadata?.name ?? ''))
  let again: NodeJS.Timeout | undefined
  informer.on('error', () => {
    again = setTimeout(() => void informer.start(), 20)
  })
  onTestFinished(() => {
    clearTimeout(again)
    return informer.stop()
  })
  await informer.start()
  return () => [...there]
}

const startGoInformer: StartInformer = async (server) => {
  const args = [server.kubeconfigFile(INFORMED), 'default']
  const informer = new FollowedCommand(
    spawn(await buildGoClient('informer'), args, { stdio: ['pipe', 'pipe', 'ignore'] }),
  )
  await expect.poll(() => informer.lines.some((line) => line.includes('synced'))).toBe(true)
  return () => {
    const there = new Set<string>()
    for (const line of informer.lines) {
      const { event, name } = JSON.parse(line) as { event: string; name?: string }
      // Missed: found to be gone when everything was read anew.
      if (event === 'delete' || event === 'missed') there.delete(name?.replace('default/', '') ?? '')
      else if (name !== undefined) there.add(name)
    }
    return [...there]
  }
}

describe('an informer of others', () => {
  it.each([
    ['@kubernetes/client-node', startNodeInformer],
    ['client-go', startGoInformer],
  ])('comes through all of it: %s', { timeout: GO_BUILD_LIMIT_MS }, async (_, start) => {
    const server = await newServer()
    const there = await start(server)
    const maps = mapsOf(server)
    const expectSame = async (): Promise<void> => {
      const { items } = await maps.list()
      const names = items.map(({ metadata }) => metadata.name).sort()
      await expect.poll(() => there().toSorted(), { timeout: 30_000 }).toEqual(names)
    }
    const watches = server.faults.watches({ user: INFORMED.name, resource: 'configmaps' })
    await maps.create({ metadata: { name: 'a' } })
    await expectSame()
    expect(watches.cut().hits).toBe(1)
    await maps.create({ metadata: { name: 'b' } })
    await expectSame()
    const changeUntilHit = (fault: Fault) =>
      expect
        .poll(
          async () => {
            await maps.patch('b', { data: { at: String(Math.random()) } })
            return fault.hits
          },
          { timeout: 30_000 },
        )
        .toBe(1)
    await changeUntilHit(watches.dropEvents({ events: 2 }))
    await maps.delete('a')
    await expectSame()
    for (const status of [429, 410] as const) {
      const fault = server.faults.fail({ verb: ['list', 'watch'], user: INFORMED.name }, { status })
      watches.cut()
      await maps.create({ metadata: { name: `after-${status}` } })
      await expectSame()
      expect(fault.hits).toBe(1)
    }
    const frozen = watches.freeze()
    await maps.delete('b')
    frozen.remove()
    await expectSame()
  })
})

describe('/debug/faults', () => {
  const PATH = '/debug/faults'

  it('injects, shows and removes faults for administrators', async () => {
    const lines: string[] = []
    const note = (_: object, text: string): void => void lines.push(text)
    const log = { debug: () => undefined, info: note, warn: note, error: note }
    const server = await newServer({ flags: { dev: true }, log })
    expect(lines).toContain('--dev: administrators can inject faults at /debug/faults')
    const api = plain(server)
    const spec = { fault: 'fail', match: { verb: 'get', resource: 'configmaps' }, status: 500, times: 'always' }
    const made = await api.request(PATH, { method: 'POST', body: spec })
    expect([made.status, made.json()]).toEqual([201, { id: '1', ...spec, hits: 0 }])
    expect((await api.request(`${MAPS}/kube-root-ca.crt`)).status).toBe(500)
    expect(lines).toContain('fault injected')
    const frozen = await api.must(PATH, { method: 'POST', body: { fault: 'freezeWatches' } })
    expect(await api.must(PATH)).toEqual({ faults: [{ id: '1', ...spec, hits: 1 }, frozen] })
    expect(await api.must(`${PATH}/1`)).toEqual({ id: '1', ...spec, hits: 1 })
    expect(await api.must(`${PATH}/1`, { method: 'DELETE' })).toEqual({ id: '1', ...spec, hits: 1 })
    expect((await api.request(`${PATH}/1`)).json()).toMatchObject({ code: 404, message: 'there is no fault "1"' })
    await api.must(`${MAPS}/kube-root-ca.crt`)
    await api.must(PATH, { method: 'POST', body: { fault: 'storeOutage' } })
    expect((await api.request(MAPS)).status).toBe(500)
    // What takes faults away works whatever they are.
    expect(await api.must(PATH, { method: 'DELETE' })).toEqual({ faults: [] })
    await api.must(MAPS)
    expect(await api.must(PATH)).toEqual({ faults: [] })
  })

  it('is spoken to by kubectl', { timeout: GO_BUILD_LIMIT_MS }, async () => {
    const server = await newServer({ flags: { dev: true } })
    const kubectl = new Kubectl(await buildGoClient('kubectl'), {
      kubeconfig: server.kubeconfigFile(),
      home: await newHome(),
    })
    const fault = '{"fault":"fail","match":{"verb":"get","resource":"deployments.apps"},"status":500,"times":"always"}'
    const made = await kubectl.run(['create', '--raw', PATH, '-f', '-'], fault)
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('"id":"1"') as string])
    const got = await kubectl.run(['get', 'deployment', 'web'])
    expect(got.stderr).toContain('Error from server (InternalError)')
    expect((await kubectl.run(['get', '--raw', `${PATH}/1`])).stdout).toContain('"hits":1')
    await kubectl.run(['delete', '--raw', `${PATH}/1`])
    expect((await kubectl.run(['get', 'deployment', 'web'])).stderr).toContain('Error from server (NotFound)')
  })

  it('is there for what `quarterdeck test --dev` runs', { timeout: GO_BUILD_LIMIT_MS }, async () => {
    const script = `echo '{"fault":"fail","status":500}' | "$0" create --raw ${PATH} -f - && "$0" get pods`
    const args = ['test', '--dev', '--', 'sh', '-c', script, await buildGoClient('kubectl')]
    const { code, stdout, stderr } = await runCommand(args, await newHome())
    expect([code, stdout]).toEqual([1, expect.stringContaining('"fault":"fail","status":500,"hits":0}') as string])
    expect(stderr).toContain('Error from server (InternalError)')
  })

  it('says what is wrong with a fault', async () => {
    const api = plain(await newServer({ flags: { dev: true } }))
    const refusal = async (body: string, method = 'POST') => (await api.request(PATH, { method, body })).json()
    expect(await refusal('{')).toMatchObject({ code: 400, message: expect.stringContaining('not JSON') as string })
    expect(await refusal('[]')).toMatchObject({
      code: 400,
      message: expect.stringContaining('fault must be') as string,
    })
    expect(await refusal('{"fault":"fail","match":{"resource":"pod"},"status":500}')).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'the server has no resource "pod"; did you mean pods?',
    })
    expect(await refusal('{}', 'PUT')).toMatchObject({ code: 405 })
  })

  it('is there for nobody else, and not at all without --dev', async () => {
    const server = await newServer({ flags: { dev: true }, users: [{ name: 'ann' }] })
    const callOf = (method: string) => (method === 'POST' ? { method, body: { fault: 'storeOutage' } } : { method })
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status } = await plain(server, 'ann').request(PATH, callOf(method))
      expect([method, status]).toEqual([method, 403])
    }
    const plainServer = plain(await newServer())
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await plainServer.request(PATH, callOf(method))).status).toBe(404)
    }
    expect(((await plainServer.must('/')) as { paths: string[] }).paths).not.toContain(PATH)
  })
})
