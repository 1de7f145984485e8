// What a client is told about a pod, or the template of one, that is taken all the same (W-426).
import { quoted } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, isMap, own } from '../api/value.ts'
import { metaOf, metaText } from '../registry/object-meta.ts'
import { containersIn, partIn, partsIn, textIn, warningAt } from './pod-parts.ts'
import { portWarnings } from './pod-port-warnings.ts'
import { specOf } from './pod-conditions.ts'
import { GONE_SOURCES } from './warnings-volume.ts'

const USE = 'deprecated since'
const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': `${USE} v1.14; use "kubernetes.io/arch" instead`,
  'beta.kubernetes.io/os': `${USE} v1.14; use "kubernetes.io/os" instead`,
  'failure-domain.beta.kubernetes.io/region': `${USE} v1.17; use "topology.kubernetes.io/region" instead`,
  'failure-domain.beta.kubernetes.io/zone': `${USE} v1.17; use "topology.kubernetes.io/zone" instead`,
  'beta.kubernetes.io/instance-type': `${USE} v1.17; use "node.kubernetes.io/instance-type" instead`,
}

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'
const APPARMOR_OF_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/'
const NO_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'

/** A new pod; updates are not warned of (W-427). */
export function podWarnings(pod: ApiObject, stored: ApiObject | undefined): readonly string[] {
  if (stored !== undefined) return []
  const name = metaText(pod, 'name')
  const hostname = name.includes('.') || name.length > 63 ? [hostnameWarning(name)] : []
  return [...hostname, ...podTemplateWarnings(pod, undefined)]
}

function hostnameWarning(name: string): string {
  const faults = [
    ...(name.includes('.') ? ['must not contain dots'] : []),
    ...(name.length > 63 ? ['must be no more than 63 characters'] : []),
  ]
  const why = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
  return `metadata.name: ${why}: [${faults.join(', ')}]`
}

/** `at` is where the template stands in its object; undefined for a pod itself. */
export function podTemplateWarnings(template: ValueMap, at: FieldPath | undefined): readonly string[] {
  const child = (name: string): FieldPath => at?.child(name) ?? FieldPath.root(name)
  const look: Look = {
    spec: specOf(template),
    annotations: partIn(metaOf(template), 'annotations'),
    specAt: child('spec'),
    annotationsAt: child('metadata').child('annotations'),
    isTemplate: at !== undefined,
  }
  return [
    ...placeWarnings(look),
    ...spreadWarnings(look),
    ...annotationWarnings(look),
    ...volumeWarnings(look),
    ...listWarnings(look),
    ...overheadWarnings(look),
    ...containerWarnings(look),
    ...portWarnings(look.spec, look.specAt),
    ...graceWarnings(look),
  ]
}

interface Look {
  readonly spec: ValueMap
  readonly annotations: ValueMap
  readonly specAt: FieldPath
  readonly annotationsAt: FieldPath
  readonly isTemplate: boolean
}

function deprecatedLabel(key: string): string | undefined {
  return Object.hasOwn(DEPRECATED_LABELS, key) ? DEPRECATED_LABELS[key] : undefined
}

function placeWarnings({ spec, specAt }: Look): readonly string[] {
  const warnings: string[] = []
  for (const key of Object.keys(partIn(spec, 'nodeSelector'))) {
    const told = deprecatedLabel(key)
    if (told !== undefined) warnings.push(warningAt(specAt.child('nodeSelector').key(key), told))
  }
  const affinity = partIn(partIn(spec, 'affinity'), 'nodeAffinity')
  const at = specAt.child('affinity').child('nodeAffinity')
  const [required, preferred] = [
    'requiredDuringSchedulingIgnoredDuringExecution',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ] as const
  for (const [i, term] of partsIn(partIn(affinity, required), 'nodeSelectorTerms').entries()) {
    warnings.push(...termWarnings(term, at.child(required).child('nodeSelectorTerms').index(i)))
  }
  for (const [i, term] of partsIn(affinity, preferred).entries()) {
    warnings.push(...termWarnings(partIn(term, 'preference'), at.child(preferred).index(i).child('preference')))
  }
  return warnings
}

function termWarnings(term: ValueMap, at: FieldPath): readonly string[] {
  return partsIn(term, 'matchExpressions').flatMap((expression, i) => {
    const key = textIn(expression, 'key')
    const told = deprecatedLabel(key)
    return told === undefined
      ? []
      : [warningAt(at.child('matchExpressions').index(i).child('key'), `${key} is ${told}`)]
  })
}

function spreadWarnings({ spec, specAt }: Look): readonly string[] {
  return partsIn(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const at = specAt.child('topologySpreadConstraints').index(i)
    const key = textIn(constraint, 'topologyKey')
    const told = deprecatedLabel(key)
    const warnings = told === undefined ? [] : [warningAt(at.child('topologyKey'), `${key} is ${told}`)]
    if (isMap(own(constraint, 'labelSelector'))) return warnings
    return [...warnings, warningAt(at.child('labelSelector'), `a null labelSelector results in matching no pod`)]
  })
}

function annotationWarnings({ annotations, annotationsAt }: Look): readonly string[] {
  return Object.entries(DEPRECATED_ANNOTATIONS).flatMap(([key, told]) =>
    Object.hasOwn(annotations, key) ? [warningAt(annotationsAt.key(key), told)] : [],
  )
}

function volumeWarnings({ spec, specAt }: Look): readonly string[] {
  const volumes = partsIn(spec, 'volumes')
  const at = specAt.child('volumes')
  const warnings = volumes.flatMap((volume, i) =>
    Object.entries(GONE_SOURCES).flatMap(([kind, told]) =>
      isMap(own(volume, kind)) ? [warningAt(at.index(i).child(kind === 'storageos' ? 'storageOS' : kind), told)] : [],
    ),
  )
  const sourcesOf = (volume: ValueMap): readonly ValueMap[] => partsIn(partIn(volume, 'projected'), 'sources')
  const tokens = new Set(
    volumes.flatMap(sourcesOf).flatMap((source) => {
      const token = own(source, 'serviceAccountToken')
      return isMap(token) ? [textIn(token, 'path')] : []
    }),
  )
  if (tokens.size === 0) return warnings
  const clash = (path: string, where: FieldPath): string[] =>
    tokens.has(path) ? [warningAt(where, `has duplicated path with ServiceAccountToken ${quoted(path)}`)] : []
  return [
    ...warnings,
    ...volumes.flatMap((volume, i) => {
      const from = at.index(i).child('projected').child('sources')
      return sourcesOf(volume).flatMap((source) => [
        ...PROJECTED.flatMap(([kind, shown]) =>
          partsIn(partIn(source, kind), 'items').flatMap((item, j) =>
            clash(textIn(item, 'path'), from.child(shown).index(j)),
          ),
        ),
        ...clash(textIn(partIn(source, 'clusterTrustBundle'), 'path'), from.child('ClusterTrustBundle')),
      ])
    }),
  ]
}

const PROJECTED: readonly (readonly [kind: string, shown: string])[] = [
  ['configMap', 'configMap'],
  ['secret', 'secrets'],
  ['downwardAPI', 'downwardAPI'],
]

function listWarnings({ spec, specAt }: Look): readonly string[] {
  const secrets = partsIn(spec, 'imagePullSecrets')
  const at = specAt.child('imagePullSecrets')
  return [
    ...repeated(partsIn(spec, 'hostAliases'), 'ip', specAt.child('hostAliases')),
    ...repeated(secrets, 'name', at),
    ...secrets.flatMap((secret, i) =>
      textIn(secret, 'name') === '' ? [warningAt(at.index(i).child('name'), `invalid empty name ""`)] : [],
    ),
  ]
}

function repeated(items: readonly ValueMap[], field: string, at: FieldPath): readonly string[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const value = textIn(item, field)
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    return [warningAt(at.index(i).child(field), `duplicate ${field} ${quoted(value)}`)]
  })
}

const WHOLE_BYTES: readonly string[] = ['memory', 'ephemeral-storage']

function overheadWarnings({ spec, specAt }: Look): readonly string[] {
  return WHOLE_BYTES.flatMap((name) => fraction(partIn(spec, 'overhead'), name, specAt.child('overhead')))
}

/** Quantities are canonical here: a part of a byte is one in thousandths or less. */
function fraction(amounts: ValueMap, name: string, at: FieldPath): readonly string[] {
  const value = textIn(amounts, name)
  if (!/\d[mun]$/.test(value)) return []
  return [warningAt(at.key(name), `fractional byte value ${quoted(value)} is invalid, must be an integer`)]
}

function containerWarnings({ spec, specAt, annotations, annotationsAt, isTemplate }: Look): readonly string[] {
  const context = partIn(spec, 'securityContext')
  const warnings: string[] = []
  if (!isMap(own(context, 'seccompProfile')) && Object.hasOwn(annotations, SECCOMP_OF_POD)) {
    warnings.push(warningAt(annotationsAt.key(SECCOMP_OF_POD), NO_SECCOMP))
  }
  for (const { container, at } of containersIn(spec, specAt)) {
    const security = partIn(container, 'securityContext')
    const seccomp = `${SECCOMP_OF_CONTAINER}${textIn(container, 'name')}`
    if (!isMap(own(security, 'seccompProfile')) && Object.hasOwn(annotations, seccomp)) {
      warnings.push(warningAt(annotationsAt.key(seccomp), NO_SECCOMP))
    }
    const profile = `${APPARMOR_OF_CONTAINER}${textIn(container, 'name')}`
    const hasProfile = isMap(own(context, 'appArmorProfile')) || isMap(own(security, 'appArmorProfile'))
    if (isTemplate && !hasProfile && Object.hasOwn(annotations, profile)) {
      warnings.push(
        warningAt(annotationsAt.key(profile), `deprecated since v1.30; use the "appArmorProfile" field instead`),
      )
    }
    const resources = partIn(container, 'resources')
    for (const name of WHOLE_BYTES) {
      for (const kind of ['limits', 'requests']) {
        warnings.push(...fraction(partIn(resources, kind), name, at.child('resources').child(kind)))
      }
    }
    warnings.push(...environmentWarnings(partsIn(container, 'env'), at.child('env')))
  }
  return warnings
}

/** A variable may be built on the one before it; otherwise that one is lost. */
function environmentWarnings(variables: readonly ValueMap[], at: FieldPath): readonly string[] {
  const seen = new Set<string>()
  return variables.flatMap((variable, i) => {
    const name = textIn(variable, 'name')
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const value = textIn(variable, 'value')
    const before = `$(${name})`
    const isBuiltOn = !isMap(own(variable, 'valueFrom')) && value !== before && value.includes(before)
    if (isBuiltOn) return []
    return [
      warningAt(at.index(i), `hides previous definition of ${quoted(name)}, which may be dropped when using apply`),
    ]
  })
}

function graceWarnings({ spec, specAt }: Look): readonly string[] {
  const grace: Value | undefined = own(spec, 'terminationGracePeriodSeconds')
  if (isList(grace) || typeof grace !== 'number' || grace >= 0) return []
  const at = specAt.child('terminationGracePeriodSeconds')
  return [warningAt(at, `must be >= 0; negative values are invalid and will be treated as 1`)]
}
