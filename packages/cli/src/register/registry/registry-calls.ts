import { encodeCall, textBytes, topicOf, uintWord, type Hash } from '../../chain/encode-call.ts'

/** The call of AgentRegistry that registers an endpoint; the stake goes with it. */
export function registerCall(hash: Hash, endpoint: string): string {
  return encodeCall(hash, 'register(string)', [uintWord(32n), textBytes(endpoint)])
}

/** The call that says where an agent is reached from now on. */
export function updateCall(hash: Hash, agentId: number, endpoint: string): string {
  const parameters = [uintWord(BigInt(agentId)), uintWord(64n), textBytes(endpoint)]
  return encodeCall(hash, 'updateEndpoint(uint256,string)', parameters)
}

/** The call that ends a registration and returns its stake. */
export function deregisterCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'deregister(uint256)', [uintWord(BigInt(agentId))])
}

/** The question who holds an agent's token. */
export function ownerCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'ownerOf(uint256)', [uintWord(BigInt(agentId))])
}

/** The question where an agent is reached. */
export function endpointCall(hash: Hash, agentId: number): string {
  return encodeCall(hash, 'endpointOf(uint256)', [uintWord(BigInt(agentId))])
}

/** The question what a registration stakes. */
export function stakeCall(hash: Hash): string {
  return encodeCall(hash, 'STAKE()')
}

/** The question which number was given last. */
export function lastAgentIdCall(hash: Hash): string {
  return encodeCall(hash, 'lastAgentId()')
}

/** What the logs of registrations begin with. */
export function registeredTopic(hash: Hash): string {
  return topicOf(hash, 'AgentRegistered(uint256,address,string,uint256)')
}
