import { describeEtcdContract } from './etcd-contract.ts'

describeEtcdContract('oldest', 10_000)
