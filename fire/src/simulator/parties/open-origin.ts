import type { JsonAnswer, JsonOrigin } from '@farebox/payments/src/http/http-json'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { exchange, type Callee, type Wires } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import { withTimeout } from '../wires/with-timeout.ts'
import type { NodeRequest } from '../chain/virtual-rpc.ts'
import type { FacilitatorCall } from './facilitator-party.ts'

/** What an agent can reach. */
export interface Hosts {
  readonly wires: Wires
  /** By {@link hostName}. */
  readonly processes: ReadonlyMap<string, VirtualProcess>
  readonly findFacilitator: () => Callee<FacilitatorCall, JsonAnswer> | undefined
  readonly node: Callee<NodeRequest, unknown>
}

const USUAL_MS = 6

/**
 * Makes the way from a process to a host: `http://facilitator.<process>` or `http://node.<process>`. That a
 * process names itself in the URL is how its connections are told from those of others.
 */
export function createOpenOrigin(hosts: Hosts): (url: string) => JsonOrigin {
  return url => {
    const [host = '', ...caller] = new URL(url).hostname.split('.')
    const process = hosts.processes.get(caller.join('.'))
    if (process === undefined) throw new Error(`no process is called ${caller.join('.')}`)
    const ask = host === 'node' ? askNode : askFacilitator
    return {
      send: request =>
        withTimeout(
          process,
          request.timeoutMs,
          callThroughPort(hosts.wires, {
            process,
            kind: 'agent',
            port: 'network',
            name: host === 'node' ? `node ${methodOf(request.body)}` : `${host} ${request.path}`,
            call: () =>
              ask(hosts, process, {
                method: request.method,
                path: request.path,
                headers: request.headers ?? {},
                body: request.body === undefined ? undefined : JSON.stringify(request.body),
              }),
          }),
        ),
      close: () => Promise.resolve(),
    }
  }
}

/** Of a call of a node. */
function methodOf(body: unknown): string {
  return (body as { readonly method: string }).method
}

async function askFacilitator(
  hosts: Hosts,
  caller: VirtualProcess,
  call: FacilitatorCall,
): Promise<JsonAnswer> {
  return await exchange(hosts.wires, {
    caller,
    label: `${call.method} ${call.path}`,
    request: call,
    find: hosts.findFacilitator,
    usualMs: USUAL_MS,
  })
}

async function askNode(hosts: Hosts, caller: VirtualProcess, call: FacilitatorCall): Promise<JsonAnswer> {
  const { method, params } = JSON.parse(call.body ?? '{}') as { method: string; params: readonly unknown[] }
  try {
    const result = await exchange(hosts.wires, {
      caller,
      label: method,
      request: { method, parameters: params },
      find: () => hosts.node,
      usualMs: USUAL_MS,
    })
    return { status: 200, body: { result } }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    return { status: 200, body: { error: { code: error.code, message: error.message, data: error.details } } }
  }
}
