// The containers of a pod.
import type { Container, PodSpec } from './gen/kinds.ts'

/** The lists of containers that a pod can have, in the order that the reference walks them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

export function containersOf(spec: PodSpec): readonly Container[] {
  return CONTAINER_LISTS.flatMap((list): readonly Container[] => spec[list] ?? [])
}
