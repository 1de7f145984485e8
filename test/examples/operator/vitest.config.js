// How the tests are run: Node keeps what it has compiled for the next run, and hardly ever has to collect garbage.
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Where Node itself would keep it. Vitest leaves it out where coverage is measured, which would not be exact.
    env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    // Of the young generation, in megabytes: it grows from one, and what tests leave behind is moved again and again meanwhile.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
    // Packages are loaded as they are. Only in this repository is this one not among them.
    server: { deps: { external: [/\/dist\//] } },
  },
})
