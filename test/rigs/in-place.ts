// `IN_PLACE=0 make test-integration`: every write of every server runs in a thread.

const MILLISECONDS = process.env['IN_PLACE']

/** The flags for that. */
export const IN_PLACE: readonly string[] = MILLISECONDS === undefined ? [] : ['--in-place-milliseconds', MILLISECONDS]
