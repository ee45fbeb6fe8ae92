import type { ContractCall } from './calls.ts'
import { NO_SPENDS, permittedNow, SPEND_PERMISSIONS } from './spends.ts'
import type { TokenState } from './token.ts'

/** `available(address,address,address,bytes32)`. */
const AVAILABLE = '0x77103720'
/** `isRefUsed(bytes32,uint256)`. */
const IS_REF_USED = '0xab54acb7'

/** Answers what SpendPermissions is asked; undefined for any other call. `idOf` hashes owner, spender, token and scope. */
export function readSpendQuestion(
  { to, data }: Partial<ContractCall>,
  stateOf: () => TokenState,
  idOf: (words: string) => string,
): bigint | undefined {
  if (to?.toLowerCase() !== SPEND_PERMISSIONS || data === undefined) return undefined
  const { spends = NO_SPENDS, balances } = stateOf()
  if (data.startsWith(AVAILABLE)) {
    const permitted = permittedNow(spends, idOf(data.slice(10)))
    const held = balances.get(`0x${data.slice(34, 74)}`) ?? 0n
    return permitted < held ? permitted : held
  }
  if (!data.startsWith(IS_REF_USED)) return undefined
  const ref = BigInt(`0x${data.slice(74, 138)}`)
  return spends.refs.has(`0x${data.slice(10, 74)} ${ref}`) ? 1n : 0n
}
