// Parts that the strategies of many kinds share.
import type { GenerationRule, StatusRule } from '../strategy.ts'

export const GENERATION_OF_SPEC: GenerationRule<'spec'> = { first: 1, on: ['spec'] }
const USER_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const
export const WITH_STATUS: StatusRule = { keepsMetadata: [], resetFields: ['spec'] }
export const WITH_STATUS_ALONE: StatusRule = { keepsMetadata: USER_METADATA, resetFields: ['spec', 'metadata'] }

interface Workload {
  readonly generation: GenerationRule<'spec'>
  readonly status: StatusRule
}

export const WORKLOAD: Workload = { generation: GENERATION_OF_SPEC, status: WITH_STATUS }
