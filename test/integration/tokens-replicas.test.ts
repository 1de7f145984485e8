// Tokens of service accounts where several replicas share an etcd and a key: what one makes the other knows at once, and what is
// taken away at one ends at the other.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'

async function must(server: ServerProcess, line: string, body?: object): Promise<Record<string, unknown>> {
  const [method = '', target = ''] = line.split(' ')
  const answer = await server.request(target, {
    method,
    token: server.adminToken,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  expect([line, answer.status < 300, answer.status < 300 ? '' : answer.body]).toEqual([line, true, ''])
  return JSON.parse(answer.body) as Record<string, unknown>
}

const statusAt = async (server: ServerProcess, token: string): Promise<number> =>
  (await server.request('/api', { token })).status

it('a token is known to every replica at once, and to none when its account is gone (P-041)', async () => {
  const store = await startEtcd()
  onTestFinished(() => store[Symbol.asyncDispose]())
  const homes = [await newHome(), await newHome()] as const
  const key = path.join(homes[0], 'service-account.key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const flags = ['--etcd-servers', store.endpoint, '--service-account-signing-key-file', key]
  const [one, other] = await Promise.all(homes.map((home) => startServerProcess(flags, home)))
  if (one === undefined || other === undefined) throw new Error('two were started')
  for (let i = 0; i < 10; i++) {
    await must(one, `POST ${ACCOUNTS}`, { metadata: { name: `robot-${i}` } })
    const answer = await must(one, `POST ${ACCOUNTS}/robot-${i}/token`, {})
    const { token } = answer['status'] as { token: string }
    expect(await statusAt(other, token)).toBe(200)
    await must(one, `DELETE ${ACCOUNTS}/robot-${i}`)
    await expect.poll(() => statusAt(other, token), { interval: 20 }).toBe(401)
  }
  expect((await other.request('/openid/v1/jwks', { token: other.adminToken })).body).toBe(
    (await one.request('/openid/v1/jwks', { token: one.adminToken })).body,
  )
  await Promise.all([one.stop(), other.stop()])
})
