// What kube-apiserver has sealed at rest, in each of its formats, opens with the same configuration, and the other way round.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FakeKmsPlugin } from '../fakes/kms-plugin.ts'
import { keysUnder } from '../fakes/etcd-gateway.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { newHome } from '../rigs/server-process.ts'
import { clientOf, fill, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, revisionOf } from '../rigs/whole-api.ts'

async function configuration(provider: string): Promise<string> {
  const folder = await newHome()
  const file = path.join(folder, 'encryption.json')
  const keys = { keys: [{ name: 'key1', secret: randomBytes(32).toString('base64') }] }
  const providers = [await providerOf(provider, keys, folder), { identity: {} }]
  const resources = [{ resources: ['*.*'], providers }]
  writeFileSync(
    file,
    JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources }),
  )
  return file
}

async function providerOf(provider: string, keys: object, folder: string): Promise<object> {
  if (provider !== 'kms') return { [provider]: keys }
  const plugin = await new FakeKmsPlugin(folder).start()
  onTestFinished(() => plugin[Symbol.asyncDispose]())
  return { kms: { apiVersion: 'v2', name: 'tester', endpoint: plugin.endpoint, timeout: '3s' } }
}

describe('everything sealed at rest by kube-apiserver', () => {
  it.each(['aescbc', 'aesgcm', 'secretbox', 'kms'])(
    'with %s is shown, changed, and shown by it again',
    async (provider) => {
      const etcd = await newEtcd()
      const flags = [`--encryption-provider-config=${await configuration(provider)}`]
      const reference = await startReferenceServer({ etcd, flags })
      const theirs = clientOf(reference)
      await fill(theirs)
      const sealed = [...(await keysUnder(etcd, '/registry/'))].filter(([, value]) =>
        value.toString('latin1').startsWith(`k8s:enc:${provider}:`),
      )
      expect(sealed.length).toBeGreaterThan(100)
      const { client: ours } = await swapIn(etcd, reference, ['--controllers', 'kubernetes-service', ...flags])
      const paths = await listablePaths(theirs)
      const revision = await revisionOf(theirs)
      expect(differences(await listsAt(theirs, paths, revision), await listsAt(ours, paths, revision))).toEqual([])

      for (const place of [
        '/api/v1/namespaces/swap/secrets/swap-secret',
        '/apis/swap.example.com/v1/namespaces/swap/gadgets/one',
      ]) {
        const body = { metadata: { labels: { edited: 'by-ours' } } }
        await ours.must(place, { method: 'PATCH', contentType: 'application/merge-patch+json', body })
        expect(await theirs.must(place)).toMatchObject(body)
      }
      const written = (await keysUnder(etcd, '/registry/secrets/swap/')).get('/registry/secrets/swap/swap-secret')
      expect(written?.toString('latin1')).toMatch(new RegExp(`^k8s:enc:${provider}:`))
    },
  )
})
