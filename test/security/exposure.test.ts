// What must not get out: secrets and tokens in logs, labels that callers make up, what is only for people who look for
// faults (hardening 4.4).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-test-'))
const policy = path.join(folder, 'policy.yaml')
const auditLog = path.join(folder, 'audit.log')
const tokens = path.join(folder, 'tokens.csv')
const lines: string[] = []
const told = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }))
const log: Log = { debug: told, info: told, warn: told, error: told }

let server: OpenServer

beforeAll(async () => {
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n')
  writeFileSync(tokens, 'plain-token,plain,plain-uid\n')
  server = await openServer(
    ['--audit-policy-file', policy, '--audit-log-path', auditLog, '--token-auth-file', tokens],
    log,
  )
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe('CVE-2019-11250, CVE-2020-8563 to 8566: tokens and secrets in logs', () => {
  it('none of them is in the log or in the audit log, whatever the policy asks for (P-194)', async () => {
    const secrets = '/api/v1/namespaces/default/secrets'
    const sentinel = 'c2VudGluZWwtb25l'
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 's' }, data: { k: sentinel } } })
    await server.must(secrets, { method: 'POST', body: { metadata: { name: 'p' }, stringData: { k: 'sentinel-two' } } })
    await server.must(`${secrets}/s`)
    await server.must(secrets)
    await server.request(secrets, { headers: { accept: 'application/yaml' } })
    await server.request(secrets, { headers: { accept: 'application/vnd.kubernetes.protobuf' } })
    await server.must(`${secrets}/s`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stringData: { k: 'sentinel-three' } },
    })
    await server.request(secrets, { method: 'POST', body: '{"data":{"k":"sentinel-four"' })
    await server.must('/api/v1/namespaces/default/serviceaccounts', {
      method: 'POST',
      body: { metadata: { name: 'a' } },
    })
    const request = { spec: { expirationSeconds: 600 } }
    const place = '/api/v1/namespaces/default/serviceaccounts/a/token'
    const issued = await server.must(place, { method: 'POST', body: request })
    const { token } = issued['status'] as { token: string }
    await server.request('/apis/authentication.k8s.io/v1/tokenreviews', { method: 'POST', body: { spec: { token } } })
    await server.request('/api/v1/pods', { token })
    await server.request('/api/v1/pods', { token: 'sentinel-five' })
    await expect.poll(() => readFileSync(auditLog, 'utf8').split('\n').length).toBeGreaterThan(20)
    const written = `${readFileSync(auditLog, 'utf8')}${lines.join('\n')}`
    const found = [sentinel, 'sentinel-one', 'sentinel-two', 'sentinel-three', 'sentinel-four', 'sentinel-five', token]
      .concat(['two', 'three', 'four'].map((word) => Buffer.from(`sentinel-${word}`).toString('base64')))
      .concat(server.adminToken)
      .filter((text) => written.includes(text))
    expect(found).toEqual([])
    expect(written).toContain('"resource":"secrets"')
  })
})

describe('CVE-2020-8552: labels that callers make up', () => {
  it('the number of series does not grow with what is asked for', async () => {
    const series = async (): Promise<number> => (await server.request('/metrics')).body.split('\n').length
    const ask = async (round: number): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        const odd = `x${round}-${i}`
        await server.request(`/apis/${odd}/v1/${odd}`, { headers: { 'user-agent': odd } })
        await server.request(`/api/v1/namespaces/default/pods/p/${odd}`)
        await server.request(`/api/v1/namespaces/${odd}/pods/${odd}?dryRun=${odd}`, { method: 'DELETE' })
        await server.request(`/${odd}`, { method: i % 2 === 0 ? 'GET' : 'PROPFIND' })
        await server.request('/api/v1/pods', { token: odd })
      }
    }
    await ask(0)
    // The server's own work can add series once, but not with every round.
    let grown = Infinity
    for (let round = 1; round <= 3 && grown > 5; round++) {
      const before = await series()
      await ask(round)
      grown = (await series()) - before
    }
    expect(grown).toBeLessThanOrEqual(5)
  })
})

describe('CVE-2019-11248, CIS 1.2.15: what is for people who look for faults', () => {
  const profiles = ['/debug/pprof/', '/debug/pprof/profile', '/debug/pprof/heap', '/debug/flags/v']

  it.each(profiles)('%s takes a right', async (place) => {
    expect((await server.request(place, { token: 'plain-token' })).status).toBe(403)
    expect((await server.request(place, { token: '' })).status).toBe(403)
  })

  it('profiles are not there where nobody asked for them (P-474)', async () => {
    for (const place of profiles) expect((await server.request(place)).status).toBe(404)
  })

  it('profiles take a right where they are there', async () => {
    await using profiling = await openServer(['--profiling'])
    for (const place of profiles) expect((await profiling.request(place, { token: '' })).status).toBe(403)
  })

  it.each(['dump_priority_levels', 'dump_queues', 'dump_requests'])('%s takes a right', async (name) => {
    const place = `/debug/api_priority_and_fairness/${name}`
    expect((await server.request(place)).status).toBe(200)
    expect((await server.request(place, { token: 'plain-token' })).status).toBe(403)
    expect((await server.request(place, { token: '' })).status).toBe(403)
  })

  it.each(['/metrics', '/debug/load', '/debug/watchers', '/debug/flags/log-level', '/debug/flags/log-level/cache'])(
    '%s takes one too',
    async (place) => {
      expect((await server.request(place)).status).toBe(200)
      expect((await server.request(place, { token: 'plain-token' })).status).toBe(403)
      expect((await server.request(place, { token: '' })).status).toBe(403)
    },
  )
})
