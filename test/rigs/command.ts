// The command as its users run it, built from the sources as they are now before the first test of a run (`.config/vitest.config.ts`).
import { execFileSync } from 'node:child_process'
import path from 'node:path'

const PROJECT = path.join(import.meta.dirname, '../..')

export const COMMAND = path.join(PROJECT, 'dist/quarterdeck.js')

/**
 * What `npm start` and the image ask of the allocator: one arena, and buffers from 128 KB on by themselves, so that they are given back
 * when they are freed. Left alone it keeps 60 MB after a few bodies of 3 MB.
 */
export const ALLOCATION = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' } as const

/**
 * What they ask of V8: room for 32 MB of new objects. With 16 a create takes a fifth more processor time than with 64, which V8 takes on large
 * machines, twice, and with 32 as much; with 64 a server that has read a few bodies of 3 MB stays at 800 MB instead of 500.
 */
export const YOUNG_HEAP = '--max-semi-space-size=32'

/** Called by vitest, once a run. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'prestart'], { cwd: PROJECT, stdio: 'inherit' })
}
