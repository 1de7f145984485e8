// Annotations of pods that the server understands: mirror pods, the deletion cost, and security profiles, for which there are fields now.
import type {
  AppArmorProfile,
  Container,
  ObjectMeta,
  Pod,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { withSpec } from '../../../api/object-members.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import { entriesOf, equalValues, type MapOf, own } from '../../../api/value.ts'
import type { WriteContext } from '../../../registry/registry.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkDescendingPath } from '../paths.ts'
import { containersOf } from './container-scope.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
export const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod'
export const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'
const APPARMOR_OF_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/'

/** The prefix of profiles that are on the node. */
const LOCAL = 'localhost/'

/** Whether the pod mirrors a static pod. */
export function isMirror(metadata: ObjectMeta): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MIRROR)
}

export function checkPodAnnotations(annotations: MapOf<string>, spec: PodSpec, at: FieldPath, check: Check): void {
  const mirror = own(annotations, MIRROR)
  if (mirror !== undefined && spec.nodeName === undefined) {
    check.invalid(at.key(MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set')
  }
  const cost = own(annotations, DELETION_COST)
  if (cost !== undefined && !isCost(cost)) check.invalid(at.key(DELETION_COST), cost, 'must be a 32bit integer')
  const seccomp = own(annotations, SECCOMP_OF_POD)
  if (seccomp !== undefined) checkSeccomp(seccomp, at.child(SECCOMP_OF_POD), check)
  for (const [key, profile] of entriesOf(annotations)) {
    if (key.startsWith(SECCOMP_OF_CONTAINER)) checkSeccomp(profile, at.child(key), check)
  }
  checkAppArmor(annotations, spec, at, check)
}

function isCost(text: string): boolean {
  return text === '0' || (/^-?[1-9][0-9]{0,9}$/.test(text) && (Number(text) | 0) === Number(text))
}

function checkSeccomp(profile: string, at: FieldPath, check: Check): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return
  if (profile.startsWith(LOCAL)) checkDescendingPath(profile.slice(LOCAL.length), at, check)
  else check.invalid(at, profile, 'must be a valid seccomp profile')
}

function checkAppArmor(annotations: MapOf<string>, spec: PodSpec, at: FieldPath, check: Check): void {
  let names: ReadonlySet<string> | undefined
  for (const [key, profile] of entriesOf(annotations)) {
    if (!key.startsWith(APPARMOR_OF_CONTAINER)) continue
    names ??= new Set(CONTAINER_LISTS.flatMap((list) => (spec[list] ?? []).map(({ name }) => name)))
    const container = key.slice(APPARMOR_OF_CONTAINER.length)
    if (!names.has(container)) check.invalid(at.key(key), container, 'container not found')
    if (['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCAL)) continue
    check.invalid(at.key(key), profile, `invalid AppArmor profile name: "${profile}"`)
  }
}

export function isSeccomp(key: string): boolean {
  return key === SECCOMP_OF_POD || key.startsWith(SECCOMP_OF_CONTAINER)
}

/** Profiles that are both annotated and set as fields must be the same. */
export function checkProfilesAgree(
  annotations: MapOf<string>,
  spec: PodSpec,
  at: FieldPath<PodSpec>,
  check: Check,
): void {
  if (!Object.keys(annotations).some((key) => isSeccomp(key) || key.startsWith(APPARMOR_OF_CONTAINER))) return
  const containers = containersOf(spec, at)
  const agree = (what: Profile, key: string, profile: AnyProfile | undefined, holder: Holder): void => {
    const member = disagreement(what, own(annotations, key), profile)
    if (member === undefined) return
    const place = holder.child('securityContext').child(FIELDS[what]).child(member)
    check.forbidden(place, `${what} ${member === 'type' ? 'type' : 'profile'} in annotation and field must match`)
  }
  agree('seccomp', SECCOMP_OF_POD, spec.securityContext?.seccompProfile, at)
  for (const [container, place] of containers) {
    agree('seccomp', SECCOMP_OF_CONTAINER + container.name, container.securityContext?.seccompProfile, place)
  }
  if (spec.os?.name === 'windows') return
  // Unlike with seccomp, containers inherit the profile of the pod.
  for (const [container, place] of containers) {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    agree('apparmor', APPARMOR_OF_CONTAINER + container.name, profile, place)
  }
}

type Profile = 'seccomp' | 'apparmor'
type AnyProfile = SeccompProfile | AppArmorProfile
type Holder = FieldPath<{ readonly securityContext?: PodSecurityContext | SecurityContext }>

const FIELDS = { seccomp: 'seccompProfile', apparmor: 'appArmorProfile' } as const

/** The member of the profile that differs from the annotation. Undefined: they agree. */
function disagreement(
  what: Profile,
  annotation: string | undefined,
  profile: AnyProfile | undefined,
): 'type' | 'localhostProfile' | undefined {
  if (annotation === undefined || profile === undefined) return undefined
  const isDefault = annotation === 'runtime/default' || (what === 'seccomp' && annotation === 'docker/default')
  const isLocal = annotation.startsWith(LOCAL)
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? undefined : 'type'
    case 'RuntimeDefault':
      return isDefault ? undefined : 'type'
    case 'Localhost':
      if (isLocal && profile.localhostProfile === annotation.slice(LOCAL.length)) return undefined
      return isLocal ? 'localhostProfile' : 'type'
    default:
      return undefined
  }
}

/** Mirror and profile annotations cannot change. */
export function checkKeptAnnotations(
  annotations: MapOf<string>,
  stored: MapOf<string>,
  at: FieldPath,
  check: Check,
): void {
  for (const key of Object.keys(stored)) {
    if (own(annotations, key) === own(stored, key)) continue
    const what = kept(key)
    if (what !== undefined) check.forbidden(at.key(key), `may not remove or update ${what}`)
  }
  for (const key of Object.keys(annotations)) {
    const what = Object.hasOwn(stored, key) ? undefined : kept(key)
    if (what !== undefined) check.forbidden(at.key(key), `may not add ${what}`)
  }
}

function kept(key: string): string | undefined {
  if (key.startsWith(APPARMOR_OF_CONTAINER)) return 'AppArmor annotations'
  return key === MIRROR ? 'mirror pod annotation' : undefined
}

/** The AppArmor annotation of a container. Undefined: it is absent, the container has a profile, or the pod has the same profile. */
function appArmorAnnotation(
  annotations: MapOf<string>,
  container: Container,
  podContext: PodSecurityContext,
): { readonly key: string; readonly profile: AppArmorProfile | undefined } | undefined {
  const key = APPARMOR_OF_CONTAINER + container.name
  const annotation = own(annotations, key)
  if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return undefined
  const profile = profileOf(annotation)
  const isOfPod = profile !== undefined && equalValues(profile, podContext.appArmorProfile)
  return isOfPod ? undefined : { key, profile }
}

export function appArmorWarning(
  annotations: MapOf<string>,
  container: Container,
  podContext: PodSecurityContext,
  annotationsAt: string,
): string | undefined {
  const found = appArmorAnnotation(annotations, container, podContext)
  return found === undefined ? undefined : warningOf(annotationsAt, found.key)
}

/** A new pod with the fields that replace its annotations. */
export function withAppArmorFields(pod: Pod, { warn }: WriteContext): Pod {
  const { annotations = {} } = pod.metadata
  const { spec } = pod
  if (!Object.keys(annotations).some((key) => key.startsWith(APPARMOR_OF_CONTAINER))) return pod
  if (spec.os?.name === 'windows') return pod
  const withField = (container: Container): Container => {
    const found = appArmorAnnotation(annotations, container, spec.securityContext ?? {})
    if (found === undefined) return container
    warn(warningOf('metadata.annotations', found.key))
    if (found.profile === undefined) return container
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: found.profile } }
  }
  const lists = CONTAINER_LISTS.flatMap((list) => (spec[list] ? [[list, spec[list].map(withField)]] : []))
  return withSpec(pod, Object.fromEntries(lists))
}

const MAX_PROFILE_BYTES = 4095

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const local = annotation.startsWith(LOCAL) ? annotation.slice(LOCAL.length) : ''
  const isValid = local !== '' && local.trim() === local && Buffer.byteLength(local) <= MAX_PROFILE_BYTES
  return isValid ? { type: 'Localhost', localhostProfile: local } : undefined
}

function warningOf(annotationsAt: string, key: string): string {
  return `${annotationsAt}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`
}
