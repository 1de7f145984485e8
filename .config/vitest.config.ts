import { defineConfig } from 'vitest/config'
import { ClosingLine } from './closing-line.ts'

/** One project a kind of test; `make help` says which command runs which. */
export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        test: {
          name: 'unit',
          root: '.',
          include: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/fakes/seeded-properties.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          root: '.',
          include: ['test/contract/**/*.test.ts', 'test/integration/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'security',
          root: '.',
          include: ['test/security/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'robustness',
          root: '.',
          include: ['test/robustness/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'conformance',
          root: '.',
          include: ['test/conformance/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 600_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
