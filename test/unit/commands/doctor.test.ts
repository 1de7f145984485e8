import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { type ApiRequest, ApiStatusError, type Client } from '../../../src/client/client.ts'
import { statusIn } from '../../../src/client/errors.ts'
import { ObjectExaminer } from '../../../src/commands/doctor-objects.ts'
import { examineServer } from '../../../src/commands/doctor-server.ts'

describe('objects', () => {
  it('are orphans where all owners are gone, and only of kinds that were seen completely', () => {
    const examiner = new ObjectExaminer()
    examiner.add(newMap('owner', []))
    examiner.add(newMap('owned', ['owner']))
    examiner.add(newMap('orphan', ['gone', 'gone too']))
    examiner.add(newMap('half', ['gone', 'owner']))
    expect(examiner.orphans()).toEqual([])
    examiner.complete('', 'ConfigMap')
    expect(examiner.orphans().map(({ finding }) => finding.subject)).toEqual(['ConfigMap default/orphan'])
    expect(examiner.findings).toEqual([])
  })

  it('have wrong owners in other namespaces', () => {
    const examiner = new ObjectExaminer()
    examiner.add(newMap('owner', [], 'other'))
    examiner.add(newMap('owned', ['owner']))
    expect(examiner.wrongOwners()).toMatchObject([
      { subject: 'ConfigMap default/owned', problem: 'its owner ConfigMap owner is in namespace other' },
    ])
  })

  it('are held to what is validated today, by the definitions that were seen', () => {
    const examiner = new ObjectExaminer()
    examiner.add({ ...newMap('a', []), data: { 'not a key': 'x' } })
    expect(examiner.findings).toMatchObject([{ check: 'schema', subject: 'ConfigMap default/a' }])
  })
})

describe('a server that is not well', () => {
  it('is told of by what of it fails', async () => {
    const { findings } = await examineServer(
      serverThat({
        '/readyz': refused(
          500,
          '[+]ping ok\n[-]etcd failed: reason withheld\n[-]watch-cache-consistency failed: no\nreadyz check failed',
        ),
        '/api/v1/namespaces': refused(503, 'not now'),
        '/metrics': [
          'apiserver_storage_size_bytes{storage_cluster_id="x"} 1.9e+09',
          'apiserver_storage_consistency_checks_total{group="",resource="pods",status="success"} 9',
          'apiserver_storage_consistency_checks_total{group="",resource="pods",status="failure"} 1',
        ].join('\n'),
        '/api': JSON.stringify({ items: [{ versions: [{ version: 'v1', resources: [PODS] }] }] }),
        '/apis': '{"items":[]}',
        '/api/v1/pods': refused(500, '{"kind":"Status","reason":"StorageReadError","message":"pods a cannot be read"}'),
      }),
      { url: 'http://127.0.0.1:1' },
      false,
    )
    expect(findings.map(({ check, subject, remedy }) => [check, subject, remedy])).toEqual([
      ['health', 'etcd', 'see the log of the server'],
      ['health', 'watch-cache-consistency', 'restart this server'],
      ['clock', 'server', 'see the log of the server'],
      [
        'storage',
        'storage',
        'delete objects; defragment etcd or raise its quota; make room on the disk of an embedded store',
      ],
      ['cache', 'watch cache', 'restart this server, and report it'],
      ['unreadable', 'pods', 'bring back its encryption key, or restore or delete it'],
    ])
  })
})

function newMap(name: string, owners: readonly string[], namespace = 'default'): ValueMap {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: `uid ${owner}`,
  }))
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, uid: `uid ${name}`, ownerReferences } }
}

const PODS = { resource: 'pods', responseKind: { kind: 'Pod' }, scope: 'Namespaced', verbs: ['list'] }

function refused(code: number, text: string): ApiStatusError {
  return new ApiStatusError('GET', statusIn(code, text))
}

function serverThat(answers: Readonly<Record<string, string | ApiStatusError>>): Client {
  const request = async ({ path }: ApiRequest) => {
    const answer = answers[path]
    if (answer === undefined || answer instanceof ApiStatusError) throw answer ?? refused(404, '')
    return { status: 200, headers: {}, text: answer }
  }
  return { request } as unknown as Client
}
