import { describeEtcdContract } from './etcd-contract.ts'

describeEtcdContract('newest', 30_000)
