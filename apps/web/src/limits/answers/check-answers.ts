import type { AgentSpender, TokenApprovals, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { ApiFailure } from '../../site/ask.ts'

/** Whether a value has the form that is documented. */
type Form = (value: unknown) => boolean

const UINT256 = 2n ** 256n

const matches =
  (form: RegExp): Form =>
  value =>
    typeof value === 'string' && form.test(value)
const address = matches(/^0x[0-9a-f]{40}$/)
const word = matches(/^0x[0-9a-f]{64}$/)
const amount: Form = value => typeof value === 'string' && /^\d{1,78}$/.test(value) && BigInt(value) < UINT256
const count: Form = value => Number.isSafeInteger(value) && Number(value) >= 0
const text: Form = value => typeof value === 'string'
const orNull =
  (form: Form): Form =>
  value =>
    value === null || form(value)
const list =
  (form: Form): Form =>
  value =>
    Array.isArray(value) && value.every(form)
const oneOf =
  (...names: readonly string[]): Form =>
  value =>
    names.includes(value as string)
const record =
  (forms: Forms): Form =>
  value =>
    firstWrong(value, forms) === undefined

interface Forms {
  readonly [field: string]: Form
}

const PERMISSION: Forms = {
  id: word,
  spender: address,
  token: address,
  scope: word,
  agent_id: amount,
  agent_name: orNull(text),
  capability: text,
  limit: amount,
  cap: amount,
  spent: amount,
  left: amount,
  expires_at: count,
  recipients: list(address),
  state: oneOf('active', 'used-up', 'expired', 'revoked'),
  nonce: count,
  set_at: count,
  set_transaction: word,
  revoked_at: orNull(count),
}

const LIMITS: Forms = {
  address,
  contract: address,
  block_number: count,
  block_time: count,
  token: record({ symbol: text, address, decimals: count }),
  balance: amount,
  allowance: amount,
  total_left: amount,
  permit: orNull(record({ name: text, version: text, nonce: amount })),
  permissions: list(record(PERMISSION)),
}

const APPROVAL: Forms = {
  spender: address,
  amount,
  unlimited: value => typeof value === 'boolean',
  is_permissions_contract: value => typeof value === 'boolean',
  approved_at: orNull(count),
  transaction: word,
}

/**
 * What a wallet permits, as the platform answered it: nothing is planned or signed with what has another form than is
 * documented.
 *
 * @throws {ApiFailure}
 */
export function checkLimits(answer: WalletLimits): WalletLimits {
  return check(answer, LIMITS)
}

/** Whom an agent spends from; see {@link checkLimits}. */
export function checkSpender(answer: AgentSpender): AgentSpender {
  return check(answer, { spender: address })
}

/** The approvals of a wallet; see {@link checkLimits}. */
export function checkApprovals(answer: TokenApprovals): TokenApprovals {
  return check(answer, { approvals: list(record(APPROVAL)), from_block: count })
}

function check<T>(answer: T, forms: Forms): T {
  const wrong = firstWrong(answer, forms)
  if (wrong === undefined) return answer
  const message = `The platform sent an invalid response, so this page ignored it. The field “${wrong}” is not in the documented format.`
  throw new ApiFailure(message, { status: 0, type: 'internal' })
}

/** The first field that has another form; undefined: none has. */
function firstWrong(value: unknown, forms: Forms): string | undefined {
  const fields =
    typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : {}
  return Object.entries(forms).find(([field, form]) => !form(fields[field]))?.[0]
}
