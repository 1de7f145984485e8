// Where the containers of a pod are.

/** The lists of containers that a pod can have, in the order that the reference walks them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const
