// Warnings about pods and pod templates. Templates get warnings only when the generation changes (W-426, W-427).
import type { Affinity, Container, JobSpec, ObjectMeta, Pod, PodSpec, PodTemplateSpec } from '../../../api/gen/kinds.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { Strategy } from '../../../registry/registry.ts'
import { claimSpecWarnings, sourceWarnings } from '../volume-warnings.ts'
import {
  addressWarnings,
  annotationWarnings,
  fractionWarnings,
  keyWarnings,
  nameWarnings,
  nodeLabelWarnings,
  nodeTermWarnings,
  preferenceWarnings,
} from '../warnings.ts'
import { PREFERRED, REQUIRED } from './affinity.ts'
import { containersOf } from './container-scope.ts'
import { containerWarnings, portWarnings, WHOLE_BYTES } from './container-warnings.ts'
import { appArmorWarning, isSeccomp, SECCOMP_OF_CONTAINER, SECCOMP_OF_POD } from './pod-annotations.ts'
import { pathWarnings } from './template-warning-paths.ts'

const SCHEDULING = ['nodeSelector', 'affinity', 'topologySpreadConstraints'] as const
const NO_SELECTOR = 'a null labelSelector results in matching no pod'
const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'

const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

type WithMeta = ApiObject & { readonly metadata: ObjectMeta }

/** The warnings of a kind with a pod template at the path. */
export function templateWarnings<T extends WithMeta>(
  path: string,
  templateOf: (object: T) => PodTemplateSpec | undefined,
): Strategy<T>['warnings'] {
  return (object, stored) => {
    const template = isSameGeneration(object, stored) ? undefined : templateOf(object)
    return template === undefined ? [] : podTemplateWarnings(template, `${path}.`)
  }
}

const MANY_INDEXES = 100_000
const MANY_AT_ONCE = 10_000

const TOO_MANY =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

/** The warnings of a kind with a job spec at the path. */
export function jobWarnings<T extends WithMeta>(path: string, specOf: (object: T) => JobSpec): Strategy<T>['warnings'] {
  const warnings = templateWarnings<T>(`${path}.template`, (object) => specOf(object).template)
  return (object, stored, context) => {
    const { completions = 0, parallelism = 0, completionMode } = specOf(object)
    const isLarge = completions > MANY_INDEXES && parallelism > MANY_AT_ONCE
    const isTold = isLarge && completionMode === 'Indexed' && !isSameGeneration(object, stored)
    return [...(isTold ? [`${path}: ${TOO_MANY}`] : []), ...warnings(object, stored, context)]
  }
}

function isSameGeneration({ metadata }: WithMeta, stored: WithMeta | undefined): boolean {
  return stored !== undefined && metadata.generation === stored.metadata.generation
}

/** Warnings about new pods only. */
export function podWarnings(pod: Pod, stored: Pod | undefined): readonly string[] {
  if (stored !== undefined) return []
  return [...nameWarnings(pod, "the Pod's hostname"), ...podTemplateWarnings(pod, '')]
}

/** `prefix`: empty for a pod. For a template, the path of the template and a dot. */
function podTemplateWarnings({ spec, metadata }: PodTemplateSpec, prefix: string): readonly string[] {
  const at = `${prefix}spec`
  const annotationsAt = `${prefix}metadata.annotations`
  const { securityContext: podContext = {}, hostAliases = [] } = spec
  const containers = containersOf(spec, FieldPath.root(at))
  const warnings: string[] = []
  const tell = (texts: readonly string[]): void => {
    for (const text of texts) warnings.push(text)
  }
  const { annotations = {} } = metadata
  const profiles = new Set(Object.keys(annotations).filter(isSeccomp))
  const tellOfSeccomp = ({ securityContext }: PodSpec | Container, name: string): void => {
    const hasField = securityContext?.seccompProfile !== undefined
    if (profiles.has(name) && !hasField) warnings.push(`${annotationsAt}[${name}]: ${SECCOMP}`)
  }
  tell(schedulingWarnings(spec, at))
  tell(annotationWarnings(metadata, annotationsAt, OLD_ANNOTATIONS))
  tell(volumeListWarnings(spec, at))
  for (const [i, ip] of repeats(hostAliases.map(({ ip }) => ip))) {
    warnings.push(`${at}.hostAliases[${i}].ip: duplicate ip ${ip}`)
  }
  tell(pullSecretWarnings(spec, at))
  for (const name of WHOLE_BYTES) tell(fractionWarnings(`${at}.overhead`, spec.overhead ?? {}, name))
  tellOfSeccomp(spec, SECCOMP_OF_POD)
  for (const [container, path] of containers) {
    tellOfSeccomp(container, SECCOMP_OF_CONTAINER + container.name)
    // A pod gets this warning when the field is filled in.
    const old = prefix === '' ? undefined : appArmorWarning(annotations, container, podContext, annotationsAt)
    if (old !== undefined) warnings.push(old)
    tell(containerWarnings(container, path.toString()))
  }
  tell(portWarnings(containers))
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const why = 'must be >= 0; negative values are invalid and will be treated as 1'
    warnings.push(`${at}.terminationGracePeriodSeconds: ${why}`)
  }
  if (spec.affinity !== undefined) tell(affinityWarnings(spec.affinity, `${at}.affinity`))
  for (const [i, server] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    tell(addressWarnings(`${at}.dnsConfig.nameservers[${i}]`, server, 'address'))
  }
  for (const [i, { ip }] of hostAliases.entries()) tell(addressWarnings(`${at}.hostAliases[${i}].ip`, ip, 'address'))
  return warnings
}

const NONE: readonly string[] = []

function schedulingWarnings(spec: PodSpec, at: string): readonly string[] {
  if (!SCHEDULING.some((name) => Object.hasOwn(spec, name))) return NONE
  const { [REQUIRED]: required, [PREFERRED]: preferred = [] } = spec.affinity?.nodeAffinity ?? {}
  return [
    ...nodeLabelWarnings(spec.nodeSelector ?? {}, (label) => `${at}.nodeSelector[${label}]`),
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeTermWarnings(term, `${at}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[${i}]`),
    ),
    ...preferred.flatMap(({ preference }, i) =>
      preferenceWarnings(preference, `${at}.affinity.nodeAffinity.${PREFERRED}[${i}].preference`),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap((constraint, i) => {
      const path = `${at}.topologySpreadConstraints[${i}]`
      return [...keyWarnings(constraint.topologyKey, `${path}.topologyKey`), ...selectorWarnings(constraint, path)]
    }),
  ]
}

function volumeListWarnings(spec: PodSpec, at: string): readonly string[] {
  const volumes = spec.volumes ?? []
  if (volumes.length === 0) return NONE
  return [
    ...volumes.flatMap((volume, i) => {
      const path = `${at}.volumes[${i}]`
      const claim = volume.ephemeral?.volumeClaimTemplate
      return [
        ...sourceWarnings(volume, path),
        ...(claim ? claimSpecWarnings(claim.spec, `${path}.ephemeral.volumeClaimTemplate.spec`) : NONE),
      ]
    }),
    ...volumes.flatMap(pathWarnings),
  ]
}

function pullSecretWarnings(spec: PodSpec, at: string): readonly string[] {
  const secrets = spec.imagePullSecrets ?? []
  if (secrets.length === 0) return NONE
  const path = (i: number): string => `${at}.imagePullSecrets[${i}].name`
  const warnings = repeats(secrets.map(({ name = '' }) => name)).map(
    ([i, name]) => `${path(i)}: duplicate name ${name}`,
  )
  for (let i = 0; i < secrets.length && warnings.length < MOST_TOLD; i++) {
    if (secrets[i]?.name === undefined || secrets[i]?.name === '') warnings.push(`${path(i)}: invalid empty name ""`)
  }
  return warnings
}

/** An answer has room for 4096 characters of warnings. */
const MOST_TOLD = 4096

/** The texts that equal an earlier text: the index and the quoted text of each, at most `MOST_TOLD`. */
function repeats(texts: readonly string[]): readonly (readonly [number, string])[] {
  if (texts.length < 2) return []
  const seen = new Set<string>()
  const found: (readonly [number, string])[] = []
  for (let i = 0; i < texts.length && found.length < MOST_TOLD; i++) {
    const text = texts[i]!
    if (seen.has(text)) found.push([i, JSON.stringify(text)])
    else seen.add(text)
  }
  return found
}

function affinityWarnings(affinity: Affinity, at: string): readonly string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const { [REQUIRED]: required = [], [PREFERRED]: preferred = [] } = affinity[name] ?? {}
    return [
      ...required.flatMap((term, i) => selectorWarnings(term, `${at}.${name}.${REQUIRED}[${i}]`)),
      ...preferred.flatMap(({ podAffinityTerm }, i) =>
        selectorWarnings(podAffinityTerm, `${at}.${name}.${PREFERRED}[${i}].podAffinityTerm`),
      ),
    ]
  })
}

function selectorWarnings({ labelSelector }: { readonly labelSelector?: object }, path: string): readonly string[] {
  return labelSelector === undefined ? [`${path}.labelSelector: ${NO_SELECTOR}`] : NONE
}
