// What the strategies of many kinds have in common.
import type { GenerationRule, KindStrategy, StatusRule } from '../strategy.ts'

export const GENERATION_OF_SPEC: GenerationRule = { first: 1, on: ['spec'] }
const USER_METADATA: readonly string[] = ['labels', 'annotations', 'finalizers', 'ownerReferences']
export const WITH_STATUS: StatusRule = { keepsMetadata: [], resetFields: ['spec'] }
export const WITH_STATUS_ALONE: StatusRule = { keepsMetadata: USER_METADATA, resetFields: ['spec', 'metadata'] }
export const WORKLOAD: KindStrategy = { generation: GENERATION_OF_SPEC, status: WITH_STATUS }
