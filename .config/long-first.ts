// The order of the test files: those that take longest begin first. One that begins last keeps the whole run waiting, with idle processors.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than half a minute, and would not begin early because they are large. */
const LONG =
  /\/(package|stalls|simulation|extensions|hostile-load|hostile-objects|hostile-requests|replay|workers|slow-clients|memory|console-(outage|pictures|graph)|clients-kubectl(-writes)?)\.test\.ts$/

export class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      project.config.sequence.groupOrder * 2 + (LONG.test(moduleId) ? 0 : 1)
    return (await super.sort(specifications)).toSorted((one, other) => rank(one) - rank(other))
  }
}
