// AlwaysPullImages: sets the pull policy to Always, so that a cached private image cannot be used without credentials.
import type { Container, Pod, PodSpec, Volume } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS, containersOf } from '../api/pod-containers.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

const ALWAYS = 'Always'

export const PULL_ALWAYS: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate: (request) => {
    const pod = concernedPod(request)
    return pod === undefined ? request.object : withAlways(pod, request.oldObject)
  },
  validate(request) {
    const pod = concernedPod(request)
    if (pod === undefined) return
    const before = namesIn(request.oldObject)
    for (const list of CONTAINER_LISTS) {
      for (const [i, container] of (pod.spec[list] ?? []).entries()) {
        if (isKept(container, list, before)) continue
        const at = `spec.${list}[${i}].imagePullPolicy`
        const policy = JSON.stringify(container.imagePullPolicy ?? '')
        throw forbidden(request, `${at}: Unsupported value: ${policy}: supported values: "${ALWAYS}"`)
      }
    }
  },
}

/** The pod, if it is new, gets other images, or gets ephemeral containers. Undefined: the plugin has nothing to do. */
function concernedPod({ object, oldObject, operation, subresource }: AdmissionRequest): Pod | undefined {
  if (!isKind(object, 'core_v1.Pod')) return undefined
  if (operation === 'CREATE') return subresource === '' ? object : undefined
  if (subresource === 'ephemeralcontainers') return object
  if (subresource !== '' || !isKind(oldObject, 'core_v1.Pod')) return undefined
  const before = new Set(containersOf(oldObject.spec).map(({ image }) => image))
  return containersOf(object.spec).some(({ image }) => !before.has(image)) ? object : undefined
}

function namesIn(pod: ApiObject | undefined): ReadonlySet<string> {
  const { ephemeralContainers = [] } = isKind(pod, 'core_v1.Pod') ? pod.spec : {}
  return new Set(ephemeralContainers.map(({ name }) => name))
}

/** Whether the container stays as it is. Ephemeral containers that were added before cannot change. */
function isKept({ imagePullPolicy, name }: Container, list: string, before: ReadonlySet<string>): boolean {
  return imagePullPolicy === ALWAYS || (list === 'ephemeralContainers' && before.has(name))
}

function withAlways(pod: Pod, stored: ApiObject | undefined): Pod {
  const { spec } = pod
  const before = namesIn(stored)
  const members: { -readonly [N in keyof PodSpec]?: PodSpec[N] } = {}
  for (const list of CONTAINER_LISTS) {
    const containers: readonly Container[] = spec[list] ?? []
    if (containers.every((container) => isKept(container, list, before))) continue
    members[list] = containers.map((container) =>
      isKept(container, list, before) ? container : { ...container, imagePullPolicy: ALWAYS },
    )
  }
  const { volumes = [] } = spec
  if (stored === undefined && volumes.some(isPulled)) {
    members.volumes = volumes.map((volume) =>
      isPulled(volume) ? { ...volume, image: { ...volume.image, pullPolicy: ALWAYS } } : volume,
    )
  }
  return Object.keys(members).length === 0 ? pod : withSpec(pod, members)
}

function isPulled({ image }: Volume): boolean {
  return image !== undefined && image.pullPolicy !== ALWAYS
}
