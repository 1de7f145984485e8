// The topology of docker-compose.yml as local processes: three etcd members, two replicas, TLS between all of them, and a
// client that moves between the replicas while a member is lost.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { kill, startEtcdCluster } from '../fakes/etcd-cluster.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'

const top = path.join(import.meta.dirname, '../..')

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

interface Service {
  readonly command?: readonly string[]
  readonly depends_on?: object
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
}

const compose = load(readFileSync(path.join(top, 'docker-compose.yml'), 'utf8'), {
  schema: CORE_SCHEMA.withTags(mergeTag),
}) as Compose

function makeCertificates(folder: string): string {
  const pki = path.join(folder, 'pki')
  execFileSync(process.execPath, [path.join(top, 'deploy/make-certificates.ts'), pki])
  return pki
}

describe('the compose file', () => {
  it('names services that there are, flags that we have and files that are made', async () => {
    const home = await newHome()
    const pki = makeCertificates(home)
    for (const service of Object.values(compose.services)) {
      for (const needed of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(needed)
    }
    for (const { volumes = [], command = [], environment = {} } of Object.values(compose.services)) {
      const folder = volumes.flatMap((one) => /^\.\/deploy\/pki\/(\S+):\/pki:ro$/.exec(one)?.[1] ?? [])
      const named = [...command, ...Object.values(environment)].join(' ')
      for (const [, file] of named.matchAll(/\/pki\/([\w.-]+\.\w+)/g)) readFileSync(path.join(pki, ...folder, file!))
    }
    const image = readFileSync(path.join(top, 'deploy/Dockerfile'), 'utf8')
    const variables = Array.from(image.matchAll(/(QUARTERDECK_\w+)=(\S+)/g), ([, name, value]) => [name, value])
    for (const name of ['replica-1', 'replica-2', 'replica-3']) {
      const [command, ...flags] = compose.services[name]?.command ?? []
      expect(command).toBe('serve')
      expect(await readConfig(flags, Object.fromEntries(variables))).toMatchObject({
        bindAddress: '0.0.0.0',
        storage: { kind: 'etcd' },
      })
    }
  })
})

describe('two replicas on three etcd members', () => {
  it('never let a client that moves between them see time run backwards', async () => {
    const home = await newHome()
    const pki = makeCertificates(home)
    const cluster = await startEtcdCluster(pki, home)
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    const [, ...flags] = compose.services['replica-1']?.command ?? []
    const endpoints = cluster.members.map(({ endpoint }) => endpoint).join(',')
    const args = flags
      .filter((flag) => !/^--(etcd-servers|bind-address|data-dir|shutdown-delay-duration)=/.test(flag))
      .map((flag) => flag.replace('/pki/', `${pki}/`).replace('=/audit-policy', `=${top}/deploy/audit-policy`))
    const start = (name: string) =>
      startServerProcess([...args, '--etcd-servers', endpoints, '--data-dir', path.join(home, name)], home)
    const replicas = await Promise.all([start('replica-1'), start('replica-2')])
    const pem = (name: string): string => readFileSync(path.join(pki, name), 'utf8')
    const certificate = { cert: pem('admin.crt'), key: pem('admin.key') }
    const ca = pem('api-ca.crt')

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
