import type { JsonRpc } from '@farebox/payments/chain/json-rpc'

/** One call of a node. */
export interface NodeCall {
  readonly method: string
  readonly parameters: readonly unknown[]
  /** Asks the honest node, this or something else. */
  readonly ask: (method: string, parameters: readonly unknown[]) => Promise<unknown>
}

/** What a node answers instead; undefined: the honest answer. */
export type NodeFault = (call: NodeCall) => Promise<unknown> | undefined

/** A node that answers honestly until it is made to do otherwise. */
export interface FaultyNode {
  readonly rpc: JsonRpc
  /** From now on. */
  fault: NodeFault | undefined
}

/** Puts faults between a facilitator and a node. */
export function createFaultyNode(honest: JsonRpc): FaultyNode {
  const ask: NodeCall['ask'] = (method, parameters) => honest.call(method, parameters)
  const node: FaultyNode = {
    fault: undefined,
    rpc: {
      call: async (method, parameters, options) =>
        await (node.fault?.({ method, parameters, ask }) ?? honest.call(method, parameters, options)),
      close: () => Promise.resolve(),
    },
  }
  return node
}

/** All answers come from another node. */
export function answeredBy(other: JsonRpc): NodeFault {
  return ({ method, parameters }) => other.call(method, parameters)
}
