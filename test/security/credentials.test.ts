// Tokens and certificates on the whole server: rows of the hardening list about who is let in, with what, and for how long.
import { sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { makeAuthority, makeSigned } from '../../src/pki/certificate-maker.ts'
import { childrenOf, readElement, SEQUENCE } from '../../src/pki/der-reader.ts'
import * as der from '../../src/pki/der-writer.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-credentials-'))
const clients = makeAuthority(3_600_000)
const proxies = makeAuthority(3_600_000)
const strangers = makeAuthority(3_600_000)
const STATIC = 'sentinel-static-token'

const lines: string[] = []
const keep = (fields: object, text: string): void => {
  const shown = (value: unknown): unknown => (value instanceof Error ? `${value.stack} ${String(value.cause)}` : value)
  lines.push(`${text} ${JSON.stringify(Object.entries(fields).map(([key, value]) => [key, shown(value)]))}`)
}
const LISTENING: Log = { debug: keep, info: keep, warn: keep, error: keep }

let server: OpenServer

beforeAll(async () => {
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }
  server = await openServer(
    [
      `--token-auth-file=${file('tokens.csv', `${STATIC},jane,7,"dev"\n`)}`,
      `--client-ca-file=${file('clients.crt', clients.certificate)}`,
      `--requestheader-client-ca-file=${file('proxies.crt', proxies.certificate)}`,
      '--requestheader-allowed-names=proxy',
      '--service-account-extend-token-expiration=false',
      '--enable-bootstrap-token-auth',
    ],
    LISTENING,
  )
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

async function tokenOf(name: string, spec: object = {}): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
  const answer = await server.must(`${ACCOUNTS}/${name}/token`, { method: 'POST', body })
  return (answer as unknown as TokenAnswer).status.token
}

async function account(name: string): Promise<void> {
  await server.must(ACCOUNTS, { method: 'POST', body: { metadata: { name } } })
}

const statusWith = async (token: string): Promise<number> => (await server.request('/api', { token })).status

interface Shown {
  readonly headers?: Record<string, string>
  readonly certificate?: { readonly cert: string; readonly key: string }
}

/** The user that a request is taken for, over a connection of its own; or the code where it is refused. */
async function whoami({ headers = {}, certificate }: Shown): Promise<string> {
  const https = await import('node:https')
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        hostname,
        port,
        path: WHOAMI,
        method: 'POST',
        agent: false,
        ca: server.authority,
        ...certificate,
        headers: {
          'content-type': 'application/json',
          ...headers,
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => {
          const body = JSON.parse(text) as { status?: { userInfo?: { username: string } } }
          resolve(response.statusCode === 201 ? (body.status?.userInfo?.username ?? '') : String(response.statusCode))
        })
      },
    )
    request.on('error', reject)
    request.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }))
  })
}

const certificate = (authority: typeof clients, commonName: string): { cert: string; key: string } => {
  const made = makeSigned(authority, { commonName, organizations: ['dev'], usages: ['client'] }, 3_600_000)
  return { cert: made.certificate, key: made.key }
}

/** A certificate with these common names, in this order. */
function withNames(authority: typeof clients, first: string, last: string): { cert: string; key: string } {
  const made = makeSigned(authority, { commonName: last, organizations: [first], usages: ['client'] }, 3_600_000)
  const [signed, algorithm] = childrenOf(readElement(new X509Certificate(made.certificate).raw), SEQUENCE)!
  const body = der.sequence(signed!.content)
  // The organization becomes a common name; the types differ in one byte.
  body[body.indexOf(der.objectId('2.5.4.10')) + 4] = 3
  const signature = der.bitString(sign('sha256', body, authority.key))
  const whole = der.sequence(body, der.sequence(algorithm!.content), signature)
  return { cert: new X509Certificate(whole).toString(), key: made.key }
}

it('of two common names in a certificate the last counts, for users and for proxies', async () => {
  expect(await whoami({ certificate: withNames(clients, 'jane', 'joe') })).toBe('joe')
  expect(await whoami({ certificate: withNames(clients, 'joe', 'jane') })).toBe('jane')
  const headers = { 'x-remote-user': 'jim' }
  expect(await whoami({ headers, certificate: withNames(proxies, 'other', 'proxy') })).toBe('jim')
  expect(await whoami({ headers, certificate: withNames(proxies, 'proxy', 'other') })).toBe('401')
})

describe('CIS 1.2.21 and 1.2.22: tokens of service accounts', () => {
  it('stop working within a second of the deletion of their account, and do not come back with its name (P-033, P-041)', async () => {
    await account('going')
    const token = await tokenOf('going')
    expect(await statusWith(token)).toBe(200)
    await server.must(`${ACCOUNTS}/going`, { method: 'DELETE' })
    await expect.poll(() => statusWith(token), { interval: 20 }).toBe(401)
    await account('going')
    expect(await statusWith(token)).toBe(401)
  })

  it('stop working within a second of the deletion of what they are bound to (P-041, P-046)', async () => {
    await account('bound')
    const secrets = '/api/v1/namespaces/default/secrets'
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 'bound' } } })
    const token = await tokenOf('bound', { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'bound' } })
    expect(await statusWith(token)).toBe(200)
    await server.must(`${secrets}/bound`, { method: 'DELETE' })
    await expect.poll(() => statusWith(token), { interval: 20 }).toBe(401)
  })

  it('are good at once, however many are asked for at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        await account(`fresh-${i}`)
        expect(await statusWith(await tokenOf(`fresh-${i}`))).toBe(200)
      }),
    )
  })
})

describe('CIS 1.2.30: no token lasts longer than it was asked for', () => {
  it.each([600, 3607, 7200])('%i seconds (P-048)', async (expirationSeconds) => {
    await account(`lasting-${expirationSeconds}`)
    const spec = { containers: [{ name: 'c', image: 'i' }], serviceAccountName: `lasting-${expirationSeconds}` }
    const body = { metadata: { name: `lasting-${expirationSeconds}` }, spec }
    await server.must('/api/v1/namespaces/default/pods', { method: 'POST', body })
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: `lasting-${expirationSeconds}` }
    const token = await tokenOf(`lasting-${expirationSeconds}`, { expirationSeconds, boundObjectRef })
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number; iat: number }
    expect(claims.exp - claims.iat).toBe(expirationSeconds)
  })
})

describe('CIS 1.2.1: a bad credential is never taken for none (P-012, P-032)', () => {
  it.each([
    ['a token that nobody knows', 'nope'],
    [
      'a token that looks like one of ours',
      'eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMuY2x1c3Rlci5sb2NhbCJ9.AA',
    ],
    ['a token to join with', 'abcdef.0123456789abcdef'],
  ])('%s', async (_name, token) => {
    for (const target of ['/livez', '/version', '/api'])
      expect((await server.request(target, { token })).status).toBe(401)
  })

  it('a certificate of an authority that is not ours', async () => {
    expect(await whoami({ certificate: certificate(strangers, 'root') })).toBe('401')
  })
})

describe('CVE-2019-16276: a proxy is believed only with its certificate', () => {
  const headers = { 'x-remote-user': 'boss', 'x-remote-group': 'system:masters' }

  it('with it the user is whom it names (P-076)', async () => {
    expect(await whoami({ certificate: certificate(proxies, 'proxy'), headers })).toBe('boss')
  })

  it.each([
    ['without a certificate', undefined, '403'],
    ['with that of a user', () => certificate(clients, 'jane'), 'jane'],
    ['with that of another program of the proxies’ authority', () => certificate(proxies, 'other'), '401'],
    ['with that of a stranger', () => certificate(strangers, 'proxy'), '401'],
  ] as const)('%s it is not (P-020, P-076, P-077)', async (_name, make, expected) => {
    expect(await whoami({ headers, ...(make === undefined ? {} : { certificate: make() }) })).toBe(expected)
  })
})

describe('CIS 1.2.24, 1.2.25 and 1.2.29: TLS', () => {
  const connect = (options: tls.ConnectionOptions): Promise<string> => {
    const { hostname, port } = new URL(server.url)
    return new Promise((resolve) => {
      const socket = tls.connect({ host: hostname, port: Number(port), ca: server.authority, ...options }, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.on('error', () => resolve('refused'))
    })
  }

  it.each([
    ['TLS 1.3', { minVersion: 'TLSv1.3' }, /^TLSv1\.3 TLS_/],
    ['TLS 1.2 with a good suite', { maxVersion: 'TLSv1.2' }, /^TLSv1\.2 ECDHE-ECDSA-(AES|CHACHA)/],
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, /refused/],
    ['a suite without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }, /refused/],
    ['a suite that can be tampered with', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }, /refused/],
  ] as const)('%s', async (_name, options, expected) => {
    expect(await connect(options)).toMatch(expected)
  })
})

describe('CVE-2019-11250: no credential stands in the log', () => {
  it('whatever was asked with it, and whatever became of it', async () => {
    await account('logged')
    const token = await tokenOf('logged')
    const bad = `${token.slice(0, -4)}AAAA`
    const sentinels = [STATIC, token, bad, 'sentinel-bad-token', server.adminToken, 'sentinel-password']
    for (const shown of sentinels) {
      await server.request('/api/v1/namespaces/default/configmaps?token=x', { token: shown })
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: shown } }
      await server.request('/apis/authentication.k8s.io/v1/tokenreviews', { method: 'POST', body })
      const data = { password: Buffer.from(shown).toString('base64') }
      await server.request('/api/v1/namespaces/default/secrets', {
        method: 'POST',
        body: { metadata: { name: 'Bad_Name' }, data },
      })
    }
    expect(lines.length).toBeGreaterThan(0)
    const all = lines.join('\n')
    for (const shown of sentinels) {
      expect(all.includes(shown)).toBe(false)
      expect(all.includes(Buffer.from(shown).toString('base64'))).toBe(false)
    }
  })
})
