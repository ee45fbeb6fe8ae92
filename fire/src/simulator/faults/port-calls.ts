/**
 * Every call of a process to something that outlives it, by name, and what hangs on it: after a `look` nothing has
 * changed, after a `deed` something has, and a `call` is a payer's. Processes die over each of them, before it and
 * after it; over deeds sooner, and soonest over what is seldom
 * done: `rare` once in hundreds of histories, `scarce` once in thousands; `seldom` is what comes just before that.
 */
export const PORT_CALLS: {
  readonly [name: string]: 'look' | 'call' | 'deed' | 'rare' | 'seldom' | 'scarce'
} = {
  'store.claim': 'deed',
  'store.read': 'look',
  'store.write': 'deed',
  'store.unresolved': 'look',
  'facilitator /supported': 'look',
  'facilitator /verify': 'deed',
  'facilitator /settle': 'deed',
  'facilitator /release': 'deed',
  'node eth_call': 'rare',
  'node eth_getBlockByNumber': 'rare',
  'node eth_getLogs': 'rare',
  'node eth_getTransactionReceipt': 'rare',
  'ledger.hold': 'deed',
  'ledger.capture': 'deed',
  'ledger.release': 'deed',
  'ledger.find': 'look',
  'ledger.backlog': 'look',
  'ledger.submit': 'deed',
  'ledger.replace': 'scarce',
  'ledger.conclude': 'deed',
  'ledger.lease': 'look',
  'ledger.give-up': 'deed',
  'ledger.expire': 'deed',
  'ledger.settled-since': 'scarce',
  'ledger.unconfirmed': 'look',
  'ledger.uncharged': 'look',
  'ledger.mark-audited': 'rare',
  'ledger.adopt': 'scarce',
  'ledger.secret': 'look',
  eth_chainId: 'look',
  eth_call: 'look',
  eth_getBalance: 'look',
  eth_getCode: 'rare',
  eth_getBlockByNumber: 'look',
  eth_getLogs: 'rare',
  eth_getTransactionByHash: 'seldom',
  eth_getTransactionCount: 'rare',
  eth_getTransactionReceipt: 'look',
  eth_maxPriorityFeePerGas: 'look',
  eth_sendRawTransaction: 'deed',
  eth_sendRawTransactionSync: 'deed',
  'stock send': 'deed',
  'agent /execute': 'call',
}
