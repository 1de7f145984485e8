// The server as a library: in somebody else's process, without files, as often as they like.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { k8s } from '../../src/client/client.ts'
import { type Server, type ServerUser, startServer } from '../../src/index.ts'
import { collectGarbage } from '../rigs/garbage.ts'
import { reachServer, type ServerAnswer, type ServerCall } from '../rigs/running-server.ts'

const NAMESPACES = '/api/v1/namespaces'

/** One request of a user. */
async function ask(
  server: Server,
  user: string | ServerUser | undefined,
  path: string,
  call: ServerCall = {},
): Promise<ServerAnswer> {
  const { url, ca = '', token } = user === undefined ? server.credentials() : server.credentials(user)
  await using reached = reachServer({ url, authority: ca, adminToken: token }, async () => {})
  return await reached.request(path, call)
}

const makeNamespace = (name: string): ServerCall => ({ method: 'POST', body: { metadata: { name } } })

describe('a server in this process', () => {
  it('is in memory, on a port of its own, and stops at the end of its block', async () => {
    let url: string
    {
      await using server = await startServer()
      url = server.url
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
      expect((await ask(server, undefined, '/readyz')).body).toBe('ok')
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  it('knows users without files, from the start and made on the way', async () => {
    await using server = await startServer({ users: [{ name: 'ann', groups: ['developers'], token: 'known' }] })
    expect(server.credentials('ann').token).toBe('known')
    expect(server.credentials({ name: 'ann' }).token).toBe('known')
    const refused = await ask(server, 'ann', NAMESPACES)
    expect(refused.status).toBe(403)
    expect(refused.json()).toMatchObject({
      message: expect.stringContaining('User "ann" cannot list resource') as string,
    })
    const chief = { name: 'chief', groups: ['system:masters'] }
    expect((await ask(server, chief, NAMESPACES)).status).toBe(200)
    const whoAmI = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' }
    const bob = { name: 'bob', groups: ['testers'], uid: '7', extra: { shift: ['night'] } }
    const review = await ask(server, bob, '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      body: whoAmI,
    })
    expect(review.json()).toMatchObject({
      status: {
        userInfo: {
          username: 'bob',
          uid: '7',
          groups: ['testers', 'system:authenticated'],
          extra: { shift: ['night'] },
        },
      },
    })
    expect(() => server.credentials('nobody')).toThrow('there is no user nobody')
    await expect(startServer({ users: [{ name: 'a' }, { name: 'a' }] })).rejects.toThrow('there are two users a')
  })

  it('makes no administrator of a user that was not found', async () => {
    await using server = await startServer()
    const [missing] = [{ name: 'ann' }].filter(({ name }) => name === 'bob') as [never]
    for (const way of ['credentials', 'client', 'kubeconfig', 'kubeconfigFile'] as const) {
      expect(() => server[way](missing)).toThrow('the user is missing (it is undefined)')
    }
  })

  it('takes the same name with other groups for another user', async () => {
    const known = { name: 'ann', groups: ['system:masters'], token: 'known' }
    await using server = await startServer({ users: [known] })
    const statusAs = async (user: string | ServerUser) => (await ask(server, user, NAMESPACES)).status
    expect(await statusAs({ name: 'ann', groups: ['dev'] })).toBe(403)
    expect(await statusAs({ name: 'ann', groups: [] })).toBe(403)
    expect(await statusAs({ name: 'ann', groups: ['system:masters'] })).toBe(200)
    expect(await statusAs({ name: 'ann', uid: '7' })).toBe(403)
    expect(await statusAs('ann')).toBe(200)
    const { token } = server.credentials({ name: 'ann', groups: ['dev'] })
    expect(server.credentials({ name: 'ann', groups: ['dev'] }).token).toBe(token)
    expect(server.credentials({ name: 'ann', groups: ['system:masters'] }).token).toBe('known')
    expect(server.credentials({ ...known, token: 'second' }).token).toBe('second')
    expect(() => server.credentials({ name: 'bob', token: 'known' })).toThrow('the token is that of another user, ann')
    await using fork = await server.fork()
    expect(fork.credentials({ name: 'ann', groups: ['dev'] }).token).toBe(token)
    expect(fork.credentials('ann').token).toBe('known')
  })

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a server',
      () => startServer({ prot: 6443 } as never),
      'startServer: there is no option "prot"; did you mean port?',
    ],
    ['a place', () => startServer({ datadir: '/x' } as never), 'there is no option "datadir"; did you mean dataDir?'],
    [
      'a clock',
      () => startServer({ clock: 'virtul' as never }),
      'startServer: clock must be one of system, virtual, not "virtul"',
    ],
    [
      'a user',
      () => startServer({ users: [{ name: 'ann', group: ['x'] } as never] }),
      'user ann: there is no option "group"; did you mean groups?',
    ],
    ['a user without a name', () => startServer({ users: [{ name: '' }] }), 'user: the name is missing (it is empty)'],
    [
      'a user with no token',
      () => startServer({ users: [{ name: 'ann', token: '' }] }),
      'user ann: the token is missing',
    ],
    ['a flag', () => startServer({ flags: { 'feature-gate': 'X=true' } }), '--feature-gates'],
  ])('does not start with what does not exist: %s', async (_what, start, message) => {
    await expect(start()).rejects.toThrow(message)
  })

  it('refuses options that do not exist, in all that it does', async () => {
    await using server = await startServer()
    await expect(server.fork({ prot: 1 } as never)).rejects.toThrow(
      'fork: there is no option "prot"; did you mean port?',
    )
    await expect(server.fork({ flags: {} } as never)).rejects.toThrow('fork: there is no option "flags"')
    expect(() => server.recordRequests({ limt: 1 } as never)).toThrow('there is no option "limt"; did you mean limit?')
    expect(() => server.client({ name: 'ann', group: [] } as never)).toThrow('user ann: there is no option "group"')
    expect(() => server.credentials('')).toThrow('user: the user is missing (it is empty)')
  })

  it('gives clients, which are closed with it', async () => {
    await using server = await startServer()
    const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
    await maps.create({ metadata: { name: 'a' }, data: { text: 'hello' } })
    expect((await maps.get('a')).data).toEqual({ text: 'hello' })
    const refused = server.client({ name: 'ann' }).resource(k8s.ConfigMap).inNamespace('default').get('a')
    await expect(refused).rejects.toMatchObject({ code: 403 })
    await server.stop()
    await expect(maps.get('a')).rejects.toThrow()
  })

  it('answers many requests of one client at once', async () => {
    await using server = await startServer()
    const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
    const data = { text: 'v'.repeat(700) }
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < 500) {
        const name = `m-${next++}`
        expect((await maps.create({ metadata: { name }, data })).metadata.name).toBe(name)
      }
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  })

  it('gives kubeconfigs as objects and as files, which go with it', async () => {
    await using server = await startServer()
    const { clusters, users, ...rest } = server.kubeconfig({ name: 'ann' })
    expect(rest).toMatchObject({ kind: 'Config', 'current-context': 'quarterdeck' })
    expect(clusters[0]?.cluster.server).toBe(server.url)
    expect(users).toEqual([{ name: 'ann', user: { token: server.credentials('ann').token } }])
    const file = server.kubeconfigFile('ann')
    expect(server.kubeconfigFile('ann')).toBe(file)
    expect(server.kubeconfigFile({ name: 'admin' })).not.toBe(server.kubeconfigFile())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(server.kubeconfig('ann'))
    await server.stop()
    expect(existsSync(path.dirname(file))).toBe(false)
  })

  it('takes the flags of the command, and says in one line what is wrong with them', async () => {
    await using server = await startServer({ flags: { dev: true, 'authorization-mode': 'AlwaysAllow' } })
    expect((await ask(server, { name: 'anybody' }, NAMESPACES)).status).toBe(200)
    await expect(startServer({ flags: { 'no-such-flag': 1 } })).rejects.toThrow('no-such-flag')
  })

  it('keeps what it has in a folder where it is told one', async () => {
    const { mkdtemp, rm } = await import('node:fs/promises')
    const dataDir = await mkdtemp('/tmp/quarterdeck-library-')
    try {
      {
        await using server = await startServer({ dataDir })
        expect((await ask(server, undefined, NAMESPACES, makeNamespace('kept'))).status).toBe(201)
      }
      await using again = await startServer({ dataDir })
      expect((await ask(again, undefined, `${NAMESPACES}/kept`)).status).toBe(200)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe('many servers in one process', () => {
  it('know nothing of each other', async () => {
    const servers = await Promise.all(Array.from({ length: 50 }, () => startServer()))
    try {
      await Promise.all(servers.map((server, i) => ask(server, undefined, NAMESPACES, makeNamespace(`only-${i}`))))
      const seen = await Promise.all(
        servers.map(async (server) => {
          const { items } = (await ask(server, undefined, NAMESPACES)).json() as {
            items: { metadata: { name: string } }[]
          }
          return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('only-'))
        }),
      )
      expect(seen).toEqual(servers.map((_, i) => [`only-${i}`]))
      const stranger = await ask(servers[1]!, undefined, NAMESPACES, { token: servers[0]!.credentials().token })
      expect(stranger.status).toBe(401)
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  })

  it('leave nothing behind, one after the other', async () => {
    const once = async (): Promise<void> => {
      await using server = await startServer()
      await ask(server, undefined, NAMESPACES, makeNamespace('a'))
    }
    for (let i = 0; i < 10; i++) await once()
    await collectGarbage()
    const handles = process.getActiveResourcesInfo().length
    const { heapUsed } = process.memoryUsage()
    for (let i = 0; i < 90; i++) await once()
    await collectGarbage()
    // A timer of the test runner's own may come or go; one handle left by each of ninety servers is seen.
    expect(process.getActiveResourcesInfo().length - handles).toBeLessThan(10)
    // A server takes several megabytes: ninety that stayed would be hundreds.
    expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(10_000_000)
  })

  it('keep no client that was closed', async () => {
    await using server = await startServer()
    const use = async (): Promise<WeakRef<object>> => {
      using client = server.client()
      await client.request({ method: 'GET', path: '/version' })
      return new WeakRef(client)
    }
    const clients = [await use(), await use(), await use()]
    await collectGarbage()
    expect(clients.filter((client) => client.deref() !== undefined)).toEqual([])
  })
})
