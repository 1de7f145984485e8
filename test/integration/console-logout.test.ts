// The end of a session of the console: a logout ends it on every worker and replica, with all that is open, and is audited.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newUser } from '../rigs/new-user.ts'
import {
  type OpenServer,
  openReplica,
  openServer,
  openServerWith,
  reachServer,
  type ServerAnswer,
} from '../rigs/running-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const
const JANE = 'secret-of-jane'

type Reached = Pick<OpenServer, 'request'>

function post(server: Reached, place: string, cookie = '', body: object = {}): Promise<ServerAnswer> {
  const headers = { ...OWN_PAGE, ...(cookie === '' ? {} : { cookie }) }
  return server.request(place, { method: 'POST', token: '', headers, body })
}

async function logIn(server: Reached, token: string, cookie = ''): Promise<string> {
  const answer = await post(server, '/console/login', cookie, { token })
  expect(answer.status).toBe(200)
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
}

async function logOut(server: Reached, cookie: string): Promise<void> {
  const answer = await post(server, '/console/logout', cookie)
  expect([answer.status, answer.headers['set-cookie']?.[0]]).toEqual([200, expect.stringContaining('Max-Age=0')])
}

async function statusWith(server: Reached, cookie: string): Promise<number> {
  return (await server.request('/console/api/version', { token: '', headers: { ...OWN_PAGE, cookie } })).status
}

async function tokensFile(): Promise<string> {
  const file = path.join(await tempFolder(), 'tokens.csv')
  writeFileSync(file, `${JANE},jane,jane,system:masters\n`)
  return file
}

/** A stream of events that a page has open; resolves when it is broken off. */
async function openStream({ url, authority: ca }: Pick<OpenServer, 'url' | 'authority'>, cookie: string) {
  const place = '/console/api/api/v1/configmaps?watch=1&accept=text/event-stream'
  const request = https.get(`${url}${place}`, { ca, agent: false, headers: { ...OWN_PAGE, cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  const closed = new Promise<void>((resolve) => response.on('error', () => {}).on('close', resolve))
  response.resume()
  return { closed }
}

describe('a logout', () => {
  let server: OpenServer
  beforeAll(async () => {
    server = await openServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('ends the session for every copy of its cookie, and no other session', async () => {
    const [ended, other] = [await logIn(server, server.adminToken), await logIn(server, server.adminToken)]
    expect(await statusWith(server, ended)).toBe(200)
    await logOut(server, ended)
    expect(await statusWith(server, ended)).toBe(401)
    const session = await server.request('/console/session', { token: '', headers: { ...OWN_PAGE, cookie: ended } })
    expect(session.json()).toEqual({})
    expect(await statusWith(server, other)).toBe(200)
    expect(await statusWith(server, await logIn(server, server.adminToken))).toBe(200)
  })

  it('is needed by nobody who logs in anew: that ends the session before', async () => {
    const before = await logIn(server, server.adminToken)
    const failed = await post(server, '/console/login', before, { token: 'guessed' })
    expect([failed.status, await statusWith(server, before)]).toEqual([401, 200])
    const after = await logIn(server, server.adminToken, before)
    expect([await statusWith(server, before), await statusWith(server, after)]).toEqual([401, 200])
  })

  it('does nothing without a session, and is possible from pages of the console alone', async () => {
    const cookie = await logIn(server, server.adminToken)
    for (const forged of ['', '__Secure-quarterdeck=AAAA', `${cookie.slice(0, -6)}AAAAAA`]) await logOut(server, forged)
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      const call = { method: 'POST', token: '', headers: { ...headers, cookie } }
      expect((await server.request('/console/logout', call)).status).toBe(403)
    }
    expect((await server.request('/console/logout', { token: '', headers: { ...OWN_PAGE, cookie } })).status).toBe(405)
    expect(await statusWith(server, cookie)).toBe(200)
  })

  it('ends what is open with the session, and nothing else', async () => {
    const [cookie, other] = [await logIn(server, server.adminToken), await logIn(server, server.adminToken)]
    const [stream, kept] = [await openStream(server, cookie), await openStream(server, other)]
    await logOut(server, cookie)
    await stream.closed
    expect(await Promise.race([kept.closed.then(() => 'closed'), statusWith(server, other)])).toBe(200)
    await logOut(server, other)
    await kept.closed
  })

  it('takes no more room when it is repeated, and then ends what was begun before', async () => {
    const token = await newUser(server, 'restless', [])
    const stranger = await logIn(server, server.adminToken)
    const first = await logIn(server, token)
    for (let i = 0; i < 100; i++) await logOut(server, await logIn(server, token))
    expect(await statusWith(server, first)).toBe(200)
    await logOut(server, await logIn(server, token))
    expect(await statusWith(server, first)).toBe(401)
    expect(await statusWith(server, await logIn(server, token))).toBe(200)
    expect(await statusWith(server, stranger)).toBe(200)
  })
})

it('ends a session on all workers', async () => {
  for (const flags of [['--in-memory'], []]) {
    const started = await startServerProcess(['--workers', '2', ...flags], await newHome())
    const { url, adminToken } = started
    const known = started.kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? ''
    const authority = Buffer.from(known, 'base64').toString()
    const connect = () => reachServer({ url, authority, adminToken }, async () => {})
    // Each connection is given to the worker that has the fewest.
    const [one, ...others] = Array.from({ length: 4 }, connect)
    onTestFinished(async () => {
      for (const each of [one!, ...others]) await each[Symbol.asyncDispose]()
    })
    const cookie = await logIn(one!, adminToken)
    for (const other of others) expect(await statusWith(other, cookie)).toBe(200)
    const streams = await Promise.all(others.map(() => openStream({ url, authority }, cookie)))
    await logOut(one!, cookie)
    expect(await statusWith(one!, cookie)).toBe(401)
    for (const other of others) await expect.poll(() => statusWith(other, cookie)).toBe(401)
    await Promise.all(streams.map(({ closed }) => closed))
  }
})

it('ends a session on all replicas, and after a restart', async () => {
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  const flags = ['--token-auth-file', await tokensFile()]
  const [one, other] = await Promise.all([openReplica(etcd.endpoint, flags), openReplica(etcd.endpoint, flags)])
  const cookie = await logIn(one, JANE)
  expect(await statusWith(other, cookie)).toBe(200)
  const stream = await openStream(other, cookie)
  await logOut(one, cookie)
  expect(await statusWith(one, cookie)).toBe(401)
  await expect.poll(() => statusWith(other, cookie)).toBe(401)
  await stream.closed
  await Promise.all([one, other].map((replica) => replica[Symbol.asyncDispose]()))
  await using next = await openReplica(etcd.endpoint, flags)
  expect(await statusWith(next, cookie)).toBe(401)
  expect(await statusWith(next, await logIn(next, JANE))).toBe(200)
})

it('ends a session for the next process on an embedded store', async () => {
  const flags = ['--data-dir', await tempFolder(), '--token-auth-file', await tokensFile()]
  const before = await openServerWith(flags, {})
  const [ended, kept] = [await logIn(before, JANE), await logIn(before, JANE)]
  await logOut(before, ended)
  await before[Symbol.asyncDispose]()
  await using after = await openServerWith(flags, {})
  expect(await statusWith(after, ended)).toBe(401)
  expect(await statusWith(after, kept)).toBe(200)
})

describe('the audit log', () => {
  interface Event {
    readonly stage: string
    readonly verb: string
    readonly requestURI: string
    readonly user: { readonly username?: string; readonly groups?: readonly string[] }
    readonly sourceIPs: readonly string[]
    readonly responseStatus?: { readonly code: number }
  }

  it('tells who logged in and out, who failed, and from where, but no token', async () => {
    const folder = await tempFolder()
    const [policy, log] = [path.join(folder, 'policy.yaml'), path.join(folder, 'audit.log')]
    writeFileSync(
      policy,
      `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- { level: RequestResponse, nonResourceURLs: ['/console/*'] }
`,
    )
    const tokens = path.join(folder, 'tokens.csv')
    writeFileSync(tokens, `${JANE},jane,jane,team\n`)
    const audit = ['--audit-policy-file', policy, '--audit-log-path', log, '--audit-log-mode', 'blocking']
    const server = await openServer([...audit, '--token-auth-file', tokens])
    const cookie = await logIn(server, JANE)
    await post(server, '/console/login', '', { token: 'guessed-token' })
    await post(server, '/console/login', '', { token: 7 })
    await server.request('/console/login', { method: 'POST', token: '', body: { token: JANE } })
    await logOut(server, cookie)
    await logOut(server, cookie)
    // A token that is no longer valid when its session ends.
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await server.request(accounts, { method: 'POST', body: { metadata: { name: 'robot' } } })
    const granted = await server.request(`${accounts}/robot/token`, { method: 'POST', body: {} })
    const { token } = (granted.json() as { status: { token: string } }).status
    const late = await logIn(server, token)
    await server.request(`${accounts}/robot`, { method: 'DELETE' })
    await expect.poll(() => statusWith(server, late)).toBe(401)
    await logOut(server, late)
    await server[Symbol.asyncDispose]()
    const text = readFileSync(log, 'utf8')
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Event)
    const told = events.map(({ verb, requestURI, user, responseStatus }) => [
      `${verb} ${requestURI}`,
      user.username,
      responseStatus?.code,
    ])
    expect(told).toEqual([
      ['post /console/login', 'jane', 200],
      ['post /console/login', undefined, 401],
      ['post /console/login', undefined, 400],
      ['post /console/login', undefined, 403],
      ['post /console/logout', 'jane', 200],
      ['post /console/logout', 'system:anonymous', 200],
      ['post /console/login', 'system:serviceaccount:default:robot', 200],
      ['post /console/logout', 'system:serviceaccount:default:robot', 200],
    ])
    expect(events[0]!.user.groups).toEqual(['team', 'system:authenticated'])
    expect(new Set(events.flatMap(({ sourceIPs }) => sourceIPs))).toEqual(new Set(['127.0.0.1']))
    expect(text).not.toMatch(/secret-of|guessed-token|__Secure/)
  })
})
