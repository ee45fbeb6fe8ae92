import { WALLET_PLACEHOLDER } from '@farebox/protocol/declaration/declaration'

/** An account of the mnemonic that local test chains share: its key is public, so it has no value on other chains. */
export const DEV_WALLET = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'

export interface DevVariables {
  readonly [name: string]: string
}

/**
 * The variables of an agent under `farebox dev` (D30): payments are off and jobs are kept in memory, so that the stored
 * result of an older handler is never returned for an edited one.
 */
export const DEV_MODE: DevVariables = { SERVICE_DEV_MODE: 'true', SERVICE_STORE: 'memory:' }

/** Sets the wallet when the environment has none: the config's own address, else the dev wallet. */
export function withWallet(
  variables: DevVariables,
  configWallet: string,
): { readonly variables: DevVariables; readonly isNamed: boolean } {
  if ((variables['AGENT_WALLET_ADDRESS'] ?? '') !== '') return { variables, isNamed: true }
  const isNamed = configWallet !== WALLET_PLACEHOLDER
  const wallet = isNamed ? configWallet : DEV_WALLET
  return { variables: { ...variables, AGENT_WALLET_ADDRESS: wallet }, isNamed }
}
