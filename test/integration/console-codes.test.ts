// `quarterdeck console`: a code logs a browser in, and nothing else does. And where browsers find the console.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../rigs/browser.ts'
import { openServer, type OpenServer, openServerWith, type ServerAnswer } from '../rigs/running-server.ts'
import { newHome, runCommand, startServerProcess } from '../rigs/server-process.ts'

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const

let server: OpenServer
let folder: string
let auditFile: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-codes-'))
  auditFile = path.join(folder, 'audit.log')
  const policy = path.join(folder, 'policy.yaml')
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n')
  const audit = ['--audit-log-path', auditFile, '--audit-log-mode', 'blocking', '--audit-policy-file', policy]
  server = await openServerWith(['--in-memory', ...audit], {})
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function newCode(): Promise<string> {
  const { code } = await server.must('/console/code', { method: 'POST', body: {} })
  return String(code)
}

function logInBy(code: string, headers: Readonly<Record<string, string>> = OWN_PAGE): Promise<ServerAnswer> {
  return server.request('/console/login', { method: 'POST', token: '', headers, body: { code } })
}

function auditedUris(): readonly string[] {
  const lines = readFileSync(auditFile, 'utf8').trim().split('\n')
  return lines
    .map((line) => JSON.parse(line) as { requestURI: string; stage: string; user: { username: string } })
    .filter(({ stage, requestURI }) => stage === 'ResponseComplete' && requestURI.startsWith('/console/'))
    .map(({ requestURI, user }) => `${requestURI} ${user.username}`)
}

describe('a code', () => {
  it('begins one session with the rights of the token', async () => {
    const code = await newCode()
    const answer = await logInBy(code)
    expect([answer.status, answer.json()]).toEqual([200, { user: 'admin' }])
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    const page = { token: '', headers: { ...OWN_PAGE, cookie } }
    expect((await server.request('/console/api/api/v1/namespaces', page)).status).toBe(200)
    const again = await logInBy(code)
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined])
  })

  it('begins one session of several that are tried at once', async () => {
    const code = await newCode()
    const answers = await Promise.all(Array.from({ length: 8 }, () => logInBy(code)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(401)])
  })

  it('is not used up by another site that tries it', async () => {
    const code = await newCode()
    const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await logInBy(code, evil)).status).toBe(403)
    expect((await logInBy(code, { ...OWN_PAGE, host: 'kubernetes.default' })).status).toBe(403)
    expect((await logInBy(code)).status).toBe(200)
  })

  it.each([
    ['no credential', { token: '' }, 401],
    ['an unknown token', { token: 'guessed' }, 401],
    ['impersonation', { headers: { 'impersonate-user': 'ann' } }, 400],
    ['a GET', { method: 'GET', body: '' }, 405],
    ['the name of another host', { headers: { host: 'kubernetes.default' } }, 403],
  ] as const)('is not made for %s', async (_title, call, status) => {
    expect((await server.request('/console/code', { method: 'POST', body: {}, ...call })).status).toBe(status)
  })

  it('is not made for a session: a page could give its rights away', async () => {
    const cookie = (await logInBy(await newCode())).headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    const page = { method: 'POST', token: '', headers: { ...OWN_PAGE, cookie }, body: {} }
    expect((await server.request('/console/code', page)).status).toBe(401)
    expect((await server.request('/console/api/console/code', page)).status).toBe(404)
  })

  it('is audited when it is made and when it is used, and is not in the log', async () => {
    const code = await newCode()
    await logInBy(code)
    await newCode()
    const told = ['/console/code admin', '/console/login admin', '/console/code admin']
    await expect.poll(() => auditedUris().slice(-3)).toEqual(told)
    expect(readFileSync(auditFile, 'utf8')).not.toContain(code.slice(0, 40))
  })
})

describe('the command', () => {
  it('prints a link that logs in, and takes the code out of the address', async () => {
    const home = await newHome()
    const running = await startServerProcess([], home)
    expect(running.stdout).toMatch(/console {2}https:\S+\/console\/ - log in with: npx quarterdeck console\n/)
    const { code, stdout } = await runCommand(['console', '--print-url'], home)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]+\n$/)])
    const browser = await openBrowser()
    try {
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
      await page.goto(stdout.trim())
      await page.getByRole('button', { name: 'Log out' }).waitFor()
      expect(page.url()).not.toContain('code')
      const second = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
      await second.goto(stdout.trim())
      await second.getByText('the code was used').waitFor()
      expect(await second.getByText('admin.kubeconfig').count()).toBe(1)
    } finally {
      await browser.close()
    }
    await running.stop()
  })

  it('starts the browser with a file that only the user can read', async () => {
    const home = await newHome()
    const running = await startServerProcess(['--in-memory'], home)
    const programs = path.join(home, 'bin')
    mkdirSync(programs)
    writeFileSync(path.join(programs, 'xdg-open'), `#!/bin/sh\nprintf %s "$*" > '${home}/opened'\n`)
    chmodSync(path.join(programs, 'xdg-open'), 0o755)
    const environment = { PATH: `${programs}:${process.env['PATH']}` }
    const given = ['console', '--kubeconfig', running.kubeconfigFile]
    const { code, stdout } = await runCommand(given, home, environment)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Opened the console of https://127.0.0.1:')])
    const opened = readFileSync(path.join(home, 'opened'), 'utf8')
    expect(opened).toMatch(/^file:\/\/\S+\.html$/)
    const file = fileURLToPath(opened)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toMatch(/url=https:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]+"/)
    const without = await runCommand(given, home, { PATH: home })
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('--print-url') as unknown })
    await running.stop()
  })

  it('refuses a server on another machine', async () => {
    const home = await newHome()
    const kubeconfig = path.join(home, 'kubeconfig')
    const cluster = { server: 'https://api.example.com:6443' }
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'a', cluster }],
        users: [{ name: 'a', user: { token: 'secret' } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        'current-context': 'a',
      }),
    )
    expect(await runCommand(['console', '--kubeconfig', kubeconfig], home)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not on this machine: open https://api.example.com:6443/console/') as unknown,
    })
  })
})

describe('the path /', () => {
  const HTML = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }

  it('leads browsers to the console', async () => {
    const answer = await server.request('/', { token: '', headers: HTML })
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      303,
      '/console/',
      'no-store',
    ])
  })

  it('answers other clients as before, by their rights', async () => {
    expect((await server.request('/')).json()).toMatchObject({ paths: expect.arrayContaining(['/api']) as unknown })
    expect((await server.request('/', { token: '' })).status).toBe(403)
    expect((await server.request('/', { token: '', headers: { accept: '*/*' } })).status).toBe(403)
    expect((await server.request('/', { token: '', method: 'POST', headers: HTML, body: {} })).status).toBe(403)
    expect((await server.request('/api', { headers: HTML })).headers.location).toBeUndefined()
  })

  it('leads nowhere where the console is off', async () => {
    await using off = await openServer(['--console=false'])
    expect((await off.request('/', { token: '', headers: HTML })).status).toBe(403)
    expect((await off.request('/console/code', { method: 'POST', body: {} })).status).toBe(404)
  })
})
