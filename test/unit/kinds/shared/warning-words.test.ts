// The words that only some objects bring about: labels of nodes that have become others, names that are kept for somebody else,
// profiles that are said in annotations.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { ValueMap } from '../../../../src/api/value.ts'
import { makeAuthority } from '../../../../src/pki/certificate-maker.ts'
import { canonicalOf } from '../../../corpora/kind-of.ts'
import { openWorld } from '../../../rigs/api-world.ts'

const world = await openWorld()
const warningsOf = (at: readonly [string, string?], object: object, server = world): readonly string[] => {
  const { strategy, storedKind } = server.resource(...at)
  return strategy.warnings(canonicalOf(storedKind, object as ValueMap), undefined, server.context())
}

describe('labels of nodes that are no longer to be used', () => {
  const labels: readonly [string, string][] = [
    ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
    ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
    ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
  ]

  it.each(labels)('%s', (key, why) => {
    const terms = { matchExpressions: [{ key, operator: 'Exists' }] }
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [terms] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: terms }],
    }
    const spread = [{ maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }]
    const spec = { nodeSelector: { [key]: '' }, affinity: { nodeAffinity }, topologySpreadConstraints: spread }
    expect(warningsOf(['pods'], { metadata: { name: 'p' }, spec })).toEqual([
      `spec.nodeSelector[${key}]: ${why}`,
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: ${key} is ${why}`,
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: ${key} is ${why}`,
      `spec.topologySpreadConstraints[0].topologyKey: ${key} is ${why}`,
    ])
    const topologies = [{ matchLabelExpressions: [{ key }] }]
    expect(warningsOf(['storageclasses', 'storage.k8s.io'], { allowedTopologies: topologies })).toEqual([
      `allowedTopologies[0].matchLabelExpressions[0].key: ${why}`,
    ])
    const required = { nodeSelectorTerms: [terms] }
    expect(warningsOf(['persistentvolumes'], { spec: { nodeAffinity: { required } } })).toEqual([
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${key} is ${why}`,
    ])
  })
})

describe('names', () => {
  it.each([
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ])('of %s that are kept for what comes from files, where they are not refused', async (resource) => {
    const at = [resource, 'admissionregistration.k8s.io'] as const
    const open = await openWorld({ flags: ['--feature-gates=ManifestBasedAdmissionControlConfig=false'] })
    expect(warningsOf(at, { metadata: { name: 'a.static.k8s.io' } })).toEqual([])
    expect(warningsOf(at, { metadata: { name: 'a.static.k8s.io' } }, open)).toEqual([
      'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
    ])
    expect(warningsOf(at, { metadata: { name: 'static.example.com' } })).toEqual([])
  })

  it('of drivers in capital letters', () => {
    const at = ['resourceslices', 'resource.k8s.io'] as const
    expect(warningsOf(at, { metadata: { name: 's' }, spec: { driver: 'Foo.example.com' } })).toEqual([
      'spec.driver: driver names should be lowercase; "Foo.example.com" contains uppercase characters',
    ])
  })
})

describe('volumes', () => {
  it.each(['flocker', 'quobyte', 'gitRepo'])('of the source %s are told of in pods alone', (source) => {
    expect(warningsOf(['persistentvolumes'], { spec: { [source]: {} } })).toEqual([])
    expect(
      warningsOf(['pods'], { metadata: { name: 'p' }, spec: { volumes: [{ name: 'v', [source]: {} }] } }),
    ).toHaveLength(1)
  })
})

describe('a certificate and a key', () => {
  const { certificate, key } = makeAuthority(3_600_000)
  const pem = (type: 'ec' | 'rsa'): string => {
    const made =
      type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    return made.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
  const told = (crt: string, own: string): readonly string[] => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const data = { 'tls.crt': base64(crt), 'tls.key': base64(own) }
    return warningsOf(['secrets'], { type: 'kubernetes.io/tls', data })
  }

  it('that belong together are not spoken of', () => expect(told(certificate, key)).toEqual([]))

  it('that do not are told apart by why', () => {
    const sameType = createPrivateKey(key).asymmetricKeyType === 'ec' ? 'ec' : 'rsa'
    expect(told(certificate, pem(sameType))).toEqual(['tls: private key does not match public key'])
    expect(told(certificate, pem(sameType === 'ec' ? 'rsa' : 'ec'))).toEqual([
      'tls: private key type does not match public key type',
    ])
    expect(told(key, certificate)).toEqual([
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ])
  })
})

describe('AppArmor profiles in annotations', () => {
  const KEY = 'container.apparmor.security.beta.kubernetes.io/c'
  const WARNING = `[${KEY}]: deprecated since v1.30; use the "appArmorProfile" field instead`
  const made = (annotation: string, ofPod?: object, own?: object): object => ({
    metadata: { name: 'p', annotations: { [KEY]: annotation } },
    spec: {
      ...(ofPod === undefined ? {} : { securityContext: { appArmorProfile: ofPod } }),
      containers: [{ name: 'c', ...(own === undefined ? {} : { securityContext: { appArmorProfile: own } }) }],
    },
  })

  const podOf = (object: object): ApiObject => canonicalOf({ group: '', kind: 'Pod' }, object as ValueMap)

  it.each([
    ['unconfined', undefined, { type: 'Unconfined' }],
    ['runtime/default', undefined, { type: 'RuntimeDefault' }],
    ['localhost/mine', undefined, { type: 'Localhost', localhostProfile: 'mine' }],
    ['unconfined', { type: 'RuntimeDefault' }, { type: 'Unconfined' }],
  ])('are set as fields of new pods: %s', (annotation, ofPod, field) => {
    const warnings: string[] = []
    const context = world.context({ warn: (text) => void warnings.push(text) })
    const pod = world.resource('pods').strategy.prepareForCreate(podOf(made(annotation, ofPod)), context)
    expect(pod['spec']).toMatchObject({ containers: [{ securityContext: { appArmorProfile: field } }] })
    expect(warnings).toEqual([`metadata.annotations${WARNING}`])
  })

  it.each([
    ['nothing that is one', 'localhost/', undefined, undefined, 1],
    ['one that is too long', `localhost/${'x'.repeat(5000)}`, undefined, undefined, 1],
    ['what the pod says', 'runtime/default', { type: 'RuntimeDefault' }, undefined, 0],
    ['something else than the container', 'unconfined', undefined, { type: 'RuntimeDefault' }, 0],
  ])('are left alone where they say %s', (_, annotation, ofPod, own, count) => {
    const warnings: string[] = []
    const context = world.context({ warn: (text) => void warnings.push(text) })
    const object = podOf(made(annotation, ofPod, own))
    const pod = world.resource('pods').strategy.prepareForCreate(object, context)
    expect(pod['spec']).toEqual(object['spec'])
    expect(warnings).toHaveLength(count)
  })

  it.each([
    ['localhost/mine', undefined, 1],
    ['runtime/default', { type: 'RuntimeDefault' }, 0],
    ['unconfined', { type: 'RuntimeDefault' }, 1],
  ])('are told of in templates: %s', (annotation, ofPod, count) => {
    const template = made(annotation, ofPod)
    const told = warningsOf(['deployments', 'apps'], { metadata: { name: 'd' }, spec: { template } })
    expect(told).toEqual(count === 0 ? [] : [`spec.template.metadata.annotations${WARNING}`])
  })
})
