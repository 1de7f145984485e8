import { describeEtcdContract } from './etcd-contract.ts'

describeEtcdContract('newest', 100_000)
