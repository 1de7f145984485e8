// The contract of a store, as tests that run on every store and every engine: the kv store and the watch cache answer alike.
import { describe } from 'vitest'
import { commitRules } from './store/commits.ts'
import { foreignRules } from './store/foreign.ts'
import { listRules } from './store/lists.ts'
import { pastRules } from './store/past.ts'
import { readRules } from './store/reads.ts'
import { type StoreContractOptions, subjectOfEachTest } from './store/subject.ts'
import { unreadableRules } from './store/unreadable.ts'
import { watchRules } from './store/watches.ts'
import { writeRules } from './store/writes.ts'

export function describeStoreContract(what: string, options: StoreContractOptions): void {
  describe(`store contract: ${what}`, () => {
    const subject = subjectOfEachTest(options)
    describe('get', () => readRules(subject))
    describe('list', () => listRules(subject))
    describe('watch', () => watchRules(subject))
    describe('write', () => writeRules(subject))
    describe('objects of one revision', () => commitRules(subject))
    describe('unreadable', () => unreadableRules(subject))
    describe('of another server', () => foreignRules(subject))
  })
}

/** Of a store that has little memory: what it has forgotten is read from the storage. */
export function describePastContract(what: string, options: StoreContractOptions): void {
  describe(`store contract: ${what}: the past`, () => pastRules(subjectOfEachTest(options)))
}
