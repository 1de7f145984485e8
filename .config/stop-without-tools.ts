// A vitest reporter that ends a run whose programs cannot be had (`test/tools.test.ts`): most other tests would fail for want of them.
import type { Reporter, TestModule, Vitest } from 'vitest/node'

export class StopWithoutTools implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestModuleEnd(module: TestModule): void {
    if (module.project.name !== 'tools' || module.ok()) return
    // Not awaited: it waits for the process of the tests, which waits for this.
    void this.#vitest?.cancelCurrentRun('test-failure')
  }
}
