// Every verb by clients that people write controllers with: client-go with protobuf, and the JavaScript client.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { expect, it } from 'vitest'
import { buildGoClient, CLIENT_LEVELS, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const KINDS = [
  'ConfigMap',
  'Secret',
  'Pod',
  'ServiceAccount',
  'Deployment',
  'Job',
  'Lease',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'ClusterRole',
]

it.each(CLIENT_LEVELS)(
  'client-go of level %s does every verb on ten kinds in protobuf (P-500)',
  { timeout: GO_BUILD_LIMIT_MS },
  async (level) => {
    const program = await buildGoClient('verbs', level)
    const server = await startServerProcess(['--in-memory'], await newHome())
    const { stdout } = await promisify(execFile)(program, [server.kubeconfigFile], { timeout: 120_000 })
    expect(stdout.trim().split('\n')).toEqual(KINDS.map((kind) => `ok ${kind}`))
    expect(await server.stop()).toMatchObject({ code: 0 })
  },
)

it('client-node does every verb (P-540)', async () => {
  const server = await startServerProcess(['--in-memory'], await newHome())
  const config = new KubeConfig()
  config.loadFromFile(server.kubeconfigFile)
  const core = config.makeApiClient(CoreV1Api)
  const at = { namespace: 'default', name: 'a' }
  const made = await core.createNamespacedConfigMap({ ...at, body: { metadata: { name: 'a' }, data: { x: '1' } } })
  expect(made.data).toEqual({ x: '1' })
  const again = core.createNamespacedConfigMap({ ...at, body: { metadata: { name: 'a' } } })
  await expect(again).rejects.toThrow(ApiException)
  const replaced = await core.replaceNamespacedConfigMap({
    ...at,
    body: { metadata: made.metadata!, data: { x: '2' } },
  })
  await expect(
    core.replaceNamespacedConfigMap({ ...at, body: { metadata: made.metadata!, data: {} } }),
  ).rejects.toMatchObject({ code: 409 })
  const patched = await core.patchNamespacedConfigMap(
    { ...at, body: { data: { z: '3' } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  )
  expect(patched.data).toEqual({ x: '2', z: '3' })
  expect(Number(patched.metadata?.resourceVersion)).toBeGreaterThan(Number(replaced.metadata?.resourceVersion))
  const applied = await core.patchNamespacedConfigMap(
    {
      ...at,
      fieldManager: 'js',
      force: true,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '4' } },
    },
    setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
  )
  expect(applied.data).toEqual({ x: '4', z: '3' })
  expect((await core.readNamespacedConfigMap(at)).data).toEqual({ x: '4', z: '3' })
  const { items } = await core.listNamespacedConfigMap({ namespace: 'default', fieldSelector: 'metadata.name=a' })
  expect(items).toHaveLength(1)

  const apps = config.makeApiClient(AppsV1Api)
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const deployment = { metadata: { name: 'a' }, spec: { selector: { matchLabels: labels }, template } }
  await apps.createNamespacedDeployment({ ...at, body: deployment })
  const scale = await apps.readNamespacedDeploymentScale(at)
  await apps.replaceNamespacedDeploymentScale({ ...at, body: { metadata: scale.metadata!, spec: { replicas: 4 } } })
  expect((await apps.readNamespacedDeployment(at)).spec?.replicas).toBe(4)
  await apps.patchNamespacedDeploymentStatus(
    { ...at, body: { status: { replicas: 4 } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  )
  expect((await apps.readNamespacedDeploymentStatus(at)).status?.replicas).toBe(4)
  await apps.deleteNamespacedDeployment({ ...at, propagationPolicy: 'Foreground' })
  await core.deleteNamespacedConfigMap(at)
  await expect(core.readNamespacedConfigMap(at)).rejects.toMatchObject({ code: 404 })
  await core.createNamespacedConfigMap({ ...at, body: { metadata: { name: 'b', labels } } })
  await core.deleteCollectionNamespacedConfigMap({ namespace: 'default', labelSelector: 'app=web' })
  await expect(core.readNamespacedConfigMap({ ...at, name: 'b' })).rejects.toMatchObject({ code: 404 })
  expect(await server.stop()).toMatchObject({ code: 0 })
})
