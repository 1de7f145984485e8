// Logging in to the console at an OpenID Connect provider, in a real browser: the code flow with PKCE, and who cannot get in by it.
import { hash, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { signJwt } from '../../src/auth/jwt.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { openPage } from '../rigs/browser.ts'
import { useBrowser } from '../rigs/console.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const authority = makeAuthority(3_600_000)
const { certificate, key } = makeServing(authority, { dns: ['localhost'], addresses: ['127.0.0.1'] }, 3_600_000)
const signer = generateKeyPairSync('rsa', { modulusLength: 2048 })

const browser = useBrowser()

interface Asked {
  readonly redirect_uri: string
  readonly state: string
  readonly nonce: string
  readonly code_challenge: string
}

interface Provider {
  readonly url: string
  /** What browsers came with, one after another. */
  readonly asked: Asked[]
  /** What is in tokens beside what has to be. */
  claims: object
}

/** Lets everybody in as jane, but only whoever can show what the challenge was made of. */
async function startProvider(): Promise<Provider> {
  const asked: Asked[] = []
  const provider = { url: '', asked, claims: {} }
  const idToken = (nonce: string): string => {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: provider.url, aud: 'console', sub: 'jane', exp: now + 600, iat: now, nonce, ...provider.claims }
    return signJwt({ key: signer.privateKey, id: 'one', algorithm: 'RS256' }, all)
  }
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const target = new URL(request.url ?? '', provider.url)
    const say = (value: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (target.pathname === '/authorize') {
      const question = Object.fromEntries(target.searchParams) as unknown as Asked
      asked.push(question)
      const location = `${question.redirect_uri}?code=code-${asked.length - 1}&state=${question.state}`
      return void response.writeHead(302, { location }).end()
    }
    if (target.pathname === '/keys') {
      return say({ keys: [{ ...signer.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] })
    }
    if (target.pathname !== '/token') {
      const { url } = provider
      return say({
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
      })
    }
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const form = new URLSearchParams(body)
      const question = asked[Number(/^code-(\d+)$/.exec(form.get('code') ?? '')?.[1])]
      const isProven = hash('sha256', form.get('code_verifier') ?? '', 'base64url') === question?.code_challenge
      if (question === undefined || !isProven) return void response.writeHead(400).end('{"error":"invalid_grant"}')
      return say({ id_token: idToken(question.nonce) })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  provider.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return provider
}

async function startServer(provider: Provider): Promise<OpenServer & { readonly auditLog: string }> {
  const folder = await tempFolder()
  const [file, policy, auditLog] = ['ca.pem', 'policy.yaml', 'audit.log'].map((name) => path.join(folder, name))
  const rules = "[{ level: Metadata, nonResourceURLs: ['/console/*'] }]"
  writeFileSync(policy!, `apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: ${rules}\n`)
  writeFileSync(file!, authority.certificate)
  const server = await openServer([
    '--oidc-issuer-url',
    provider.url,
    '--oidc-client-id',
    'console',
    '--oidc-ca-file',
    file!,
    '--audit-policy-file',
    policy!,
    '--audit-log-path',
    auditLog!,
  ])
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { ...server, auditLog: auditLog! }
}

it('lets in whom the provider has let in', async () => {
  const provider = await startProvider()
  const server = await startServer(provider)
  const { page, complaints } = await openPage(browser(), server.url)
  await page.getByRole('link', { name: `Log in at ${new URL(provider.url).host}` }).click()
  await page.getByText(`${provider.url}#jane`, { exact: true }).waitFor()
  expect(provider.asked).toMatchObject([
    { redirect_uri: `${server.url}/console/provider/callback`, response_type: 'code', code_challenge_method: 'S256' },
  ])
  const session = (await page.context().cookies()).find(({ name }) => name === '__Secure-quarterdeck')
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  const headers = { 'sec-fetch-site': 'same-origin', cookie: `${session?.name}=${session?.value}` }
  const copied = async (): Promise<number> =>
    (await server.request('/console/api/version', { token: '', headers })).status
  expect(await copied()).toBe(200)
  // Another login of the same browser ends the session before.
  await page.goto(`${server.url}/console/provider/login`)
  await page.getByText(`${provider.url}#jane`, { exact: true }).waitFor()
  expect(await copied()).toBe(401)
  const next = (await page.context().cookies()).find(({ name }) => name === '__Secure-quarterdeck')
  headers.cookie = `${next?.name}=${next?.value}`
  expect(await copied()).toBe(200)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Token', { exact: true }).waitFor()
  expect(await copied()).toBe(401)
  expect(complaints).toEqual([])
})

it('lets in nobody with the answer to another login, or with a token that was made for another', async () => {
  const provider = await startProvider()
  const server = await startServer(provider)
  const call = { token: '', headers: {} }
  const begun = await server.request('/console/provider/login', call)
  expect(begun.status).toBe(303)
  const [cookie = ''] = (begun.headers['set-cookie']?.[0] ?? '').split(';', 1)
  expect(begun.headers['set-cookie']?.[0]).toMatch(
    /; Path=\/console\/provider; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
  const { searchParams } = new URL(begun.headers.location ?? '')
  const { challenge, state, nonce } = {
    challenge: searchParams.get('code_challenge') ?? '',
    state: searchParams.get('state') ?? '',
    nonce: searchParams.get('nonce') ?? '',
  }
  provider.asked.push({ redirect_uri: '', state, nonce, code_challenge: challenge })
  const comeBack = (search: string, sent: string) =>
    server.request(`/console/provider/callback?${search}`, { ...call, headers: sent === '' ? {} : { cookie: sent } })
  expect((await comeBack(`code=code-0&state=${state}`, '')).status).toBe(401)
  expect((await comeBack('code=code-0&state=guessed', cookie)).status).toBe(401)
  expect((await comeBack(`error=access_denied&state=${state}`, cookie)).body).toContain('access_denied')
  provider.claims = { nonce: 'of another login' }
  expect((await comeBack(`code=code-0&state=${state}`, cookie)).body).toContain('made for another login')
  provider.claims = { aud: 'another client' }
  expect((await comeBack(`code=code-0&state=${state}`, cookie)).status).toBe(401)
  provider.claims = {}
  expect((await comeBack(`code=unknown&state=${state}`, cookie)).status).toBe(503)
  const good = await comeBack(`code=code-0&state=${state}`, cookie)
  expect([good.status, good.headers.location]).toEqual([303, '/console/'])
  await server[Symbol.asyncDispose]()
  const log = readFileSync(server.auditLog, 'utf8')
  const events = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { requestURI: string; user: object; responseStatus: { code: number } })
  expect(events.map(({ requestURI, responseStatus: { code } }) => `${requestURI} ${code}`)).toEqual(
    [401, 401, 401, 401, 401, 503, 303].map((code) => `/console/provider/callback ${code}`),
  )
  expect(events.at(-1)!.user).toMatchObject({ username: `${provider.url}#jane` })
  expect(log).not.toContain('code-0')
})
