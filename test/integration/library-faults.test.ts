// Requests that tests make fail, wait or break off in a server of theirs: every answer is held against the one that the server gives where
// it means it.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiStatusError, ConnectionError } from '../../src/client/client.ts'
import { MAPS, mapsOf, newServer, plain, shown } from '../rigs/library-server.ts'

async function codeOf(work: Promise<unknown>): Promise<number | string> {
  return work.then(
    () => 200,
    (error: unknown) => (error instanceof ConnectionError ? error.phase : (error as ApiStatusError).code),
  )
}

describe('a request that fails', () => {
  it('with a conflict has the very answer that a real one has, as often as asked for', async () => {
    const server = await newServer()
    const api = plain(server)
    const body = { metadata: { name: 'a', resourceVersion: '1' } }
    await api.must(MAPS, { method: 'POST', body: { metadata: { name: 'a' } } })
    const real = await api.request(`${MAPS}/a`, { method: 'PUT', body })
    expect(real.json()).toMatchObject({ reason: 'Conflict', code: 409, details: { name: 'a', kind: 'configmaps' } })
    const fault = server.faults.fail({ verb: 'update', resource: 'configmaps' }, { status: 409, times: 2 })
    const fine = { method: 'PUT', body: { metadata: { name: 'a' } } }
    for (const hits of [1, 2]) {
      expect(shown(await api.request(`${MAPS}/a`, fine))).toEqual(shown(real))
      expect(fault.hits).toBe(hits)
    }
    await api.must(`${MAPS}/a`, fine)
    expect(fault.hits).toBe(2)
  })

  it.each(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])(
    'with AlreadyExists knows the name that a create has in its body (%s)',
    async (accept) => {
      const server = await newServer()
      const api = plain(server)
      const call = {
        method: 'POST',
        headers: { accept, 'content-type': 'application/yaml' },
        body: 'metadata: {name: a}',
      }
      await api.must(MAPS, { method: 'POST', body: { metadata: { name: 'a' } } })
      const real = await api.request(MAPS, call)
      expect(real.status).toBe(409)
      await api.must(`${MAPS}/a`, { method: 'DELETE' })
      using fault = server.faults.fail({ verb: 'create' }, { status: 409 })
      expect(shown(await api.request(MAPS, call))).toEqual(shown(real))
      expect(fault.hits).toBe(1)
      // The body that was looked into is still there for who comes after.
      server.faults.delay({ verb: 'create', name: 'a' }, { milliseconds: 1 })
      expect((await api.request(MAPS, { ...call, headers: { 'content-type': 'application/yaml' } })).status).toBe(201)
    },
  )

  it('with AlreadyExists tells a name that was generated', async () => {
    const server = await newServer()
    server.faults.fail({ resource: 'configmaps' }, { status: 409 })
    const failure = mapsOf(server).create({ metadata: { generateName: 'web-' } })
    await expect(failure).rejects.toMatchObject({
      reason: 'AlreadyExists',
      details: { name: expect.stringMatching(/^web-.{5}$/) as string, retryAfterSeconds: 1 },
      message: expect.stringContaining('the server was not able to generate a unique name') as string,
    })
  })

  it('with 504 has the answer of a request that took too long', async () => {
    const server = await newServer()
    const api = plain(server)
    server.faults.hold({ verb: 'list', resource: 'configmaps' })
    const real = await api.request(`${MAPS}?timeout=20ms`)
    expect([real.status, real.body]).toEqual([504, expect.stringContaining('Timeout') as string])
    server.faults.fail({ verb: 'list' }, { status: 504 })
    expect(shown(await api.request(MAPS))).toEqual(shown(real))
  })

  it('with 410 is a list or a watch that came too late', async () => {
    const server = await newServer()
    const api = plain(server)
    for (const name of ['a', 'b']) await api.must(MAPS, { method: 'POST', body: { metadata: { name } } })
    const { metadata } = (await api.must(`${MAPS}?limit=1`)) as { metadata: { continue: string } }
    server.faults.fail({ resource: 'configmaps' }, { status: 410, times: 'always' })
    expect((await api.request(`${MAPS}?resourceVersion=7&resourceVersionMatch=Exact`)).json()).toMatchObject({
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    })
    expect((await api.request(`${MAPS}?watch=true&resourceVersion=7`)).json()).toMatchObject({
      reason: 'Expired',
      message: 'too old resource version: 7 (8)',
    })
    const page = (await api.request(`${MAPS}?limit=1&continue=${metadata.continue}`)).json()
    expect(page).toMatchObject({ reason: 'Expired', code: 410 })
    // Whoever goes on with the token of the refusal gets the rest, as of now.
    server.faults.clear()
    const { continue: next } = page['metadata'] as { continue: string }
    const rest = (await api.must(`${MAPS}?limit=5&continue=${next}`)) as { items: { metadata: { name: string } }[] }
    expect(rest.items.map(({ metadata: { name } }) => name)).toEqual(['b', 'kube-root-ca.crt'])
  })

  it.each([
    [{ status: 429, retryAfterSeconds: 7 }, '7', 'Too many requests, please try again later.\n'],
    [{ status: 503 }, '1', '"reason":"ServiceUnavailable"'],
    [{ status: 500 }, undefined, '"reason":"InternalError"'],
  ] as const)('with %o tells when to come back', async (failure, retryAfter, text) => {
    const server = await newServer()
    server.faults.fail({ verb: 'get' }, failure)
    const { status, headers, body } = await plain(server).request(`${MAPS}/kube-root-ca.crt`)
    expect([status, headers['retry-after']]).toEqual([failure.status, retryAfter])
    expect(body).toContain(text)
  })

  it('is tried again by a client that may', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    const fault = server.faults.fail({ resource: 'configmaps' }, { status: 429, retryAfterSeconds: 1, times: 2 })
    const began = performance.now()
    await expect(maps.get('kube-root-ca.crt')).resolves.toMatchObject({ kind: 'ConfigMap' })
    expect(performance.now() - began).toBeGreaterThan(2000)
    expect(fault.hits).toBe(2)
    server.faults.fail({ verb: 'create' }, { status: 429 })
    expect(await codeOf(maps.create({ metadata: { name: 'a' } }))).toBe(429)
  })

  it('leaves no trace: the write was not done', async () => {
    const server = await newServer()
    server.faults.fail({ verb: 'create' }, { status: 500 })
    expect(await codeOf(mapsOf(server).create({ metadata: { name: 'a' } }))).toBe(500)
    expect(await codeOf(mapsOf(server).get('a'))).toBe(404)
  })
})

describe('a request that is slow, held or cut off', () => {
  it('is delayed, and by two faults for as long as both say', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    server.faults.delay({ verb: 'get' }, { milliseconds: 150 })
    server.faults.delay({ name: 'kube-root-ca.crt' }, { milliseconds: 150 })
    const began = performance.now()
    await maps.get('kube-root-ca.crt')
    expect(performance.now() - began).toBeGreaterThan(295)
  })

  it('is delayed by one fault and refused by another', async () => {
    const server = await newServer()
    const delay = server.faults.delay({ verb: 'get' }, { milliseconds: 100 })
    const failure = server.faults.fail({ resource: 'configmaps' }, { status: 500 })
    const began = performance.now()
    expect(await codeOf(mapsOf(server).get('kube-root-ca.crt'))).toBe(500)
    expect(performance.now() - began).toBeGreaterThan(95)
    expect([delay.hits, failure.hits]).toEqual([1, 1])
  })

  it('is held under way until the fault is removed, while others overtake it', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    await maps.create({ metadata: { name: 'a' } })
    const held = server.faults.hold({ verb: 'update', name: 'a' })
    const late = maps.update({ ...(await maps.get('a')), data: { who: 'late' } })
    await held.whenHit()
    await maps.update({ ...(await maps.get('a')), data: { who: 'first' } })
    held.remove()
    await expect(late).rejects.toMatchObject({ reason: 'Conflict' })
    expect((await maps.get('a')).data).toEqual({ who: 'first' })
  })

  it('is let go by clear, and whoever waited for the fault is told', async () => {
    const server = await newServer()
    const held = server.faults.hold({ verb: 'get' })
    const got = mapsOf(server).get('kube-root-ca.crt')
    await held.whenHit()
    const twice = expect(held.whenHit(2)).rejects.toThrow('the fault was removed after 1 hits')
    server.faults.clear()
    await Promise.all([got, twice])
  })

  it('does not keep the server from stopping', async () => {
    const server = await newServer()
    const held = server.faults.hold({ verb: 'get' })
    const got = codeOf(mapsOf(server).get('kube-root-ca.crt'))
    await held.whenHit()
    server.faults.storeOutage()
    const began = performance.now()
    await server.stop()
    await got
    // A request may take a minute.
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('is cut off before it is done', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    const cut = server.faults.cut({ verb: 'create' })
    expect(await codeOf(maps.create({ metadata: { name: 'a' } }))).toBe('sent')
    expect(await codeOf(maps.get('a'))).toBe(404)
    // A read is tried again by the client itself.
    server.faults.cut({ verb: 'get' }, { times: 2 })
    await maps.get('kube-root-ca.crt')
    expect(cut.hits).toBe(1)
  })

  it('is cut off after it was done, which its client cannot know', async () => {
    const server = await newServer()
    const maps = mapsOf(server)
    server.faults.cut({ verb: 'create' }, { when: 'after' })
    expect(await codeOf(maps.create({ metadata: { name: 'a' } }))).toBe('sent')
    expect((await maps.get('a')).metadata.name).toBe('a')
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toMatchObject({ reason: 'AlreadyExists' })
  })

  it('takes everything with it that is under way on its connection', async () => {
    const server = await newServer()
    const [mine, others] = [mapsOf(server), mapsOf(server)]
    const held = server.faults.hold({ verb: 'create', name: 'a' }, { times: 2 })
    const codes = [mine, others].map((maps) => codeOf(maps.create({ metadata: { name: 'a' } })))
    await held.whenHit(2)
    server.faults.cut({ name: 'b' })
    expect(await codeOf(mine.create({ metadata: { name: 'b' } }))).toBe('sent')
    expect(await codes[0]).toBe('sent')
    held.remove()
    expect(await codes[1]).toBe(200)
    // Over HTTP/1.1 as well.
    server.faults.cut({ verb: 'get' })
    await expect(plain(server).request(`${MAPS}/a`)).rejects.toThrow('socket hang up')
  })

  it('meets a store that went away while it was held', async () => {
    const server = await newServer()
    const held = server.faults.hold({ verb: 'create' })
    const created = mapsOf(server).create({ metadata: { name: 'a' } })
    const failed = expect(created).rejects.toMatchObject({ reason: 'ServerTimeout' })
    await held.whenHit()
    using _ = server.faults.storeOutage()
    held.remove()
    await failed
  })
})

describe('after clear', () => {
  it('everything is as it was', async () => {
    const server = await newServer()
    const { faults } = server
    const maps = mapsOf(server)
    const informer = maps.informer().start()
    onTestFinished(() => informer.stop())
    await informer.waitForSync()
    const times = 'always'
    const injected = [
      faults.fail({}, { status: 500, times }),
      faults.fail({}, { status: 409, times }),
      faults.delay({}, { milliseconds: 100, times }),
      faults.hold({}, { times }),
      faults.cut({}, { times }),
      faults.cut({}, { when: 'after', times }),
      faults.watches().freeze(),
      faults.watches().slow({ milliseconds: 60_000 }),
      faults.watches().dropEvents(),
      faults.staleReplica(),
      faults.storeOutage(),
    ]
    expect(await codeOf(maps.get('kube-root-ca.crt'))).toBe(500)
    faults.clear()
    const hits = injected.map((fault) => fault.hits)
    const made = await maps.create({ metadata: { name: 'a' } })
    await maps.update({ ...made, data: { text: 'x' } })
    const { resourceVersion } = (await maps.get('a')).metadata
    await expect
      .poll(() => informer.get('a', 'default')?.metadata.resourceVersion, { interval: 5 })
      .toBe(resourceVersion)
    await maps.delete('a')
    await expect.poll(() => informer.size, { interval: 5 }).toBe((await maps.list()).items.length)
    expect((await plain(server).request('/readyz')).status).toBe(200)
    expect(injected.map((fault) => fault.hits)).toEqual(hits)
  })
})

describe('a fork', () => {
  it('has faults of its own, also before its first request, and none of its parent’s', async () => {
    const server = await newServer()
    await mapsOf(server).create({ metadata: { name: 'a' } })
    server.faults.storeOutage()
    server.faults.fail({}, { status: 500, times: 'always' })
    const fork = await server.fork()
    onTestFinished(() => fork.stop())
    const fault = fork.faults.fail({ verb: 'create', resource: 'configmaps', name: 'b' }, { status: 409 })
    expect(() => fork.faults.fail({ resource: 'configmap' }, { status: 500 })).toThrow('did you mean configmaps?')
    expect(await codeOf(mapsOf(fork).create({ metadata: { name: 'b' } }))).toBe(409)
    expect(fault.hits).toBe(1)
    await mapsOf(fork).create({ metadata: { name: 'b' } })
    const { items } = await mapsOf(fork).list()
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'kube-root-ca.crt'])
    server.faults.clear()
    expect(await codeOf(mapsOf(server).get('b'))).toBe(404)
  })

  it('goes on from a stale replica with all that was written', async () => {
    const server = await newServer()
    server.faults.staleReplica()
    await mapsOf(server).create({ metadata: { name: 'a' } })
    const fork = await server.fork()
    onTestFinished(() => fork.stop())
    expect((await mapsOf(fork).get('a', { resourceVersion: '0' })).metadata.name).toBe('a')
  })
})

describe('virtual time', () => {
  it('neither waits for a request that is held nor lets it go', async () => {
    const server = await newServer({ clock: 'virtual', seed: 'a' })
    const held = server.faults.hold({ verb: 'create', name: 'a' })
    const created = mapsOf(server).create({ metadata: { name: 'a' } })
    await held.whenHit()
    await server.clock.advance('1h')
    expect(await codeOf(mapsOf(server).get('a'))).toBe(404)
    held.remove()
    expect((await created).metadata.name).toBe('a')
  })
})
