import { concatBytes, fromHex, toHex, writeUint256 } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

type Hash = Pick<EvmCrypto, 'keccak256'>

/** The call of AgentRegistry that registers an endpoint; the stake goes with it. */
export function registerCall(hash: Hash, endpoint: string): string {
  return encodeCall(hash, 'register(string)', [word(32n), textBytes(endpoint)])
}

/** The call that says where an agent is reached from now on. */
export function updateCall(hash: Hash, agentId: number, endpoint: string): string {
  const parameters = [word(BigInt(agentId)), word(64n), textBytes(endpoint)]
  return encodeCall(hash, 'updateEndpoint(uint256,string)', parameters)
}

/** The call that ends a registration and returns its stake. */
export function deregisterCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'deregister(uint256)', [word(BigInt(agentId))])
}

/** The question who holds an agent's token. */
export function ownerCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'ownerOf(uint256)', [word(BigInt(agentId))])
}

/** The question where an agent is reached. */
export function endpointCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'endpointOf(uint256)', [word(BigInt(agentId))])
}

/** The question what a registration stakes. */
export function stakeCall(hash: Hash): string {
  return encodeCall(hash, 'STAKE()', [])
}

/** The question which number was given last. */
export function lastAgentIdCall(hash: Hash): string {
  return encodeCall(hash, 'lastAgentId()', [])
}

/** What the logs of registrations begin with. */
export function registeredTopic({ keccak256 }: Hash): string {
  return toHex(keccak256(utf8('AgentRegistered(uint256,address,string,uint256)')))
}

/** An answer that is one text; undefined where it is none. */
export function readText(answer: string): string | undefined {
  if (!/^0x(?:[0-9a-f]{64}){2,}$/i.test(answer)) return undefined
  const bytes = fromHex(answer)
  const length = Number(BigInt(toHex(bytes.subarray(32, 64))))
  return 64 + length <= bytes.length ? new TextDecoder().decode(bytes.subarray(64, 64 + length)) : undefined
}

function encodeCall({ keccak256 }: Hash, signature: string, parameters: readonly Uint8Array[]): string {
  return toHex(concatBytes(keccak256(utf8(signature)).slice(0, 4), ...parameters))
}

function word(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  writeUint256(bytes, 0, value)
  return bytes
}

/** Its length, then itself, filled up to whole words. */
function textBytes(text: string): Uint8Array {
  const bytes = utf8(text)
  return concatBytes(word(BigInt(bytes.length)), bytes, new Uint8Array((32 - (bytes.length % 32)) % 32))
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
