// The command as its users run it, built from the sources as they are now before the first test of a run (`.config/vitest.config.ts`).
import { execFileSync } from 'node:child_process'
import path from 'node:path'

const PROJECT = path.join(import.meta.dirname, '../..')

export const COMMAND = path.join(PROJECT, 'dist/quarterdeck.js')

/** Called by vitest, once a run. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'prestart'], { cwd: PROJECT, stdio: 'inherit' })
}
