import { Agent, createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostnameOf, isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { portTaken } from '../processes/port-taken-error.ts'

/** The published address of the local chain. It is a proxy in front of a node whose own address is not published. */
export interface ChainDoor {
  /** JSON-RPC over HTTP and, with ws://, over WebSocket. */
  readonly url: string
  close(): Promise<void>
}

/** The methods with which a browser wallet reads the chain, and the one with which it sends a signed transaction. */
const WALLET_METHODS =
  /^(?:net_version|web3_clientVersion|eth_(?:blockNumber|call|chainId|createAccessList|estimateGas|feeHistory|gasPrice|getBalance|getBlockBy(?:Hash|Number)|getBlockReceipts|getCode|getLogs|getProof|getStorageAt|getTransactionBy(?:Hash|BlockHashAndIndex|BlockNumberAndIndex)|getTransactionCount|getTransactionReceipt|maxPriorityFeePerGas|sendRawTransaction|syncing))$/

/** Wallets are browser extensions; every extension is accepted. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[\w-]+$/

const MOST_WALLET_BYTES = 1_048_576

/**
 * Opens the proxy of a local chain on 127.0.0.1. The node itself accepts every call from every caller, including
 * `anvil_setBalance`, and any web page in a browser on this machine could send it such a call: over WebSocket, to which
 * CORS does not apply, or under a host name that the page's owner resolves to this machine (DNS rebinding). Programs on
 * this machine may call every method. Of the callers in a browser, only extensions may call, and only the methods that
 * wallets use.
 *
 * @param port the port on 127.0.0.1; 0 selects a free one
 * @throws PortTakenError naming the process that uses the port, if it can be determined
 */
export async function openChainDoor(nodeUrl: string, port: number): Promise<ChainDoor> {
  const agent = new Agent({ keepAlive: true })
  const tunnels = new Set<Duplex>()
  const server = createServer((request, response) => {
    answer(nodeUrl, agent, request, response).catch(() => response.destroy())
  })
  server.on('upgrade', (request, socket, head) => {
    tunnels.add(socket)
    socket.once('close', () => tunnels.delete(socket))
    upgrade(nodeUrl, request, socket, head)
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw isTaken ? await portTaken(port, 'the chain', error) : error
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of tunnels) socket.destroy()
      server.closeAllConnections()
      agent.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

type Visitor = 'program' | 'wallet'

/**
 * Returns the kind of caller, or the reason why the call is refused. A page cannot remove the headers that name its origin.
 */
function look({ headers, url }: IncomingMessage): Visitor | { readonly refusal: string } {
  const { host, origin } = headers
  if (url?.startsWith('/') !== true) return { refusal: 'the target must be a path' }
  if (host !== undefined && !isThisMachine(hostnameOf(`http://${host}`)))
    return { refusal: 'Host: must be this machine, like 127.0.0.1' }
  if (origin === undefined && headers['sec-fetch-site'] === undefined) return 'program'
  if (origin !== undefined && EXTENSION.test(origin)) return 'wallet'
  return { refusal: 'Origin: no web page may call the local chain; a wallet’s extension may' }
}

async function answer(
  nodeUrl: string,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const visitor = look(request)
  if (typeof visitor === 'object') return refuse(response, visitor.refusal)
  if (visitor === 'program') return forward(nodeUrl, agent, request, response)
  const body = await readUpTo(request, MOST_WALLET_BYTES)
  const refusal = body === undefined ? 'the call is too large for a wallet’s' : refuseMethods(body)
  if (refusal !== undefined) return refuse(response, refusal)
  forward(nodeUrl, agent, request, response, body)
}

function forward(
  nodeUrl: string,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
  body?: Buffer,
): void {
  const { method, url: path, headers } = request
  const { host: _, origin: __, connection: ___, ...rest } = headers
  const { hostname, port } = new URL(nodeUrl)
  // The target is never resolved: `http://other/` and `//other/` name a path of the node, not another server.
  const asked = ask({ hostname, port, path, method, agent, headers: rest }, answered => {
    response.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(response)
  })
  asked.once('error', () => {
    if (response.headersSent) response.destroy()
    else send(response, 502, 'the node does not answer')
  })
  response.once('close', () => asked.destroy())
  if (body === undefined) request.pipe(asked)
  else asked.end(body)
}

function upgrade(nodeUrl: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on('error', () => undefined)
  if (look(request) !== 'program') {
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    return
  }
  const { hostname, port, host } = new URL(nodeUrl)
  const node: Socket = connect(Number(port), hostname, () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`, `host: ${host}`]
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      const name = request.rawHeaders[at] ?? ''
      if (name.toLowerCase() !== 'host') lines.push(`${name}: ${request.rawHeaders[at + 1] ?? ''}`)
    }
    node.write(`${lines.join('\r\n')}\r\n\r\n`)
    node.write(head)
    socket.pipe(node).pipe(socket)
  })
  node.once('error', () => socket.destroy())
  node.once('close', () => socket.destroy())
  socket.once('close', () => node.destroy())
}

function refuseMethods(body: Buffer): string | undefined {
  let calls: unknown
  try {
    calls = JSON.parse(body.toString())
  } catch {
    return 'the call is not JSON'
  }
  for (const call of Array.isArray(calls) ? (calls as unknown[]) : [calls]) {
    const method: unknown = typeof call === 'object' && call !== null && 'method' in call ? call.method : ''
    if (typeof method !== 'string' || !WALLET_METHODS.test(method))
      return `method: a wallet may not call ${JSON.stringify(String(method).slice(0, 60))} here`
  }
  return undefined
}

/** Returns `undefined` when the body is larger than `most` bytes. */
async function readUpTo(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= most) chunks.push(chunk)
  }
  return bytes > most ? undefined : Buffer.concat(chunks)
}

function refuse(response: ServerResponse, reason: string): void {
  send(response, 403, reason)
}

/** Sends a JSON-RPC error, which clients can read, and closes the connection. */
function send(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
}
