// Removes all that these tests make: containers, volumes, networks, the image and the copy of the checkout. Also what a run has left that was
// killed.
//
//     node test/containers/clean-up.ts
import { rm } from 'node:fs/promises'
import { docker, COPY, NAME } from './docker.ts'

const KINDS: readonly (readonly [kind: string, list: readonly string[], remove: readonly string[]])[] = [
  ['container', ['ls', '--all'], ['rm', '--force', '--volumes']],
  ['volume', ['ls'], ['rm', '--force']],
  ['network', ['ls'], ['rm']],
]

export async function cleanUp(): Promise<void> {
  for (const [kind, list, remove] of KINDS) {
    const filter = ['--filter', `label=com.docker.compose.project=${NAME}`]
    const found = await docker(kind, ...list, '--quiet', ...filter)
    if (found !== '') await docker(kind, ...remove, ...found.split('\n'))
  }
  // These are no error where there is nothing.
  await docker('rm', '--force', '--volumes', NAME).catch(() => undefined)
  await docker('volume', 'rm', '--force', NAME)
  await docker('image', 'rm', '--force', NAME)
  await rm(COPY, { recursive: true, force: true })
}

if (import.meta.main) await cleanUp()
