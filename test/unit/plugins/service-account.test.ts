import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { serviceAccount } from '../../../src/plugins/service-account.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'
import { systemRandom } from '../../../src/lib/random.ts'

const SIGNAL = new AbortController().signal
/** Every pause is over at once. */
const HASTY: Clock = {
  now: () => 0,
  timeOfDay: () => 0,
  callAfter: (_, callback) => {
    queueMicrotask(() => void callback())
    return () => {}
  },
}
const MOUNT = { readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }

function account(name: string, more: object = {}, annotations: object = {}): object {
  return { metadata: { name, namespace: 'ns', annotations }, ...more }
}

function podRequest(spec: object, metadata: object = {}, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return requestFor('pods', { metadata: { name: 'p', ...metadata }, spec }, more)
}

async function admitted(request: AdmissionRequest, ...accounts: readonly object[]): Promise<ApiObject> {
  const plugin = serviceAccount(knownObjects(...accounts), HASTY, systemRandom)
  const object = (await plugin.mutate!(request, SIGNAL))!
  await plugin.validate!({ ...request, object }, SIGNAL)
  return object
}

const C = { name: 'c', image: 'i' }

describe('the account of a pod', () => {
  it('is the one of the namespace where the pod names none, with its token in every container (W-450, W-451)', async () => {
    const pod = await admitted(podRequest({ containers: [C], initContainers: [C] }), account('default'))
    const { volumes } = pod['spec'] as { readonly volumes: readonly [{ readonly name: string }] }
    const [volume] = volumes
    expect(volume.name).toMatch(/^kube-api-access-[b-z2-9]{5}$/)
    const mounted = { ...C, volumeMounts: [{ name: volume.name, ...MOUNT }] }
    expect(pod).toMatchObject({
      spec: {
        serviceAccountName: 'default',
        serviceAccount: 'default',
        containers: [mounted],
        initContainers: [mounted],
        volumes: [
          {
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
                { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
              ],
            },
          },
        ],
      },
    })
  })

  it.each<[string, object, object, boolean]>([
    ['nobody says anything', {}, {}, true],
    ['the account does not want it', {}, { automountServiceAccountToken: false }, false],
    ['the pod does not want it', { automountServiceAccountToken: false }, {}, false],
    [
      'the pod wants it and the account does not',
      { automountServiceAccountToken: true },
      { automountServiceAccountToken: false },
      true,
    ],
    ['something is mounted there', { containers: [{ ...C, volumeMounts: [{ name: 'v', ...MOUNT }] }] }, {}, false],
  ])('has its token mounted or not where %s (W-451)', async (_, spec, more, isMounted) => {
    const pod = await admitted(podRequest({ containers: [C], ...spec }), account('default', more))
    expect(Object.hasOwn(pod['spec'] as object, 'volumes')).toBe(isMounted)
  })

  it('lends its pull secrets to pods that have none (W-452)', async () => {
    const secrets = { imagePullSecrets: [{ name: 's' }] }
    const [taken, kept] = [
      await admitted(podRequest({ containers: [C] }), account('default', secrets)),
      await admitted(podRequest({ containers: [C], imagePullSecrets: [{ name: 'o' }] }), account('default', secrets)),
    ]
    expect(taken['spec']).toMatchObject(secrets)
    expect(kept['spec']).toMatchObject({ imagePullSecrets: [{ name: 'o' }] })
  })

  const env = [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }]
  const envFrom = [{ secretRef: { name: 's' } }]
  const end = 'is not allowed because service account default does not reference that secret'
  const strict = account('default', {}, { 'kubernetes.io/enforce-mountable-secrets': 'true' })

  it.each<[string, AdmissionRequest, string]>([
    [
      'an account that is not there',
      podRequest({ serviceAccountName: 'gone', containers: [C] }),
      'error looking up service account ns/gone: serviceaccount "gone" not found',
    ],
    [
      'a mirror pod with an account',
      podRequest(
        { serviceAccountName: 'default', containers: [C] },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      'a mirror pod may not reference service accounts',
    ],
    [
      'a mirror pod with a secret in a volume',
      podRequest(
        { containers: [C], volumes: [{ projected: { sources: [{ secret: { name: 's' } }] } }] },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      'a mirror pod may not reference secrets',
    ],
    [
      'a mirror pod with a token',
      podRequest(
        { containers: [C], volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
    [
      'a volume of a secret that is not named',
      podRequest({ containers: [C], volumes: [{ name: 'v', secret: { secretName: 's' } }] }),
      `volume with secret.secretName="s" ${end}`,
    ],
    [
      'a variable',
      podRequest({ containers: [{ ...C, env }] }),
      `container c with envVar E referencing secret.secretName="s" ${end}`,
    ],
    [
      'a variable of what runs first',
      podRequest({ containers: [C], initContainers: [{ ...C, env }] }),
      `init container c with envVar E referencing secret.secretName="s" ${end}`,
    ],
    [
      'all variables of a secret',
      podRequest({ containers: [{ ...C, envFrom }] }),
      `container c with envFrom referencing secret.secretName="s" ${end}`,
    ],
    [
      'a secret for pulling images',
      podRequest({ containers: [C], imagePullSecrets: [{ name: 's' }] }),
      'imagePullSecrets[0].name="s" is not allowed because service account default does not reference that imagePullSecret',
    ],
    [
      'a container that is added to a pod',
      podRequest(
        { serviceAccountName: 'default', containers: [C], ephemeralContainers: [{ ...C, envFrom }] },
        {},
        { operation: 'UPDATE', subresource: 'ephemeralcontainers' },
      ),
      `ephemeral container c with envFrom referencing secret.secretName="s" ${end}`,
    ],
  ])('refuses %s (W-450, W-453)', async (_, request, why) => {
    await expect(admitted(request, strict)).rejects.toThrow(`pods "p" is forbidden: ${why}`)
  })

  it('does not look at other updates (W-453)', async () => {
    const request = podRequest({ containers: [C] }, {}, { operation: 'UPDATE' })
    expect(await admitted(request)).toBe(request.object)
  })
})
