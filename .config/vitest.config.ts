import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './closing-line.ts'
import { LongFirst } from './long-first.ts'
import { StopWithoutTools } from './stop-without-tools.ts'
import { PassedFiles } from './unchanged.ts'

// The threads of the unit tests, which are started from here, collect garbage less often: a tenth of their processor time.
setFlagsFromString('--max-semi-space-size=64')

/**
 * Node strips the types and loads the modules itself: going through vite took a third of the unit tests' time. What a test
 * polls for comes at once or, on a busy machine, late: patience costs nothing where all is well.
 */
const everyKind = {
  root: '.',
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: 'test/rigs/plain-imports.ts',
  expect: { poll: { interval: 10, timeout: 40_000 } },
} as const

/** Four files at a time, also where there are only two cores: tests of whole servers mostly wait for them. */
const fourAtOnce = { sequence: { groupOrder: 1 }, pool: 'forks', maxWorkers: 4 } as const

/** Tests of whole servers run the command as it is built. */
const atOnce = { globalSetup: 'test/rigs/command.ts', ...fourAtOnce } as const

/** Unit tests, and with them the making of programs. Some wait: for a fifth of the time nobody would use one of two cores. */
const first = { sequence: { groupOrder: 0 }, maxWorkers: availableParallelism() + 1 } as const

/** For `make check`, which leaves out the unit tests that have passed as they are. */
const passedFiles = process.env['PASSED_FILES']

/** One project a kind of test; `make help` says which command runs which. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    reporters: ['default', new ClosingLine(), new StopWithoutTools(), ...(passedFiles === undefined ? [] : [new PassedFiles(passedFiles)])],
    projects: [
      {
        test: {
          // Of those that are first, projects begin in the order of their names.
          name: 'tools',
          ...everyKind,
          ...first,
          include: ['test/tools.test.ts'],
          pool: 'forks',
          testTimeout: 3_600_000,
        },
      },
      {
        test: {
          name: 'unit',
          ...everyKind,
          ...first,
          include: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          setupFiles: [everyKind.setupFiles, 'test/rigs/seeded-properties.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'cost',
          ...everyKind,
          include: ['test/cost/**/*.test.ts'],
          // These tests measure the processor time of their own process: other programs do not count.
          ...fourAtOnce,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          ...everyKind,
          ...atOnce,
          include: ['test/contract/**/*.test.ts', 'test/integration/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'security',
          ...everyKind,
          ...atOnce,
          include: ['test/security/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'robustness',
          ...everyKind,
          ...atOnce,
          include: ['test/robustness/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'simulation',
          ...everyKind,
          include: ['test/simulation/**/*.test.ts'],
          ...fourAtOnce,
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'long',
          ...everyKind,
          ...atOnce,
          include: ['test/long/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'reference',
          ...everyKind,
          include: ['test/reference/**/*.test.ts'],
          globalSetup: 'test/rigs/command.ts',
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: 'containers',
          ...everyKind,
          include: ['test/containers/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: 'conformance',
          ...everyKind,
          ...atOnce,
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
