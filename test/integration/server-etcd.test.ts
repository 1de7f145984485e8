// The server on a real etcd: that it starts, that it says what is wrong where it cannot, and how it tells of one that is gone.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority } from '../../src/pki/certificate-maker.ts'
import { programVersion } from '../../src/telemetry/version.ts'
import { keysUnder, putTogether } from '../fakes/etcd-gateway.ts'
import { type EtcdServer, type EtcdServerOptions, startEtcd } from '../rigs/etcd-server.ts'
import { newHome, runCommand, startServerProcess } from '../rigs/server-process.ts'

async function etcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const server = await startEtcd(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function faultOf(args: readonly string[], home: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['serve', '--secure-port', '0', ...args], home)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^quarterdeck: [^\n]+\n$/)
  return stderr.slice('quarterdeck: '.length, -1)
}

describe('on etcd', () => {
  it('starts, and tells of an etcd that is gone and back (R-187)', async () => {
    const store = await etcd()
    const server = await startServerProcess(['--etcd-servers', store.endpoint], await newHome())
    expect(server.stdout).toContain(`  data     etcd at ${store.endpoint}\n`)
    expect((await server.request('/readyz')).status).toBe(200)
    await store.kill()
    const gone = await server.request('/readyz')
    expect(gone.status).toBe(500)
    expect(gone.body).toContain('[-]etcd failed: reason withheld\n')
    expect((await server.request('/livez?exclude=etcd')).status).toBe(200)
    await store.start()
    const back = async (): Promise<number> => (await server.request('/readyz')).status
    await expect.poll(back).toBe(200)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it('shows and checks certificates', async () => {
    const store = await etcd({ tls: 'mutual' })
    const home = await newHome()
    const { files, client } = store.certificates!
    writeFileSync(path.join(home, 'client.crt'), client.certificate)
    writeFileSync(path.join(home, 'client.key'), client.key)
    const args = ['--etcd-servers', store.endpoint, '--etcd-cafile', files.ca]
    const pair = ['--etcd-certfile', 'client.crt', '--etcd-keyfile', 'client.key']
    const server = await startServerProcess([...args, ...pair], home)
    expect((await server.request('/readyz')).status).toBe(200)
    await server.stop()

    writeFileSync(path.join(home, 'other.crt'), makeAuthority(60_000).certificate)
    const wrongCa = await faultOf(['--etcd-servers', store.endpoint, '--etcd-cafile', 'other.crt', ...pair], home)
    expect(wrongCa).toContain(store.endpoint)
    expect(wrongCa).toContain('its certificate is not trusted')

    expect(await faultOf(['--etcd-servers', store.endpoint, '--etcd-cafile', 'nope.crt'], home)).toBe(
      `--etcd-cafile ${home}/nope.crt cannot be read: it does not exist`,
    )
  })

  it('marks what is stored with its format, and does not start where that takes a newer version', async () => {
    const store = await etcd()
    const home = await newHome()
    const args = ['--etcd-servers', store.endpoint]
    await (await startServerProcess(args, home)).stop()
    const key = '/registry/quarterdeck_format'
    expect(String((await keysUnder(store.endpoint, key)).get(key))).toBe('{"level":1,"needs":"0.1.0"}')
    await putTogether(store.endpoint, { [key]: '{"level":7,"needs":"9.1.0"}' })
    expect(await faultOf(args, home)).toBe(
      `what is stored in etcd at ${store.endpoint} is in format 7: it takes version 9.1.0 or later, and this is ${programVersion()}`,
    )
  })

  it('that cannot be reached is told, with the address', async () => {
    const line = await faultOf(['--etcd-servers', 'http://127.0.0.1:1'], await newHome())
    expect(line).toContain('cannot connect to etcd at http://127.0.0.1:1: connect ECONNREFUSED')
  })
})
