// A vitest reporter that ends every run with one plain line, `N passed, N failed`, for people and for machines to find.
import type { Reporter, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

function count(modules: readonly TestModule[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const module of modules) {
    let failed = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed++
      else if (state === 'failed') failed++
      else counts.skipped++
    }
    // A file that could not be loaded, or whose hooks failed, has no failed test of its own and is a failure all the same.
    if (failed === 0 && module.state() === 'failed') failed = 1
    counts.failed += failed
  }
  return counts
}

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { passed, failed, skipped } = count(modules)
    const line = `${passed} passed, ${failed + unhandledErrors.length} failed`
    process.stdout.write(`${skipped > 0 ? `${line}, ${skipped} skipped` : line}\n`)
  }
}
