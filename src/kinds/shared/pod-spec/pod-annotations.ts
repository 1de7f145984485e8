// Annotations of pods that the server understands: mirror pods, the cost of deletion, and profiles that became fields.
import type { FieldPath } from '../../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkDescendingPath } from '../paths.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'
const APPARMOR_OF_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/'

/** Whether the pod stands for one that a node runs on its own account. */
export function isMirror(metadata: ValueMap): boolean {
  return Object.hasOwn(mapOrEmpty(metadata, 'annotations'), MIRROR)
}

export interface AnnotationScope {
  readonly at: FieldPath
  readonly check: Check
  readonly spec: ValueMap
}

export function checkPodAnnotations(annotations: ValueMap, { at, check, spec }: AnnotationScope): void {
  const mirror = textOrAbsent(annotations, MIRROR)
  if (mirror !== undefined && textOrEmpty(spec, 'nodeName') === '') {
    check.invalid(at.key(MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set')
  }
  const cost = textOrAbsent(annotations, DELETION_COST)
  if (cost !== undefined && !isCost(cost)) check.invalid(at.key(DELETION_COST), cost, 'must be a 32bit integer')
  const seccomp = textOrAbsent(annotations, SECCOMP_OF_POD)
  if (seccomp !== undefined) checkSeccomp(seccomp, at.child(SECCOMP_OF_POD), check)
  for (const key of Object.keys(annotations)) {
    if (key.startsWith(SECCOMP_OF_CONTAINER)) checkSeccomp(textOrAbsent(annotations, key) ?? '', at.child(key), check)
  }
  checkAppArmor(annotations, { at, check, spec })
}

function isCost(text: string): boolean {
  return text === '0' || (/^-?[1-9][0-9]{0,9}$/.test(text) && (Number(text) | 0) === Number(text))
}

function checkSeccomp(profile: string, at: FieldPath, check: Check): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return
  if (profile.startsWith('localhost/')) checkDescendingPath(profile.slice('localhost/'.length), at, check)
  else check.invalid(at, profile, 'must be a valid seccomp profile')
}

function checkAppArmor(annotations: ValueMap, { at, check, spec }: AnnotationScope): void {
  let names: ReadonlySet<string> | undefined
  for (const key of Object.keys(annotations)) {
    if (!key.startsWith(APPARMOR_OF_CONTAINER)) continue
    names ??= new Set(allContainers(spec).map((container) => textOrEmpty(container, 'name')))
    const container = key.slice(APPARMOR_OF_CONTAINER.length)
    if (!names.has(container)) check.invalid(at.key(key), container, 'container not found')
    const profile = textOrAbsent(annotations, key) ?? ''
    if (profile === '' || profile === 'runtime/default' || profile === 'unconfined') continue
    if (!profile.startsWith('localhost/'))
      check.invalid(at.key(key), profile, `invalid AppArmor profile name: "${profile}"`)
  }
}

function allContainers(spec: ValueMap): readonly ValueMap[] {
  return CONTAINER_LISTS.flatMap((field) => mapsInPlace(spec, field))
}

function isProfile(key: string): boolean {
  return key === SECCOMP_OF_POD || key.startsWith(SECCOMP_OF_CONTAINER) || key.startsWith(APPARMOR_OF_CONTAINER)
}

/** Profiles that are both annotated and set as fields must be the same. */
export function checkProfilesAgree(annotations: ValueMap, { at, check, spec }: AnnotationScope): void {
  if (!Object.keys(annotations).some(isProfile)) return
  const ofPod = mapOrEmpty(spec, 'securityContext')
  agree(textOrAbsent(annotations, SECCOMP_OF_POD), mapOrAbsent(ofPod, 'seccompProfile'), {
    at: at.child('securityContext').child('seccompProfile'),
    check,
    word: 'seccomp',
  })
  for (const profile of [SECCOMP, APPARMOR]) checkContainerProfiles(annotations, profile, { at, check, spec })
}

interface Profile {
  readonly field: string
  readonly prefix: string
  readonly word: string
  /** What the pod sets holds for containers that set nothing. */
  readonly inherited: boolean
}

const SECCOMP: Profile = { field: 'seccompProfile', prefix: SECCOMP_OF_CONTAINER, word: 'seccomp', inherited: false }
const APPARMOR: Profile = { field: 'appArmorProfile', prefix: APPARMOR_OF_CONTAINER, word: 'apparmor', inherited: true }

function checkContainerProfiles(annotations: ValueMap, profile: Profile, { at, check, spec }: AnnotationScope): void {
  const { field, prefix, word, inherited } = profile
  if (inherited && textOrEmpty(mapOrEmpty(spec, 'os'), 'name') === 'windows') return
  const ofPod = inherited ? mapOrAbsent(mapOrEmpty(spec, 'securityContext'), field) : undefined
  for (const list of CONTAINER_LISTS) {
    for (const [i, container] of mapsInPlace(spec, list).entries()) {
      const set = mapOrAbsent(mapOrEmpty(container, 'securityContext'), field) ?? ofPod
      const place = at.child(list).index(i).child('securityContext').child(field)
      agree(textOrAbsent(annotations, prefix + textOrEmpty(container, 'name')), set, { at: place, check, word })
    }
  }
}

interface Agreement {
  readonly at: FieldPath
  readonly check: Check
  readonly word: string
}

function agree(annotation: string | undefined, profile: ValueMap | undefined, { at, check, word }: Agreement): void {
  if (annotation === undefined || profile === undefined) return
  const disagree = `${word} type in annotation and field must match`
  switch (textOrEmpty(profile, 'type')) {
    case 'Unconfined':
      if (annotation !== 'unconfined') check.forbidden(at.child('type'), disagree)
      break
    case 'RuntimeDefault':
      if (annotation !== 'runtime/default' && !(word === 'seccomp' && annotation === 'docker/default')) {
        check.forbidden(at.child('type'), disagree)
      }
      break
    case 'Localhost':
      if (!annotation.startsWith('localhost/')) check.forbidden(at.child('type'), disagree)
      else if (textOrAbsent(profile, 'localhostProfile') !== annotation.slice('localhost/'.length)) {
        check.forbidden(at.child('localhostProfile'), `${word} profile in annotation and field must match`)
      }
      break
    default:
  }
}

export interface AnnotationChange {
  readonly annotations: ValueMap
  readonly stored: ValueMap
}

/** Mirror and profile annotations stay as they are; then the annotations are checked as those of a new pod. */
export function checkPodAnnotationUpdate({ annotations, stored }: AnnotationChange, scope: AnnotationScope): void {
  const { at, check } = scope
  for (const key of Object.keys(stored)) {
    if (textOrAbsent(annotations, key) === textOrAbsent(stored, key)) continue
    const what = kept(key)
    if (what !== undefined) check.forbidden(at.key(key), `may not remove or update ${what}`)
  }
  for (const key of Object.keys(annotations)) {
    const what = Object.hasOwn(stored, key) ? undefined : kept(key)
    if (what !== undefined) check.forbidden(at.key(key), `may not add ${what}`)
  }
  checkPodAnnotations(annotations, scope)
}

function kept(key: string): string | undefined {
  if (key.startsWith(APPARMOR_OF_CONTAINER)) return 'AppArmor annotations'
  return key === MIRROR ? 'mirror pod annotation' : undefined
}
