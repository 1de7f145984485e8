// Who gets into the console, with what, and what a session is good for.
import { brotliDecompressSync } from 'node:zlib'
import https from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority, makeSigned } from '../../src/pki/certificate-maker.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newUser } from '../rigs/new-user.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

let server: OpenServer
let origin: string
beforeAll(async () => {
  server = await openServer()
  origin = server.url
})
afterAll(() => server[Symbol.asyncDispose]())

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const

function logIn(token: string, headers: Readonly<Record<string, string>> = OWN_PAGE): Promise<ServerAnswer> {
  return server.request('/console/login', { method: 'POST', token: '', headers, body: { token } })
}

function cookieOf({ headers }: Pick<ServerAnswer, 'headers'>): string {
  return headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
}

/** A request as a page of the console makes it. */
function asPage(cookie: string, place: string, call: { method?: string; body?: object; headers?: object } = {}) {
  return server.request(place, { ...call, token: '', headers: { cookie, ...OWN_PAGE, ...call.headers } })
}

describe('logging in', () => {
  it('seals the token in a cookie that no script and no other site gets', async () => {
    const answer = await logIn(server.adminToken)
    expect([answer.status, answer.json()]).toEqual([200, { user: 'admin' }])
    const [cookie = ''] = answer.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^__Secure-quarterdeck=[\w-]+; Path=\/console; Secure; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(server.adminToken)
    expect(Buffer.from(cookieOf(answer), 'base64url').toString('latin1')).not.toContain(server.adminToken)
  })

  it.each([
    ['an unknown token', { token: 'guessed' }, 401],
    ['no token and no certificate', {}, 401],
    ['something that is no token', { token: 7 }, 400],
    ['a token that is longer than a cookie', { token: 'x'.repeat(20_000) }, 400],
  ])('fails with %s', async (_title, body, status) => {
    const answer = await server.request('/console/login', { method: 'POST', token: '', headers: OWN_PAGE, body })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined])
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port of this host', { 'sec-fetch-site': 'same-site', origin: 'https://127.0.0.1:1' }],
    ['nobody who says so', {}],
  ])('is not possible for %s', async (_title, headers) => {
    expect((await logIn(server.adminToken, headers)).status).toBe(403)
  })

  it('is over when one logs out', async () => {
    const answer = await server.request('/console/logout', { method: 'POST', token: '', headers: OWN_PAGE })
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/^__Secure-quarterdeck=; .*Max-Age=0$/)])
  })

  it('is asked of nobody who has a session', async () => {
    const cookie = cookieOf(await logIn(server.adminToken))
    expect((await asPage(cookie, '/console/session')).json()).toEqual({ user: 'admin' })
    expect((await asPage('', '/console/session')).json()).toEqual({})
  })
})

describe('a session', () => {
  it('makes requests of the user, with the rights of the user and no more', async () => {
    const token = await newUser(server, 'reader', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
    ])
    const cookie = cookieOf(await logIn(token))
    const reviews = '/console/api/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const who = await asPage(cookie, reviews, { method: 'POST', body: {} })
    expect(who.json()).toMatchObject({ status: { userInfo: { username: 'system:serviceaccount:default:reader' } } })
    expect((await asPage(cookie, '/console/api/api/v1/namespaces/default/configmaps')).status).toBe(200)
    expect((await asPage(cookie, '/console/api/api/v1/namespaces/default/secrets')).status).toBe(403)
    expect((await asPage(cookie, '/console/api/metrics')).status).toBe(403)
    const made = { method: 'POST', body: { metadata: { name: 'x' } } }
    expect((await asPage(cookie, '/console/api/api/v1/namespaces/default/configmaps', made)).status).toBe(403)
  })

  it('ends with the token that it was begun with', async () => {
    const cookie = cookieOf(await logIn(await newUser(server, 'leaver', [])))
    const account = '/api/v1/namespaces/default/serviceaccounts/leaver'
    expect((await asPage(cookie, '/console/api/version')).status).toBe(200)
    await server.must(account, { method: 'DELETE' })
    expect((await asPage(cookie, '/console/api/version')).status).toBe(401)
  })

  it.each(['', '__Secure-quarterdeck=', '__Secure-quarterdeck=AAAA', `__Secure-quarterdeck=${'A'.repeat(200)}`])(
    'is not there with the cookie "%s"',
    async (cookie) => expect((await asPage(cookie, '/console/api/version')).status).toBe(401),
  )

  it('is no good once a bit of its cookie is changed', async () => {
    const cookie = cookieOf(await logIn(server.adminToken))
    const last = cookie.at(-5) === 'A' ? 'B' : 'A'
    expect((await asPage(cookie, '/console/api/version')).status).toBe(200)
    expect((await asPage(`${cookie.slice(0, -5)}${last}${cookie.slice(-4)}`, '/console/api/version')).status).toBe(401)
  })

  it('counts below /console/api alone, and nothing else counts there', async () => {
    const cookie = cookieOf(await logIn(server.adminToken))
    expect((await asPage(cookie, '/api/v1/namespaces')).status).toBe(403)
    const own = { authorization: `Bearer ${server.adminToken}` }
    expect((await asPage('', '/console/api/api/v1/namespaces', { headers: own })).status).toBe(401)
  })

  it.each([
    ['writes of another site', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['writes that do not say where they come from', 'DELETE', { 'sec-fetch-site': undefined }],
    ['reads of another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
  ])('does not let in %s', async (_title, method, headers) => {
    const cookie = cookieOf(await logIn(server.adminToken))
    const given = Object.entries({ cookie, ...OWN_PAGE, ...headers }).filter(([, value]) => value !== undefined)
    const call = { method, token: '', headers: Object.fromEntries(given) as Record<string, string> }
    expect((await server.request('/console/api/api/v1/namespaces/default/configmaps', call)).status).toBe(403)
  })

  it('lets in writes of a page that tells its origin', async () => {
    const cookie = cookieOf(await logIn(server.adminToken))
    const call = { method: 'POST', token: '', headers: { cookie, origin }, body: { metadata: { name: 'by-origin' } } }
    const answer = await server.request('/console/api/api/v1/namespaces/default/configmaps', call)
    expect(answer.status).toBe(201)
  })

  it('asks for tables as event streams, which a browser cannot say in a header', async () => {
    const cookie = cookieOf(await logIn(server.adminToken))
    const accept = encodeURIComponent('text/event-stream;as=Table;v=v1;g=meta.k8s.io')
    const place = `/console/api/api/v1/namespaces/default/serviceaccounts?watch=1&timeoutSeconds=1&accept=${accept}`
    const answer = await asPage(cookie, place)
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(answer.body).toMatch(/^event: ADDED\ndata: \{"kind":"Table"/)
  })

  it('is sealed with a key that the next process of the store has too, unless it is kept in memory', async () => {
    await logIn(server.adminToken)
    const secrets = '/api/v1/namespaces/kube-system/secrets'
    const { data } = await server.must(`${secrets}/quarterdeck-console-session-key`)
    expect(Buffer.from((data as { key: string }).key, 'base64')).toHaveLength(32)
    const cookie = cookieOf(await logIn(server.adminToken))
    await server.must(`${secrets}/quarterdeck-console-session-key`, { method: 'DELETE' })
    expect((await asPage(cookie, '/console/api/version')).status).toBe(401)
    await using alone = await openServer(['--console-session-key', 'memory'])
    const body = { token: alone.adminToken }
    await alone.must('/console/login', { method: 'POST', token: '', headers: OWN_PAGE, body })
    expect(await alone.must(secrets)).toMatchObject({ items: [] })
  })
})

it('is good at every replica, at once', async () => {
  const store = await startEtcd()
  onTestFinished(() => store[Symbol.asyncDispose]())
  const tokens = path.join(await tempFolder(), 'tokens.csv')
  writeFileSync(tokens, 'secret-of-jane,jane,jane\n')
  const flags = ['--etcd-servers', store.endpoint, '--token-auth-file', tokens]
  const [one, other] = await Promise.all(
    [newHome(), newHome()].map(async (home) => startServerProcess(flags, await home)),
  )
  const body = JSON.stringify({ token: 'secret-of-jane' })
  const begun = await one!.request('/console/login', { method: 'POST', headers: { ...OWN_PAGE }, body })
  const headers = { ...OWN_PAGE, cookie: cookieOf(begun) }
  expect(JSON.parse((await other!.request('/console/session', { headers })).body)).toEqual({ user: 'jane' })
})

it('is not begun with a key that is none', async () => {
  await using broken = await openServer()
  const secrets = '/api/v1/namespaces/kube-system/secrets'
  const metadata = { name: 'quarterdeck-console-session-key' }
  await broken.must(secrets, { method: 'POST', body: { metadata, stringData: { key: 'short' } } })
  const call = { method: 'POST', token: '', headers: OWN_PAGE, body: { token: broken.adminToken } }
  const answer = await broken.request('/console/login', call)
  expect([answer.status, answer.body]).toEqual([500, expect.stringContaining('has no key of 32 bytes; delete it')])
})

describe('a client certificate', () => {
  it('begins a session that is good with the certificate only, and gives way to a token', async () => {
    const authority = makeAuthority(600_000)
    const folder = await tempFolder()
    const file = path.join(folder, 'ca.pem')
    writeFileSync(file, authority.certificate)
    const { certificate: cert, key } = makeSigned(
      authority,
      { commonName: 'jane', organizations: ['dev'], usages: ['client'] },
      600_000,
    )
    await using guarded = await openServer(['--client-ca-file', file])
    const send = async (place: string, shown: object, headers: object, body?: object): Promise<ServerAnswer> => {
      const method = body === undefined ? 'GET' : 'POST'
      const options = { method, agent: false, ca: guarded.authority, ...shown, headers: { ...OWN_PAGE, ...headers } }
      const request = https.request(`${guarded.url}${place}`, options)
      request.end(body === undefined ? undefined : JSON.stringify(body))
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of response) text += String(chunk)
      const { statusCode: status = 0, headers: answered } = response
      return { status, headers: answered, body: text, json: () => JSON.parse(text) as Record<string, unknown> }
    }
    const jane = { cert, key }
    const reviews = '/console/api/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const nameIn = (answer: ServerAnswer): unknown =>
      (answer.json() as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username
    expect((await send('/console/session', jane, {})).json()).toEqual({ certificate: 'jane' })
    expect((await send('/console/api/version', jane, {})).status).toBe(401)
    const cookie = cookieOf(await send('/console/login', jane, {}, {}))
    expect(nameIn(await send(reviews, jane, { cookie }, {}))).toBe('jane')
    expect((await send('/console/api/version', {}, { cookie })).status).toBe(401)
    const asAdmin = cookieOf(await send('/console/login', jane, {}, { token: guarded.adminToken }))
    expect(nameIn(await send(reviews, jane, { cookie: asAdmin }, {}))).toBe('admin')
  })
})

describe('the files of the console', () => {
  const read = (place: string, headers: Readonly<Record<string, string>> = {}) =>
    server.request(place, { token: '', headers })

  it.each(['/console', '/console/', '/console/kinds/pods', '/console/objects/pods/default/x'])(
    'are one page at %s, which nothing of elsewhere gets into',
    async (place) => {
      const answer = await read(place)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(answer.headers['content-security-policy']).not.toMatch(/unsafe|http|data:|\*/)
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
      expect(answer.body).not.toMatch(/<script>|<style>|https?:/)
    },
  )

  it('are compressed already, kept for good by their names, and asked for anew only where they changed', async () => {
    const page = await read('/console/')
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page.body)?.[1] ?? ''
    expect(script).toMatch(/-[\w-]{8}\.js$/)
    const plain = await read(script)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const { etag = '' } = plain.headers
    const known = await read(script, { 'if-none-match': etag })
    expect([known.status, known.body]).toEqual([304, ''])
    const compressed = await new Promise<Buffer>((resolve) => {
      const options = { ca: server.authority, agent: false, headers: { 'accept-encoding': 'gzip, br' } }
      https.get(`${server.url}${script}`, options, (response) => {
        expect(response.headers['content-encoding']).toBe('br')
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)))
      })
    })
    expect(brotliDecompressSync(compressed).toString()).toBe(plain.body)
  })

  it('are under 300 KB in all, as they are sent', () => {
    const folder = path.join(import.meta.dirname, '../../dist/console')
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.br'))
    const bytes = names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
    expect(names.length).toBeGreaterThan(3)
    expect(bytes).toBeLessThan(300_000)
  })

  it.each(['/console/assets/none.js', '/console/assets/../index.html', '/console/assets/%2e%2e/built-from'])(
    'are not at %s',
    async (place) => expect((await read(place)).status).toBe(/\.\.|%2e/.test(place) ? 400 : 404),
  )

  it('take no other method', async () => {
    expect((await server.request('/console/', { method: 'POST', token: '', headers: OWN_PAGE })).status).toBe(405)
    expect((await server.request('/console/login', { token: '', headers: OWN_PAGE })).status).toBe(405)
  })
})

it('is not there where it is switched off', async () => {
  await using off = await openServer(['--console=false'])
  expect((await off.request('/console/')).status).toBe(404)
  expect((await off.request('/console/api/version')).status).toBe(404)
  expect((await off.request('/console/login', { method: 'POST', headers: OWN_PAGE, body: {} })).status).toBe(404)
})
