// The topology of docker-compose.yml as local processes: three etcd members, two replicas, TLS between all of them, and a
// client that moves between the replicas while a member is lost.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { identityOf } from '../../src/controllers/server-identity.ts'
import { readConfig } from '../../src/config/config.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { COMPOSE_SERVICES, makeCertificates, startStack } from '../rigs/compose-stack.ts'
import { kill } from '../rigs/etcd-cluster.ts'
import { newHome, runCommand } from '../rigs/server-process.ts'

const top = path.join(import.meta.dirname, '../..')

describe('the compose file', () => {
  it('names services that there are, flags that we have and files that are made', async () => {
    const home = await newHome()
    const pki = makeCertificates(home)
    for (const service of Object.values(COMPOSE_SERVICES)) {
      for (const needed of Object.keys(service.depends_on ?? {})) expect(COMPOSE_SERVICES).toHaveProperty(needed)
    }
    for (const { volumes = [], command = [], environment = {} } of Object.values(COMPOSE_SERVICES)) {
      const folder = volumes.flatMap((one) => /^\.\/deploy\/pki\/(\S+):\/pki:ro$/.exec(one)?.[1] ?? [])
      const named = [...command, ...Object.values(environment)].join(' ')
      for (const [, file] of named.matchAll(/\/pki\/([\w.-]+\.\w+)/g)) readFileSync(path.join(pki, ...folder, file!))
    }
    const image = readFileSync(path.join(top, 'deploy/Dockerfile'), 'utf8')
    const variables = Array.from(image.matchAll(/(QUARTERDECK_\w+)=(\S+)/g), ([, name, value]) => [name, value])
    for (const name of ['replica-1', 'replica-2', 'replica-3']) {
      const [command, ...flags] = COMPOSE_SERVICES[name]?.command ?? []
      expect(command).toBe('serve')
      expect(await readConfig(flags, Object.fromEntries(variables))).toMatchObject({
        bindAddress: '0.0.0.0',
        storage: { kind: 'etcd' },
      })
    }
  })

  it('hands no authority to anybody, and makes what an older version did not', async () => {
    const pki = makeCertificates(await newHome())
    const handedOut = readdirSync(path.join(pki, 'for'), { recursive: true }).map(String)
    expect(handedOut).toContain(path.join('replica', 'proxy.key'))
    expect(handedOut.filter((file) => /(-ca|admin)\.key$|kubeconfig$/.test(file))).toEqual([])
    const api = readFileSync(path.join(pki, 'api.crt'), 'utf8')
    for (const name of ['proxy-ca.crt', 'proxy-ca.key', 'proxy.crt', 'proxy.key']) rmSync(path.join(pki, name))
    rmSync(path.join(pki, 'for'), { recursive: true })
    makeCertificates(path.dirname(pki))
    expect(existsSync(path.join(pki, 'for/replica/proxy.key'))).toBe(true)
    expect(readFileSync(path.join(pki, 'api.crt'), 'utf8')).toBe(api)
  })
})

describe('two replicas on three etcd members', () => {
  it('tell of each other who watches them, asked of one of them', async () => {
    const names = ['replica-1', 'replica-2']
    const { home, replicas, admin } = await startStack(names)
    const { cert: certificate, key } = admin.certificate
    const user = { name: 'admin', credential: { certificate, key } }
    const file = path.join(home, 'kubeconfig')
    writeFileSync(file, JSON.stringify(kubeconfigOf({ url: replicas[0]!.url, authority: admin.ca, user })))
    const told = async (): Promise<unknown> => {
      const { stdout } = await runCommand(['top', '--all-replicas', '-o', 'json', '--kubeconfig', file], home)
      return (JSON.parse(stdout) as { readonly replicas: unknown }).replicas
    }
    // Without the words that say why one does not answer.
    await expect.poll(told, { timeout: 120_000 }).toEqual(names.map((name) => ({ name: identityOf(name) })))
  })

  it('never let a client that moves between them see time run backwards', async () => {
    const { cluster, replicas, admin } = await startStack(['replica-1', 'replica-2'])
    const { certificate, ca } = admin

    const collection = '/api/v1/namespaces/default/configmaps'
    let newest = 0
    for (let round = 0; round < 60; round++) {
      if (round === 20) await kill(cluster.members[0]!.child)
      const [writer, reader] = round % 2 === 0 ? replicas : replicas.toReversed()
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${round}` } })
      const headers = { 'content-type': 'application/json' }
      const made = await writer!.request(collection, { method: 'POST', certificate, ca, headers, body })
      expect([round, made.status]).toEqual([round, 201])
      const version = Number((JSON.parse(made.body) as ApiAnswer).metadata.resourceVersion)
      expect(version).toBeGreaterThan(newest)
      const got = await reader!.request(`${collection}/c-${round}`, { certificate, ca })
      expect([round, got.status]).toEqual([round, 200])
      const list = JSON.parse((await reader!.request(collection, { certificate, ca })).body) as ApiAnswer
      newest = Number(list.metadata.resourceVersion)
      expect(newest).toBeGreaterThanOrEqual(version)
      expect(list.items?.map(({ metadata }) => metadata.name)).toContain(`c-${round}`)
    }
    for (const replica of replicas) expect(await replica.stop()).toMatchObject({ code: 0 })
  })
})

interface ApiAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly name: string }
  readonly items?: readonly ApiAnswer[]
}
