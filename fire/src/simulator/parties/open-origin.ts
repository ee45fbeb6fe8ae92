import type { JsonAnswer, JsonOrigin } from '@farebox/payments/src/http/http-json'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { World } from '../build-world.ts'
import { withTimeout, type VirtualProcess } from '../time/virtual-process.ts'
import { exchange, type Callee } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import type { FacilitatorCall } from './facilitator-party.ts'

const USUAL_MS = 6

type FindFacilitator = () => Callee<FacilitatorCall, JsonAnswer> | undefined

/**
 * Makes the way from a process to a host: `http://facilitator.<process>` or `http://node.<process>`. That a
 * process names itself in the URL is how its connections are told from those of others.
 */
export function createOpenOrigin(world: World, find: FindFacilitator): (url: string) => JsonOrigin {
  const { wires, processes } = world
  return url => {
    const [host = '', ...caller] = new URL(url).hostname.split('.')
    const process = processes.get(caller.join('.'))
    if (process === undefined) throw new Error(`no process is called ${caller.join('.')}`)
    const ask = (request: Parameters<JsonOrigin['send']>[0]): Promise<JsonAnswer> => {
      const { method, path, headers = {} } = request
      const body = request.body === undefined ? undefined : JSON.stringify(request.body)
      if (host === 'node') return askNode(world, process, body)
      const call = { method, path, headers, body }
      const label = `${method} ${path}`
      return exchange(wires, { caller: process, label, request: call, find, usualMs: USUAL_MS })
    }
    return {
      send(request) {
        const name =
          host === 'node'
            ? `node ${(request.body as { readonly method: string }).method}`
            : `${host} ${request.path}`
        const call = { process, kind: 'agent', port: 'network', name, call: () => ask(request) } as const
        return withTimeout(process, request.timeoutMs, callThroughPort(wires, call))
      },
      close: () => Promise.resolve(),
    }
  }
}

async function askNode(
  { wires, node }: World,
  caller: VirtualProcess,
  body: string | undefined,
): Promise<JsonAnswer> {
  const { method, params } = JSON.parse(body ?? '{}') as { method: string; params: readonly unknown[] }
  const request = { method, parameters: params }
  try {
    const find = (): typeof node.agent => node.agent
    const result = await exchange(wires, { caller, label: method, request, find, usualMs: USUAL_MS })
    return { status: 200, body: { result } }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    return { status: 200, body: { error: { code: error.code, message: error.message, data: error.details } } }
  }
}
