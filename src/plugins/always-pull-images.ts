// AlwaysPullImages: sets the pull policy to Always, so that a cached private image cannot be used without credentials.
import { mapOrAbsent, mapOrEmpty, mapsInPlace, mapsOnly, textOrEmpty } from '../api/members.ts'
import { specOf, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS } from '../api/pod-containers.ts'
import type { Value, ValueMap } from '../api/value.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const ALWAYS = 'Always'

export const PULL_ALWAYS: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate: (request) => (isConcerned(request) ? withAlways(request.object!, request.oldObject) : request.object),
  validate(request) {
    if (!isConcerned(request)) return
    const before = namesIn(request.oldObject)
    for (const list of CONTAINER_LISTS) {
      for (const [i, container] of mapsInPlace(specOf(request.object!), list).entries()) {
        const policy = textOrEmpty(container, 'imagePullPolicy')
        if (isKept(container, list, before)) continue
        const at = `spec.${list}[${i}].imagePullPolicy`
        throw forbidden(request, `${at}: Unsupported value: ${JSON.stringify(policy)}: supported values: "${ALWAYS}"`)
      }
    }
  },
}

/** New pods, pods with other images, and containers that are added to a pod. */
function isConcerned({ object, oldObject, operation, subresource }: AdmissionRequest): boolean {
  if (object === undefined) return false
  if (operation === 'CREATE') return subresource === ''
  if (subresource === 'ephemeralcontainers') return true
  if (subresource !== '' || oldObject === undefined) return false
  const before = new Set(imagesOf(oldObject))
  return imagesOf(object).some((image) => !before.has(image))
}

function imagesOf(pod: ApiObject): readonly string[] {
  return CONTAINER_LISTS.flatMap((list) => mapsOnly(specOf(pod), list)).map((container) =>
    textOrEmpty(container, 'image'),
  )
}

function namesIn(pod: ApiObject | undefined): ReadonlySet<string> {
  const containers = pod === undefined ? [] : mapsOnly(specOf(pod), 'ephemeralContainers')
  return new Set(containers.map((container) => textOrEmpty(container, 'name')))
}

/** Containers that were added before cannot change any more. */
function isKept(container: ValueMap, list: string, before: ReadonlySet<string>): boolean {
  if (textOrEmpty(container, 'imagePullPolicy') === ALWAYS) return true
  return list === 'ephemeralContainers' && before.has(textOrEmpty(container, 'name'))
}

function withAlways(pod: ApiObject, stored: ApiObject | undefined): ApiObject {
  const spec = specOf(pod)
  const before = namesIn(stored)
  const members: Record<string, Value> = {}
  for (const list of CONTAINER_LISTS) {
    const containers = mapsInPlace(spec, list)
    if (containers.every((container) => isKept(container, list, before))) continue
    members[list] = containers.map((container) =>
      isKept(container, list, before) ? container : { ...container, imagePullPolicy: ALWAYS },
    )
  }
  const volumes = mapsInPlace(spec, 'volumes')
  if (stored === undefined && volumes.some(isPulled)) {
    members['volumes'] = volumes.map((volume) =>
      isPulled(volume) ? { ...volume, image: { ...mapOrEmpty(volume, 'image'), pullPolicy: ALWAYS } } : volume,
    )
  }
  return Object.keys(members).length === 0 ? pod : withSpec(pod, members)
}

function isPulled(volume: ValueMap): boolean {
  const image = mapOrAbsent(volume, 'image')
  return image !== undefined && textOrEmpty(image, 'pullPolicy') !== ALWAYS
}
