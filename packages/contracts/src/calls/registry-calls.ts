import { countedWords, textDigits, uintWord } from '../abi-words.ts'

/** Transactions and calls to AgentRegistry, encoded by hand, so that no ABI coder is loaded. */

type Hex = `0x${string}`

/** `register(string)`. */
const REGISTER = '0xf2c298be'
/** `updateEndpoint(uint256,string)`. */
const UPDATE_ENDPOINT = '0x54fec772'
/** `deregister(uint256)`. */
const DEREGISTER = '0x1a5dbfb4'
/** `ownerOf(uint256)`. */
const OWNER_OF = '0x6352211e'
/** `endpointOf(uint256)`. */
const ENDPOINT_OF = '0x728e8469'

/** D36: the exact stake of a registration: 0.001 ETH. */
export const STAKE_WEI = 10n ** 15n

/** `STAKE()`: the call that reads the stake of a registration, in wei. */
export const STAKE_CALL = '0x125fdbbc'

/** `lastAgentId()`: the call that reads the latest agent number. */
export const LAST_AGENT_ID_CALL = '0xcdde6d9a'

/** The first topic of `AgentRegistered(uint256,address,string,uint256)`. */
export const AGENT_REGISTERED_TOPIC = '0xc29f819ac362ff9c94de06666235808451aafd8894a2dffb86a080a965efeae3'

/** The transaction that registers an endpoint; the stake is sent with it. */
export function encodeRegister(endpoint: string): Hex {
  return `${REGISTER}${uintWord(32n)}${countedWords(textDigits(endpoint))}`
}

/** The transaction that changes the endpoint of an agent. */
export function encodeUpdateEndpoint(agentId: number, endpoint: string): Hex {
  return `${UPDATE_ENDPOINT}${idWord(agentId)}${uintWord(64n)}${countedWords(textDigits(endpoint))}`
}

/** The transaction that ends a registration and returns its stake. */
export function encodeDeregister(agentId: number): Hex {
  return `${DEREGISTER}${idWord(agentId)}`
}

/** The call that reads the owner of an agent. */
export function encodeOwnerOf(agentId: number): Hex {
  return `${OWNER_OF}${idWord(agentId)}`
}

/** The call that reads the endpoint of an agent. */
export function encodeEndpointOf(agentId: number): Hex {
  return `${ENDPOINT_OF}${idWord(agentId)}`
}

function idWord(agentId: number): string {
  return uintWord(BigInt(agentId))
}
