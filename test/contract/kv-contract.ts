// The contract of the storage port, as tests that run on every engine. A rule that one engine cannot keep is not a rule.
import { describe } from 'vitest'
import { commitRules } from './kv/commits.ts'
import { compactionRules } from './kv/compaction.ts'
import { expiryRules } from './kv/expiry.ts'
import { lifeRules } from './kv/life.ts'
import { loadRules } from './kv/load.ts'
import { pastReadRules } from './kv/past-reads.ts'
import { readRules } from './kv/reads.ts'
import { type KvContractOptions, subjectOfEachTest } from './kv/subject.ts'
import { watchRules } from './kv/watch.ts'
import { writeRules } from './kv/writes.ts'

export function describeKvContract(engine: string, options: KvContractOptions): void {
  describe(`storage contract: ${engine}`, () => {
    const subject = subjectOfEachTest(options)
    describe('writes', () => writeRules(subject, options))
    describe('commits', () => commitRules(subject))
    describe('reads', () => readRules(subject))
    describe('past reads', () => pastReadRules(subject))
    describe('watch', () => watchRules(subject, options))
    describe('compaction', () => compactionRules(subject))
    describe('expiry', () => expiryRules(subject))
    describe('life', () => lifeRules(subject))
    describe('load', () => loadRules(subject, options))
  })
}
