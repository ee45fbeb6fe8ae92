import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Random } from '../seeded-random.ts'
import { withTimeout, type VirtualProcess } from '../time/virtual-process.ts'
import { exchange, type Callee, type Wires } from '../wires/exchange.ts'
import { callThroughPort, PortFailed } from '../wires/port.ts'

/** One call of a node. */
export interface NodeRequest {
  readonly method: string
  readonly parameters: readonly unknown[]
  /** Answered from the block so many before the newest; default: as far as nodes are behind just then. */
  readonly behind?: number
  /** Answered with times of blocks so much later than they are, earlier where negative. */
  readonly aheadSeconds?: number
}

const DEFAULT_TIMEOUT_MS = 10_000
const USUAL_MS = 8
/** What nodes say when they are asked too often (EIP-1474). */
const LIMIT_EXCEEDED = -32_005

/** The way of a facilitator's process to a node, with everything that can go wrong on it. A node is a process that never dies. */
export function createVirtualRpc(
  wires: Wires,
  process: VirtualProcess,
  node: Callee<NodeRequest, unknown>,
  random: Random,
): JsonRpc {
  return {
    call(method, parameters, options) {
      const ask = (): Promise<unknown> =>
        exchange(wires, {
          caller: process,
          label: method,
          request: { method, parameters },
          find: () => node,
          usualMs: USUAL_MS,
        })
      const asked = callThroughPort(wires, {
        process,
        kind: 'facilitator',
        port: 'node',
        name: method,
        call: ask,
      }).catch((error: unknown) => {
        // A node that is too busy says so, or nothing at all.
        const isBusy = error instanceof PortFailed && random.chance(0.3)
        if (isBusy) wires.faults.happened('nodes too busy')
        throw isBusy ? new JsonRpcError(method, LIMIT_EXCEEDED, 'limit exceeded', undefined) : error
      })
      return withTimeout(process, options?.timeoutMs ?? DEFAULT_TIMEOUT_MS, asked)
    },
    close: () => Promise.resolve(),
  }
}
