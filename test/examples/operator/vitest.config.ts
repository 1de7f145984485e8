// How the tests are run: Node strips the types and loads the modules itself, and keeps what it has compiled for the next run.
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Where Node itself would keep it. Vitest leaves it out where coverage is measured, which would not be exact.
    env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    // A short run need hardly ever collect garbage: a twelfth of the processor time.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
  },
})
