import { describeEtcdContract } from '../contract/etcd-contract.ts'

describeEtcdContract('oldest', 10_000)
