// Warnings about pods and pod templates; about templates only where the generation changes (W-426, W-427).
import { FieldPath } from '../../../api/field-path.ts'
import { mapOrEmpty, mapsInPlace, numberOrZero, textOrEmpty, textsInPlace } from '../../../api/members.ts'
import { metaOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'
import { metaNumber } from '../../../registry/object-meta.ts'
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

/** For a kind with a pod template at the path. */
export function templateWarnings(path: string): Strategy['warnings'] {
  return (object, stored) =>
    isSameGeneration(object, stored) ? [] : podTemplateWarnings(partAt(object, path), `${path}.`)
}

const MANY_INDEXES = 100_000
const MANY_AT_ONCE = 10_000

const TOO_MANY =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

/** For a kind with a job spec at the path. */
export function jobWarnings(path: string): Strategy['warnings'] {
  const warnings = templateWarnings(`${path}.template`)
  return (object, stored, context) => {
    const spec = partAt(object, path)
    const isLarge = Number(own(spec, 'completions')) > MANY_INDEXES && Number(own(spec, 'parallelism')) > MANY_AT_ONCE
    const isTold = isLarge && own(spec, 'completionMode') === 'Indexed' && !isSameGeneration(object, stored)
    return [...(isTold ? [`${path}: ${TOO_MANY}`] : []), ...warnings(object, stored, context)]
  }
}

function isSameGeneration(object: ApiObject, stored: ApiObject | undefined): boolean {
  return stored !== undefined && metaNumber(object, 'generation') === metaNumber(stored, 'generation')
}

function partAt(object: ApiObject, path: string): ValueMap {
  return path.split('.').reduce<ValueMap>(mapOrEmpty, object)
}

/** About new pods only. */
export function podWarnings(pod: ApiObject, stored: ApiObject | undefined): readonly string[] {
  if (stored !== undefined) return []
  return [...nameWarnings(pod, "the Pod's hostname"), ...podTemplateWarnings(pod, '')]
}

/** `prefix` is empty for a pod, else the path of the template and a dot. */
function podTemplateWarnings(template: ValueMap, prefix: string): readonly string[] {
  const [spec, metadata] = [mapOrEmpty(template, 'spec'), metaOf(template)]
  const at = `${prefix}spec`
  const annotationsAt = `${prefix}metadata.annotations`
  const podContext = mapOrEmpty(spec, 'securityContext')
  const containers = containersOf(spec, FieldPath.root(at))
  const warnings: string[] = []
  const tell = (texts: readonly string[]): void => {
    for (const text of texts) warnings.push(text)
  }
  const annotations = mapOrEmpty(metadata, 'annotations')
  const profiles = new Set(Object.keys(annotations).filter(isSeccomp))
  const tellOfSeccomp = (holder: ValueMap, name: string): void => {
    const hasField = isMap(own(mapOrEmpty(holder, 'securityContext'), 'seccompProfile'))
    if (profiles.has(name) && !hasField) warnings.push(`${annotationsAt}[${name}]: ${SECCOMP}`)
  }
  tell(schedulingWarnings(spec, at))
  tell(annotationWarnings(metadata, annotationsAt, OLD_ANNOTATIONS))
  tell(volumeListWarnings(spec, at))
  for (const [i, ip] of repeats(mapsInPlace(spec, 'hostAliases'), 'ip')) {
    warnings.push(`${at}.hostAliases[${i}].ip: duplicate ip ${ip}`)
  }
  tell(pullSecretWarnings(spec, at))
  for (const name of WHOLE_BYTES) tell(fractionWarnings(`${at}.overhead`, mapOrEmpty(spec, 'overhead'), name))
  tellOfSeccomp(spec, SECCOMP_OF_POD)
  for (const [container, path] of containers) {
    tellOfSeccomp(container, SECCOMP_OF_CONTAINER + textOrEmpty(container, 'name'))
    // Pods are warned about where the field is filled in.
    const old = prefix === '' ? undefined : appArmorWarning(annotations, container, podContext, annotationsAt)
    if (old !== undefined) warnings.push(old)
    tell(containerWarnings(container, path.toString()))
  }
  tell(portWarnings(containers))
  if (numberOrZero(spec, 'terminationGracePeriodSeconds') < 0) {
    const why = 'must be >= 0; negative values are invalid and will be treated as 1'
    warnings.push(`${at}.terminationGracePeriodSeconds: ${why}`)
  }
  if (Object.hasOwn(spec, 'affinity')) tell(affinityWarnings(mapOrEmpty(spec, 'affinity'), `${at}.affinity`))
  textsInPlace(mapOrEmpty(spec, 'dnsConfig'), 'nameservers').forEach((server, i) =>
    tell(addressWarnings(`${at}.dnsConfig.nameservers[${i}]`, server, 'address')),
  )
  mapsInPlace(spec, 'hostAliases').forEach((alias, i) =>
    tell(addressWarnings(`${at}.hostAliases[${i}].ip`, own(alias, 'ip'), 'address')),
  )
  return warnings
}

const NONE: readonly string[] = []

function schedulingWarnings(spec: ValueMap, at: string): readonly string[] {
  if (!SCHEDULING.some((name) => Object.hasOwn(spec, name))) return NONE
  const affinity = mapOrEmpty(mapOrEmpty(spec, 'affinity'), 'nodeAffinity')
  return [
    ...nodeLabelWarnings(mapOrEmpty(spec, 'nodeSelector'), (label) => `${at}.nodeSelector[${label}]`),
    ...mapsInPlace(mapOrEmpty(affinity, REQUIRED), 'nodeSelectorTerms').flatMap((term, i) =>
      nodeTermWarnings(term, `${at}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[${i}]`),
    ),
    ...mapsInPlace(affinity, PREFERRED).flatMap((term, i) =>
      preferenceWarnings(mapOrEmpty(term, 'preference'), `${at}.affinity.nodeAffinity.${PREFERRED}[${i}].preference`),
    ),
    ...mapsInPlace(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
      const path = `${at}.topologySpreadConstraints[${i}]`
      return [...keyWarnings(constraint, 'topologyKey', path), ...selectorWarnings(constraint, path)]
    }),
  ]
}

function volumeListWarnings(spec: ValueMap, at: string): readonly string[] {
  const volumes = mapsInPlace(spec, 'volumes')
  if (volumes.length === 0) return NONE
  return [
    ...volumes.flatMap((volume, i) => {
      const path = `${at}.volumes[${i}]`
      const claim = mapOrEmpty(mapOrEmpty(volume, 'ephemeral'), 'volumeClaimTemplate')
      return [
        ...sourceWarnings(volume, path),
        ...claimSpecWarnings(mapOrEmpty(claim, 'spec'), `${path}.ephemeral.volumeClaimTemplate.spec`),
      ]
    }),
    ...volumes.flatMap(pathWarnings),
  ]
}

function pullSecretWarnings(spec: ValueMap, at: string): readonly string[] {
  const secrets = mapsInPlace(spec, 'imagePullSecrets')
  if (secrets.length === 0) return NONE
  const path = (i: number): string => `${at}.imagePullSecrets[${i}].name`
  const warnings = repeats(secrets, 'name').map(([i, name]) => `${path(i)}: duplicate name ${name}`)
  for (let i = 0; i < secrets.length && warnings.length < MOST_TOLD; i++) {
    if (textOrEmpty(secrets[i]!, 'name') === '') warnings.push(`${path(i)}: invalid empty name ""`)
  }
  return warnings
}

/** An answer has room for 4096 characters of warnings. */
const MOST_TOLD = 4096

/** The items whose text an earlier one has, with the quoted text; as many as can be told. */
function repeats(items: readonly ValueMap[], name: string): readonly (readonly [number, string])[] {
  if (items.length < 2) return []
  const seen = new Set<string>()
  const found: (readonly [number, string])[] = []
  for (let i = 0; i < items.length && found.length < MOST_TOLD; i++) {
    const text = textOrEmpty(items[i]!, name)
    if (seen.has(text)) found.push([i, JSON.stringify(text)])
    else seen.add(text)
  }
  return found
}

function affinityWarnings(affinity: ValueMap, at: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const terms = mapOrEmpty(affinity, name)
    return [
      ...mapsInPlace(terms, REQUIRED).flatMap((term, i) => selectorWarnings(term, `${at}.${name}.${REQUIRED}[${i}]`)),
      ...mapsInPlace(terms, PREFERRED).flatMap((term, i) =>
        selectorWarnings(mapOrEmpty(term, 'podAffinityTerm'), `${at}.${name}.${PREFERRED}[${i}].podAffinityTerm`),
      ),
    ]
  })
}

function selectorWarnings(term: ValueMap, path: string): readonly string[] {
  return isMap(own(term, 'labelSelector')) ? NONE : [`${path}.labelSelector: ${NO_SELECTOR}`]
}
