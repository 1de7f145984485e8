import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { PodSecurityMeasures } from '../../../src/plugins/pod-security-measures.ts'
import type { PodSecurityOptions, PodSecurityParts } from '../../../src/plugins/pod-security-plugin.ts'
import { podSecurity } from '../../../src/plugins/pod-security-plugin.ts'
import { ALL_PRIVILEGED } from '../../../src/plugins/pod-security-policy.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const SIGNAL = new AbortController().signal
const OPTIONS: PodSecurityOptions = {
  defaults: ALL_PRIVILEGED,
  exempt: { users: new Set(['boss']), namespaces: new Set(['free']), runtimeClasses: new Set(['sandbox']) },
}
const LABEL = 'pod-security.kubernetes.io/'

function namespace(name: string, labels: Readonly<Record<string, string>> = {}): ApiObject {
  const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL + key, value]))
  return { metadata: { name, labels: prefixed } } as unknown as ApiObject
}

interface Judged {
  readonly warnings: readonly string[]
  readonly notes: Readonly<Record<string, string>>
}

async function judged(
  request: AdmissionRequest,
  namespaces: readonly object[],
  pods: readonly object[] = [],
  measures = new PodSecurityMeasures(36),
): Promise<Judged> {
  const warnings: string[] = []
  const notes: Record<string, string> = {}
  const parts: PodSecurityParts = {
    namespaces: knownObjects(...namespaces),
    pods: knownObjects(...pods),
    clock: new ManualClock(),
    measures,
  }
  const told = {
    ...request,
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => void (notes[key] = value),
  }
  await podSecurity(parts, OPTIONS).validate!(told, SIGNAL)
  return { warnings, notes }
}

function pod(spec: object, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return requestFor(
    'pods',
    { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
    more,
  )
}

const HOST = { hostNetwork: true }
const DETAIL = 'host namespaces (hostNetwork=true)'

describe('a pod', () => {
  it('is refused for what its namespace forbids', async () => {
    const ns = namespace('ns', { enforce: 'baseline', 'enforce-version': 'v1.30' })
    await expect(judged(pod(HOST), [ns])).rejects.toThrow(
      `pods "p" is forbidden: violates PodSecurity "baseline:v1.30": ${DETAIL}`,
    )
    await expect(judged(pod({}), [ns])).resolves.toEqual({
      warnings: [],
      notes: { [`${LABEL}enforce-policy`]: 'baseline:v1.30' },
    })
  })

  it.each(['latest', 'v1.99'])('is held to the newest known version: %s', async (version) => {
    const ns = namespace('ns', { enforce: 'baseline', 'enforce-version': version })
    const request = pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_notsent_lowat', value: '1' }] } })
    await expect(judged(request, [ns], [], new PodSecurityMeasures(36))).rejects.toThrow('forbidden sysctls')
    await expect(judged(request, [ns], [], new PodSecurityMeasures(37))).resolves.toMatchObject({ warnings: [] })
  })

  it('is warned of, and noted, for what is not enforced', async () => {
    const ns = namespace('ns', { warn: 'baseline', audit: 'baseline' })
    const { warnings, notes } = await judged(pod(HOST), [ns])
    expect(warnings).toEqual([`would violate PodSecurity "baseline:latest": ${DETAIL}`])
    expect(notes[`${LABEL}audit-violations`]).toBe(`would violate PodSecurity "baseline:latest": ${DETAIL}`)
  })

  it.each<[string, AdmissionRequest]>([
    ['its user', pod(HOST, { user: { name: 'boss', uid: undefined, groups: [], extra: {} } })],
    ['its namespace', pod(HOST, { namespace: 'free' })],
    ['its runtime', pod({ ...HOST, runtimeClassName: 'sandbox' })],
    ['a subresource that changes nothing of it', pod(HOST, { subresource: 'status' })],
  ])('is let through for %s', async (_, request) => {
    const strict = { enforce: 'restricted' }
    await expect(judged(request, [namespace('ns', strict), namespace('free', strict)])).resolves.toMatchObject({
      warnings: [],
    })
  })

  it('is looked at again where an update changes what it runs', async () => {
    const ns = namespace('ns', { enforce: 'baseline' })
    const update = (image: string, more: object = {}): AdmissionRequest =>
      pod(
        { ...HOST, containers: [{ name: 'c', image }], ...more },
        { operation: 'UPDATE', oldObject: pod(HOST).object },
      )
    await expect(judged(update('i'), [ns])).resolves.toBeDefined()
    await expect(judged(update('j'), [ns])).rejects.toThrow('violates PodSecurity')
    const added = update('i', { ephemeralContainers: [{ name: 'e', image: 'x' }] })
    await expect(judged({ ...added, subresource: 'ephemeralcontainers' }, [ns])).rejects.toThrow('violates PodSecurity')
  })
})

describe('what is counted', () => {
  const counted = (family: PodSecurityMeasures['evaluations']): Record<string, number> =>
    Object.fromEntries([...family.all()].map(({ values, series }) => [values.join(' ').trimEnd(), series.value]))

  it('are looks at pods by level and mode, and who is exempt', async () => {
    const measures = new PodSecurityMeasures(36)
    const look = (request: AdmissionRequest, labels: Readonly<Record<string, string>>): Promise<unknown> =>
      judged(request, [namespace('ns', labels)], [], measures).catch(() => undefined)
    await look(pod({}), {})
    await look(pod({}), { enforce: 'baseline', 'enforce-version': 'v1.30' })
    await look(pod(HOST), { enforce: 'baseline', 'enforce-version': 'v1.99' })
    await look(pod(HOST), { audit: 'baseline', warn: 'baseline' })
    await look(pod({ ...HOST, runtimeClassName: 'sandbox' }), { enforce: 'baseline' })
    await look(pod({}), { enforce: 'odd' })
    expect(counted(measures.evaluations)).toEqual({
      'allow privileged latest enforce create pod': 2,
      'allow baseline v1.30 enforce create pod': 1,
      'deny baseline future enforce create pod': 1,
      'deny baseline latest audit create pod': 1,
      'deny baseline latest warn create pod': 1,
      'deny restricted latest enforce create pod': 1,
    })
    expect(counted(measures.exemptions)).toEqual({ 'create pod': 1 })
    expect(counted(measures.errors)).toEqual({ 'false create pod': 1 })
  })
})

describe('what makes pods', () => {
  const template = { metadata: {}, spec: { ...HOST, containers: [{ name: 'c' }] } }
  it.each<[string, string, object]>([
    ['deployments', 'apps', { spec: { template } }],
    ['cronjobs', 'batch', { spec: { jobTemplate: { spec: { template } } } }],
    ['podtemplates', '', { template }],
  ])('is only warned: %s', async (resource, group, rest) => {
    const request = requestFor(resource, { metadata: { name: 'd' }, ...rest }, {}, group)
    const { warnings } = await judged(request, [namespace('ns', { enforce: 'baseline' })])
    expect(warnings).toEqual([`would violate PodSecurity "baseline:latest": ${DETAIL}`])
  })
})

describe('a namespace', () => {
  const update = (before: ApiObject, after: ApiObject): AdmissionRequest =>
    requestFor('namespaces', after, { operation: 'UPDATE', oldObject: before, namespace: '' })
  const made = (ns: ApiObject): AdmissionRequest => requestFor('namespaces', ns, { namespace: '' })

  it('is refused where its labels say nothing sensible', async () => {
    const bad = namespace('n', { enforce: 'odd' })
    const why =
      'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "odd": must be one of privileged, baseline, restricted'
    await expect(judged(made(bad), [])).rejects.toThrow(why)
    await expect(judged(update(namespace('n'), bad), [])).rejects.toThrow(why)
    await expect(judged(update(bad, bad), [])).resolves.toEqual({ warnings: [], notes: {} })
  })

  const existing = (name: string, spec: object, controller?: string): object => ({
    metadata: {
      name,
      namespace: 'n',
      ownerReferences: controller === undefined ? [] : [{ controller: true, uid: controller }],
    },
    spec: { containers: [{ name: 'c' }], ...spec },
  })

  it('that becomes stricter is told of the pods that it would not let in', async () => {
    const pods = [
      existing('b', HOST, 'u'),
      existing('a', HOST, 'u'),
      existing('d', HOST),
      existing('q', { hostPID: true }),
      existing('fine', {}),
    ]
    const { warnings } = await judged(update(namespace('n'), namespace('n', { enforce: 'baseline' })), [], pods)
    expect(warnings).toEqual([
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 3 other pods): host namespaces',
    ])
  })

  it('that becomes looser is told nothing', async () => {
    const request = update(namespace('n', { enforce: 'restricted' }), namespace('n', { enforce: 'baseline' }))
    expect((await judged(request, [], [existing('a', HOST)])).warnings).toEqual([])
  })

  it('of very many pods is not looked through to the end', async () => {
    const pods = Array.from({ length: 3001 }, (_, i) => existing(`p${i}`, {}))
    const { warnings } = await judged(update(namespace('n'), namespace('n', { enforce: 'baseline' })), [], pods)
    expect(warnings).toEqual([
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
    ])
  })

  it('that is exempt is told that its labels do nothing', async () => {
    const { warnings } = await judged(made(namespace('free', { enforce: 'baseline' })), [])
    expect(warnings).toEqual([
      'namespace "free" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored',
    ])
  })
})
