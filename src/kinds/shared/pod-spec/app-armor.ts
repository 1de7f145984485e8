// AppArmor profiles in annotations, as they were said before there was a field: pods get the field that an annotation stands for, and
// whoever still writes annotations is told.
import { mapOrEmpty, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import { annotationsOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import { equalValues, own, type ValueMap } from '../../../api/value.ts'
import type { WriteContext } from '../../../registry/registry.ts'
import { APPARMOR_OF_CONTAINER, LOCAL } from './pod-annotations.ts'

const MAX_PROFILE_BYTES = 4095

/** The annotation of a container that has no profile of its own and gets none like it from its pod. */
export function appArmorWarning(
  annotations: ValueMap,
  container: ValueMap,
  podContext: ValueMap,
  annotationsAt: string,
): string | undefined {
  const [key, annotation] = annotationOf(annotations, container)
  if (annotation === undefined || hasProfile(container)) return undefined
  const said = profileOf(annotation)
  if (said !== undefined && equalValues(said, own(podContext, 'appArmorProfile'))) return undefined
  return warningOf(annotationsAt, key)
}

/** A new pod with the fields that its annotations stand for. */
export function withAppArmorFields(pod: ApiObject, { warn }: WriteContext): ApiObject {
  const annotations = annotationsOf(pod)
  const spec = mapOrEmpty(pod, 'spec')
  if (!Object.keys(annotations).some((key) => key.startsWith(APPARMOR_OF_CONTAINER))) return pod
  if (textOrEmpty(mapOrEmpty(spec, 'os'), 'name') === 'windows') return pod
  const ofPod = own(mapOrEmpty(spec, 'securityContext'), 'appArmorProfile')
  const withField = (container: ValueMap): ValueMap => {
    const [key, annotation] = annotationOf(annotations, container)
    if (annotation === undefined || hasProfile(container)) return container
    const said = validProfileOf(annotation)
    if (said !== undefined && equalValues(said, ofPod)) return container
    warn(warningOf('metadata.annotations', key))
    if (said === undefined) return container
    return { ...container, securityContext: { ...mapOrEmpty(container, 'securityContext'), appArmorProfile: said } }
  }
  const lists = CONTAINER_LISTS.filter((list) => Object.hasOwn(spec, list))
  const containers = Object.fromEntries(lists.map((list) => [list, mapsInPlace(spec, list).map(withField)]))
  return { ...pod, spec: { ...spec, ...containers } }
}

function annotationOf(annotations: ValueMap, container: ValueMap): readonly [string, string | undefined] {
  const key = APPARMOR_OF_CONTAINER + textOrEmpty(container, 'name')
  return [key, textOrAbsent(annotations, key)]
}

function hasProfile(container: ValueMap): boolean {
  return own(mapOrEmpty(container, 'securityContext'), 'appArmorProfile') !== undefined
}

function profileOf(annotation: string): ValueMap | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const isLocal = annotation.startsWith(LOCAL) && annotation.length > LOCAL.length
  return isLocal ? { type: 'Localhost', localhostProfile: annotation.slice(LOCAL.length) } : undefined
}

function validProfileOf(annotation: string): ValueMap | undefined {
  const profile = profileOf(annotation)
  const local = textOrEmpty(profile ?? {}, 'localhostProfile')
  return local.trim() === local && Buffer.byteLength(local) <= MAX_PROFILE_BYTES ? profile : undefined
}

function warningOf(annotationsAt: string, key: string): string {
  return `${annotationsAt}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`
}
