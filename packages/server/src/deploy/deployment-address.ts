import { concatBytes, fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

/**
 * The proxy contract that creates other contracts at addresses that depend only on their code; it has the same address on
 * every chain (https://github.com/Arachnid/deterministic-deployment-proxy). Its input is 32 bytes of salt and the creation
 * code.
 */
export const DEPLOYER_PROXY = {
  address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  runtimeCode:
    '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const

/** A constant salt: one contract of each code is enough. */
const SALT = new Uint8Array(32)

/** The call data for the proxy. */
export function deploymentCall(creationCode: string): string {
  return toHex(concatBytes(SALT, fromHex(creationCode)))
}

/** The address at which the proxy creates a contract (EIP-1014), lower case. */
export function deploymentAddress({ keccak256 }: Pick<EvmCrypto, 'keccak256'>, creationCode: string): string {
  const parts = [Uint8Array.of(0xff), fromHex(DEPLOYER_PROXY.address), SALT, keccak256(fromHex(creationCode))]
  return toHex(keccak256(concatBytes(...parts)).subarray(12))
}
